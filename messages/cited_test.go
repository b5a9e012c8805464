package messages

import (
	"testing"

	"killick/internal/viewtest"
	"killick/view"
)

// The model's text is divided into blocks where it cites something. It is read as it was said.
// Other blocks of text are separate.
func TestCitedTextIsReadInOnePiece(t *testing.T) {
	const cited = `"citations":[{"type":"char_location","document_index":0}]`
	for role, want := range map[view.Role]string{
		view.Assistant: "The cap is EUR 90.25, says 2.3.\nAnd more.\nIt ends.",
		view.User:      "The cap is EUR \n90\n.25, says 2.3.\nAnd more.\nIt ends.",
	} {
		r := viewtest.Parse(t, Format, `{"messages":[{"role":"`+string(role)+`","content":[`+
			`{"type":"text","text":"The cap is EUR "},{"type":"text","text":"90",`+cited+`},`+
			`{"type":"text","text":".25, says 2.3.","citations":[]},`+
			`{"type":"text","text":"And more."},`+
			`{"type":"server_tool_use","id":"s","name":"web_search","input":{}},`+
			`{"type":"web_search_tool_result","tool_use_id":"s","content":[]},`+
			`{"type":"text","text":"It ends.",`+cited+`}]}]}`)
		if got := r.Messages()[0].Text(); got != want {
			t.Errorf("%s: got %q, want %q", role, got, want)
		}
	}
}
