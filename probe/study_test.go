package probe

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"killick/chat"
	"killick/view"
)

// written is a conversation that was written for these tests, with the statements of an honest
// model in its own words.
type written struct {
	Name      string
	Language  string
	Messages  []json.RawMessage
	Honest    []Statement
	HeldOut   []Statement `json:"held_out"` // written after the bounds were chosen
	Questions []struct {
		Category, Question, Expected string
		Right, Wrong                 []string
	}

	msgs []view.Message
}

func writtenConversations(t testing.TB) (all []written) {
	t.Helper()
	files, err := filepath.Glob("testdata/conversations/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d conversations, %v; want at least 10", len(files), err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var w written
		if err := json.Unmarshal(raw, &w); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, raw := range w.Messages {
			m, err := chat.ParseMessage(raw)
			if err != nil {
				t.Fatal(err)
			}
			w.msgs = append(w.msgs, m)
		}
		all = append(all, w)
	}
	return all
}

// Paraphrases by honest models are kept in every language: at least nine of ten of those that the
// bounds were chosen on.
func TestHonestParaphrases(t *testing.T) {
	for name, list := range map[string]func(w *written) []Statement{
		"chosen on": func(w *written) []Statement { return w.Honest },
		"held out":  func(w *written) []Statement { return w.HeldOut },
	} {
		stated, kept := map[string]int{}, map[string]int{}
		for _, w := range writtenConversations(t) {
			x := NewIndex(w.msgs, 1)
			honest := list(&w)
			good, dropped := x.Ground(x.Locate(honest))
			stated[w.Language] += len(honest)
			kept[w.Language] += len(good)
			for _, d := range dropped {
				t.Logf("%s: %s: %s", w.Name, d.Reason, d.Statement.Text)
			}
		}
		if len(stated) < 5 {
			t.Errorf("%d languages, want five at least", len(stated))
		}
		for language, n := range stated {
			t.Logf("%s, %s: %d of %d kept", name, language, kept[language], n)
			if n == 0 || name == "chosen on" && 10*kept[language] < 9*n {
				t.Errorf("%s, %s: %d of %d honest paraphrases kept, want 90%%",
					name, language, kept[language], n)
			}
		}
	}
}
