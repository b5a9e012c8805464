package fold

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"killick/chat"
	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/messages"
	"killick/responses"
	"killick/summary"
	"killick/view"
)

var update = flag.Bool("update", false, "write what the tests got into the golden transcripts")

// formats are the formats of transcripts by the names of their files.
var formats = map[string]view.Format{
	"messages.jsonl": chat.Format, "messages_api.jsonl": messages.Format,
	"responses_api.jsonl": responses.Format,
}

// Each transcript has the elements of a conversation, one per line, with a line "---" at each fold;
// then the replacement as readable text, and the summary.
func TestGoldenTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden transcripts in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			record, summary := foldTranscript(t, formats[archive.Files[0].Name],
				string(archive.Files[0].Data))
			got := map[string]string{"record.txt": record, "summary.json": summary}
			for i := range archive.Files[1:] {
				f := &archive.Files[i+1]
				if *update {
					f.Data = []byte(got[f.Name])
				} else if string(f.Data) != got[f.Name] {
					t.Errorf("%s:\n%s\nwant:\n%s", f.Name, got[f.Name], f.Data)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// foldTranscript returns what is sent in place of the folded turns, and the summary.
func foldTranscript(t *testing.T, f view.Format, lines string) (record, summary string) {
	var msgs []string
	var folds []int
	request := func() *view.Request {
		body := `{"model":"m","` + f.List() + `":[` + strings.Join(msgs, ",\n") + `]}`
		r, err := view.Parse(f, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line == "---" {
			folds = append(folds, len(request().Messages()))
		} else if line != "" {
			msgs = append(msgs, line)
		}
	}
	v, cp := foldsOf(t, settings.Policy{
		Target: 4000, IndexTokens: 200, WorkingSetTokens: 200, CheckCoverage: true,
	}, request(), folds...)
	text := func(raw []byte) string {
		m, err := f.Message(raw)
		if err != nil {
			t.Fatal(err)
		}
		return m.Text()
	}
	var b strings.Builder
	for _, r := range cp.Records {
		for _, k := range r.Kept {
			if k.Raw == nil {
				b.WriteString("[as it came] " + v.Messages[k.Index].Text() + "\n\n")
			} else {
				b.WriteString(text(k.Raw) + "\n")
			}
		}
		b.WriteString(text(r.Raw) + "\n")
	}
	if cp.Working.Raw != nil {
		b.WriteString(cp.Working.Text())
	}
	var stored strings.Builder
	enc := json.NewEncoder(&stored)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(summaryOf(t, cp)); err != nil {
		t.Fatal(err)
	}
	return b.String(), stored.String()
}

// foldsAt folds a conversation at the given messages, one fold after the other, and
// returns the form that it has then.
func foldsAt(
	t testing.TB,
	policy settings.Policy,
	msgs []string,
	folds ...int,
) (*layout.View, *checkpoint.Checkpoint) {
	t.Helper()
	return foldsOf(t, policy, chattest.Request(t, chattest.Body(msgs)), folds...)
}

// foldsOf is foldsAt for a request.
func foldsOf(
	t testing.TB, policy settings.Policy, r *view.Request, folds ...int,
) (*layout.View, *checkpoint.Checkpoint) {
	t.Helper()
	policy = policy.WithDefaults()
	v := layout.New(r, chattest.Counter{})
	v.Split()
	var cp *checkpoint.Checkpoint
	for _, to := range folds {
		window := settings.DefaultWindow
		if own, ok := settings.ForModel(policy.Windows, r.Model()); ok {
			window = own
		}
		h := history.New(v, cp, policy.Budget(window, 1, plan.Prices{}), policy)
		old, err := OldOf(h)
		if err != nil {
			t.Fatal(err)
		}
		k := NewKeeper(h, chattest.Counter{}, func([]byte) string { return "h" })
		form, d, err := Compose(h, old, to, k)
		if err == nil {
			err = verify(h, form, d, to)
		}
		if err == nil {
			err = d.Count(chattest.Counter{})
		}
		if err != nil {
			t.Fatalf("folding the first %d messages: %v", to, err)
		}
		form.Records = append(form.Records, d.Record)
		cp = form
	}
	return v, cp
}

// summaryOf is the summary of a form.
func summaryOf(t testing.TB, cp *checkpoint.Checkpoint) *summary.Summary {
	t.Helper()
	s, err := cp.Summary()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRecordsThatLackSomethingAreRefused(t *testing.T) {
	_, cp := foldsAt(t, settings.Policy{Target: 4000}, chattest.Session(1, 20), 20)
	good := string(cp.Records[0].Raw)
	if _, err := checkRecord([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]string{
		"torn":            good[:len(good)/2],
		"another role":    strings.Replace(good, `"user"`, `"assistant"`, 1),
		"no mark":         strings.Replace(good, summary.Mark, "[", 1),
		"section dropped": strings.ReplaceAll(good, `## `+summary.TitleState, `## State`),
	} {
		if _, err := checkRecord([]byte(bad)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
