package compactor

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
	"killick/compactor/fold"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/compactor/mask"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/summary"
	"killick/transcript"
)

var update = flag.Bool("update", false, "write what the tests got into the golden transcripts")

// Each transcript holds messages, one a line, with a line "---" wherever they
// are folded; then what is sent in their place, as a reader sees it, and the summary.
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
			record, summary := foldTranscript(t, string(archive.Files[0].Data))
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
func foldTranscript(t *testing.T, lines string) (record, summary string) {
	var msgs []string
	var folds []int
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line == "---" {
			folds = append(folds, len(msgs))
		} else if line != "" {
			msgs = append(msgs, line)
		}
	}
	v, cp := foldsAt(
		t,
		settings.Policy{Target: 4000, IndexTokens: 200, Covers: true},
		msgs,
		folds...)
	var b strings.Builder
	for _, m := range checkpoint.Replace(v, cp).Messages {
		if m.Raw == nil {
			b.WriteString("[as it came] " + v.Messages[m.Index].Text() + "\n\n")
		} else {
			b.WriteString(chattest.Message(t, string(m.Raw)).Text() + "\n")
		}
	}
	var stored strings.Builder
	enc := json.NewEncoder(&stored)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(cp.Summary); err != nil {
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
	policy = policy.WithDefaults()
	v := layout.New(parse(t, body(msgs)), byteCounter{})
	v.Split()
	var cp *checkpoint.Checkpoint
	for _, to := range folds {
		f := history.New(v, cp, policy.Budget(settings.DefaultWindow, 1), policy)
		old, k := fold.Old(f), fold.NewKeeper(f, byteCounter{}, func([]byte) string { return "h" })
		form, d, err := fold.Compose(f, &old, to, k)
		if err == nil {
			err = fold.Verify(f, form, d, to)
		}
		if err == nil {
			err = d.Count(byteCounter{})
		}
		if err != nil {
			t.Fatalf("folding the first %d messages: %v", to, err)
		}
		form.Records = append(form.Records, d.Record)
		cp = form
	}
	return v, cp
}

func TestRecordsThatLackSomethingAreRefused(t *testing.T) {
	_, cp := foldsAt(t, settings.Policy{Target: 4000}, session(1, 20), 20)
	good := string(cp.Records[0].Raw)
	if err := fold.CheckRecord([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]string{
		"torn":            good[:len(good)/2],
		"another role":    strings.Replace(good, `"user"`, `"assistant"`, 1),
		"no mark":         strings.Replace(good, summary.Mark, "[", 1),
		"section dropped": strings.ReplaceAll(good, `## `+summary.TitleState, `## State`),
	} {
		if err := fold.CheckRecord([]byte(bad)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestPlaceholders(t *testing.T) {
	c := transcript.NewCall(
		chat.ToolCall{Name: "Read", Arguments: chat.Value(`"{\"file_path\":\"src/auth.go\"}"`)},
		0,
	)
	output := strings.Repeat(
		"line of no interest\n",
		60,
	) + "src/auth.go calls VerifyToken in internal/token/verify.go, see https://example.com/rfc and commit 4f9c2e1a\n"
	got := mask.Placeholder(output, 1234, &c, "k7q2")
	want := "[Output masked to save context: 1,234 tokens from Read(src/auth.go). Repeat the call if its content is needed. ref=k7q2 " +
		"It named: VerifyToken, internal/token/verify.go, https://example.com/rfc, 4f9c2e1a]"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	c.Status = transcript.Failed
	if got := mask.Placeholder("Error: x", 200, &c, ""); !strings.Contains(
		got,
		"reported an error",
	) ||
		strings.Contains(got, "ref=") {
		t.Error(got)
	}
	c.Status = transcript.Refused
	if got := mask.Placeholder("The user doesn't want this.", 200, &c, ""); !strings.Contains(
		got,
		"not let run",
	) ||
		strings.Contains(got, "error") {
		t.Error(got)
	}
	parts := chattest.Message(
		t,
		`{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"a"},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}]}`,
	)
	if got := string(checkpoint.Masked(parts, "M")); got != `{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"M","cache_control":{"type":"ephemeral"}}]}` {
		t.Error(got)
	}
}
