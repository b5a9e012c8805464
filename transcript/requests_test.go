package transcript

import (
	"testing"

	"killick/internal/chattest"
	"killick/responses"
	"killick/view"
)

// A text member that is not a string is ignored.
func TestTextsThatAreNoStrings(t *testing.T) {
	body := `{"model":"m","store":false,"input":[` + chattest.Says("user", "Go on.") +
		`,{"type":"message","role":"assistant","content":[{"type":"output_text","text":{"a":1}},` +
		`{"type":"output_text","text":12345}]}]}`
	req, err := view.Parse(responses.Format, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	if last := ReadAll(req.Messages()).LastWords(0, 2); last != -1 {
		t.Errorf("message %d has words", last)
	}
}
