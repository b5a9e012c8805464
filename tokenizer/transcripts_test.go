package tokenizer

import (
	"bufio"
	"os"
	"path/filepath"
	"testing"

	"killick/chat"
)

// dataFolder finds the transcripts that are kept beside the repository; the test
// is skipped where they are not.
func dataFolder(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("KILLICK_DATA"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		data := filepath.Join(filepath.Dir(dir), "shared", "data")
		if _, err := os.Stat(data); err == nil {
			return data
		}
	}
	t.Skip("no transcripts: set KILLICK_DATA to a folder of .jsonl files to run this test")
	return ""
}

// TestTranscripts compares every text and every tool call of real conversations
// with the reference, as it stands on the wire and decoded.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(dataFolder(t), "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Skipf("no transcripts in %s: %v", dataFolder(t), err)
	}
	e, ref := mustLoad(o200kBase), reference(t, o200kBase)
	texts, at := 0, 0
	check := func(v chat.Value) {
		if at++; at%slower != 0 || v.Kind() != chat.String || len(v) > 64<<10 {
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
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			req, err := chat.Parse(lines.Bytes())
			if err != nil {
				continue // the list of facts has no messages
			}
			msgs := req.Messages()
			for i := range msgs {
				for part := range msgs[i].Parts() {
					check(part.Text)
				}
				for _, call := range msgs[i].ToolCalls() {
					check(call.Arguments)
				}
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatalf("reading %s: %v", name, err)
		}
	}
	if texts == 0 {
		t.Error("the transcripts hold no texts")
	}
	t.Logf("%d texts", texts)
}
