package converse

import "testing"

// The model's text is divided into blocks where it cites something. It is read as it was said.
// Other blocks of text are separate.
func TestCitedTextIsReadInOnePiece(t *testing.T) {
	m := parse(t, `{"messages":[{"role":"assistant","content":[{"text":"The cap is EUR "},`+
		`{"citationsContent":{"content":[{"text":"9"},{"text":"0"}],"citations":[]}},`+
		`{"cachePoint":{"type":"default"}},{"text":".25, says 2.3."},{"text":"And more."},`+
		`{"reasoningContent":{"reasoningText":{"text":"so"}}},`+
		`{"citationsContent":{"content":[{"text":"It ends."}],"citations":[]}}]}]}`)
	const want = "The cap is EUR 90.25, says 2.3.\nAnd more.\nIt ends."
	if got := m.Messages()[0].Text(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
