package marks_test

import (
	"fmt"
	"strings"
	"testing"

	"killick/chat"
	"killick/view"
	"killick/view/marks"
)

// marked returns a body in which those messages are marked that are true in marks.
func marked(n int, marks ...int) []byte {
	all := []string{`{"role":"system","content":"be brief"}`}
	for i := range n {
		mark := ""
		for _, at := range marks {
			if at == i {
				mark = `,"cache_control":{"type":"ephemeral"}`
			}
		}
		role := []string{"user", "assistant"}[i%2]
		all = append(all, fmt.Sprintf(`{"role":%q,"content":"message %d"%s}`, role, i, mark))
	}
	return []byte(`{"model":"m","messages":[` + strings.Join(all, ",") + `]}`)
}

// Remembered marks are the same as those read from the request alone, when clients add messages,
// move marks, remove messages and branch.
func TestMarksAreRemembered(t *testing.T) {
	parser := view.Parser{MinBytes: 1}
	for step, body := range [][]byte{
		marked(3, 2), marked(5, 2, 4), marked(5, 4), marked(9, 8), marked(9), marked(4, 3),
		marked(9, 0, 8), marked(9, 0, 8), marked(1),
	} {
		known, err := parser.Parse(chat.Format, "ann", body)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := view.Parse(chat.Format, body)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // as it is found, and as it is remembered
			got, want := marks.CandidatesOf(known), marks.CandidatesOf(alone)
			for i := range known.Messages() {
				raw := string(known.Messages()[i].Raw)
				if got.At(i) != want.At(i) || got.At(i) != strings.Contains(raw, "cache_control") {
					t.Errorf("step %d, message %d is said to be marked: %t; %s", step, i,
						got.At(i), raw)
				}
			}
		}
	}
}

func TestEveryMarkIsFound(t *testing.T) {
	for _, name := range marks.Names {
		if !marks.MayBeIn([]byte(`{"type":"text","text":"a","` + name + `":{}}`)) {
			t.Errorf("%s is not found", name)
		}
	}
	if marks.MayBeIn([]byte(`{"text":"a cache_control of text"}`)) {
		t.Error("a text without quotes is taken for a mark")
	}
}
