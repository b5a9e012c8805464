package fold

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"killick/chat"
	"killick/compactor/layout"
	"killick/internal/chattest"
	"killick/internal/fuzzed"
	"killick/summary"
	"killick/summary/quotes"
	"killick/transcript"
	"killick/view"
)

// FuzzSummary: the summaries of any turns, merged in any steps, keep their
// limits, render to a valid record, and say the same when they were stored
// between; stored ones that nobody made do no harm.
func FuzzSummary(f *testing.F) {
	for i, seed := range fuzzed.Seeds(8, 150) {
		f.Add(seed, uint8(i*31), []byte(nil))
	}
	f.Add(
		[]byte("x"),
		uint8(1),
		[]byte(
			`{"last_message":1,"files":[{"path":"\n## x","changed":true}],`+
				`"calls":[{"tool":"\n## y"}],"state":{"text":"\n## z"},`+
				`"todos":[{"text":"a\u2028## b"}]}`,
		),
	)
	f.Fuzz(func(t *testing.T, data []byte, step uint8, stored []byte) {
		req, err := chat.Parse(fuzzed.Request(data))
		if err != nil {
			t.Skip("no chat request")
		}
		v := layout.New(req, chattest.Counter{})
		v.Split()
		src := &quotes.Source{Transcript: v.Transcript(0)}
		var sum summary.Summary
		if json.Unmarshal(stored, &sum) != nil {
			sum = summary.Summary{}
		}
		own := len(stored) == 0 // nobody else wrote anything in it
		from := 0
		for i, g := range v.Groups {
			if i+1 < len(v.Groups) && (i+1)%(int(step)%9+1) != 0 {
				continue
			}
			calls := transcript.Read(v.Originals()[:g.End], v.Groups, from).Calls
			sum = summary.Merge(sum, summary.Read(src, calls, from, g.End, &sum))
			sum.FillWords(src, 0, g.End, nil)
			from = g.End
			checkSummary(t, &sum, own)
		}
	})
}

func checkSummary(t *testing.T, sum *summary.Summary, own bool) {
	t.Helper()
	room := summary.Room{Summary: 3000, All: 4000}
	text := sum.Render(room)
	if own && len(text) > room.All {
		t.Fatalf("%d bytes, at most %d are allowed:\n%s", len(text), room.All, text)
	}
	if _, err := checkRecord([]byte(chattest.Says(view.User, text))); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	value, err := json.Marshal(sum)
	if err != nil {
		t.Fatal(err)
	}
	var back summary.Summary
	if err := json.Unmarshal(value, &back); err != nil {
		t.Fatal(err)
	}
	if again := back.Render(room); own && utf8.ValidString(text) && again != text {
		t.Fatalf("stored and read it renders to\n%s\nbefore\n%s", again, text)
	}
}
