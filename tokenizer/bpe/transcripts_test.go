package bpe

import (
	"testing"

	"killick/internal/recorded"
	"killick/rawjson"
	"killick/tokenizer/internal/corpus"
)

// TestTranscripts compares every text and every tool call of real conversations with the reference,
// as it is on the wire and decoded.
func TestTranscripts(t *testing.T) {
	corpus.Sequential(t)
	e, ref := mustLoad(O200kBase), reference(t, O200kBase)
	texts, at := 0, 0
	check := func(v rawjson.Value) {
		if at++; at%corpus.Slower != 0 || v.Kind() != rawjson.String || len(v) > 64<<10 {
			return
		}
		texts++
		text := v.Text()
		want := len(ref.EncodeOrdinary(text))
		if got := e.CountString(text); got != want && !known(text) {
			t.Errorf("%d tokens, want %d, in a text of %d bytes", got, want, len(text))
		}
		if got := e.CountJSON(v.StringBody()); got != want && !known(text) {
			t.Errorf("%d tokens, want %d, in the JSON of a text of %d bytes", got, want, len(text))
		}
	}
	for _, c := range recorded.Conversations(t) {
		msgs := c.Parse(t)
		for i := range msgs {
			for part := range msgs[i].Parts() {
				check(part.Text)
			}
			for _, call := range msgs[i].ToolCalls() {
				check(call.Arguments)
			}
		}
	}
	if texts == 0 {
		t.Error("the transcripts hold no texts")
	}
	t.Logf("%d texts", texts)
}
