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
)

var update = flag.Bool("update", false, "write what the tests got into the golden transcripts")

// Each transcript holds messages, one a line, with a line "---" wherever they
// are folded; then the record that comes of it, as a reader sees it, and the
// summary.
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

func foldTranscript(t *testing.T, transcript string) (record, summary string) {
	var msgs []string
	var folds []int
	for line := range strings.Lines(transcript) {
		if line = strings.TrimSpace(line); line == "---" {
			folds = append(folds, len(msgs))
		} else if line != "" {
			msgs = append(msgs, line)
		}
	}
	v := newView(parse(t, body(msgs)), byteCounter{})
	v.split()
	mk := pinner{count: byteCounter{}.Text, handle: func([]byte) string { return "h" }, maxTokens: 60}
	var s Summary
	var pins Pins
	from := 0
	for _, to := range folds {
		pins = pins.advance(v.msgs[from:to], mk)
		s = merge(s, extractTurns(v, from, to))
		s.Intent = intent(&pins)
		from = to
	}
	raw := renderRecord(from, &s, &pins, 4000, nil, nil)
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	if err := checkRecord(raw, &s, &pins, 4000, nil); err != nil {
		t.Error(err)
	}
	m, err := chat.ParseMessage(raw)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		t.Fatal(err)
	}
	return m.Text(), b.String()
}

func TestValidationNamesEveryFault(t *testing.T) {
	s := Summary{Intent: strings.Repeat("x", maxIntent+1), Completed: []string{"", strings.Repeat("y", maxEntry+1)}, Reads: make([]File, maxEntries+1)}
	err := s.Validate()
	if err == nil {
		t.Fatal("valid")
	}
	for _, want := range []string{"session_intent has 2001 bytes", "current_state is empty", "next_steps is empty", "completed[0] is empty", "completed[1] has 501 bytes", "files_read has 51 entries"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in %q", want, err)
		}
	}
}

func TestRecordsThatLackSomethingAreRefused(t *testing.T) {
	v := newView(parse(t, body(conversation(1, 20))), byteCounter{})
	v.split()
	mk := pinner{count: byteCounter{}.Text, maxTokens: 4000}
	to := v.foldable()
	pins := Pins{}.advance(v.msgs[:to], mk)
	s := merge(Summary{}, extractTurns(v, 0, to))
	s.Intent = intent(&pins)
	good := string(renderRecord(to, &s, &pins, 4000, nil, nil))
	if err := checkRecord([]byte(good), &s, &pins, 4000, nil); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]string{
		"torn":            good[:len(good)/2],
		"another role":    strings.Replace(good, `"user"`, `"assistant"`, 1),
		"no mark":         strings.Replace(good, recordMark, "[", 1),
		"task changed":    strings.ReplaceAll(good, "login", "logout"),
		"rule weakened":   strings.ReplaceAll(good, "Never touch", "Touch"),
		"section dropped": strings.ReplaceAll(good, "Files modified", "Files"),
	} {
		if err := checkRecord([]byte(bad), &s, &pins, 4000, nil); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestLongPinsKeepHeadAndTail(t *testing.T) {
	text := "HEAD " + strings.Repeat(`word \ud83d\ude00 "quoted" `, 400) + " TAIL"
	mk := pinner{count: byteCounter{}.Text, handle: func([]byte) string { return "abc123" }, maxTokens: 100}
	p := mk.pin(said(t, chat.User, text))
	got := p.text()
	if !strings.HasPrefix(got, "HEAD ") || !strings.HasSuffix(got, " TAIL") || !strings.Contains(got, "ref=abc123") {
		t.Errorf("%q", got)
	}
	if n := (byteCounter{}).Text(got); n > 130 {
		t.Errorf("%d tokens, want about 100", n)
	}
	short := mk.pin(message(t, `{"role":"user","content":"lone \ud83d and \u00e9"}`))
	if string(short.Body) != `lone \ud83d and \u00e9` {
		t.Errorf("a short pin was spelled anew: %s", short.Body)
	}
}

func TestPlaceholders(t *testing.T) {
	c := newCall(chat.ToolCall{Name: "Read", Arguments: chat.Value(`"{\"file_path\":\"src/auth.go\"}"`)}, 0)
	output := strings.Repeat("line of no interest\n", 60) + "src/auth.go calls VerifyToken in internal/token/verify.go, see https://example.com/rfc and commit 4f9c2e1a\n"
	got := placeholder(output, 1234, &c, "k7q2")
	want := "[Output masked to save context: 1,234 tokens from Read(src/auth.go). Repeat the call if its content is needed. ref=k7q2 " +
		"It named: VerifyToken, internal/token/verify.go, https://example.com/rfc, 4f9c2e1a]"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	c.failed = true
	if got := placeholder("Error: x", 200, &c, ""); !strings.Contains(got, "reported an error") || strings.Contains(got, "ref=") {
		t.Error(got)
	}
	parts := message(t, `{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"a"},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}]}`)
	if got := string(masked(parts, "M")); got != `{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"M","cache_control":{"type":"ephemeral"}}]}` {
		t.Error(got)
	}
}
