package probe

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"killick/chat"
)

// transcripts reads the conversations of the data folder, which is no part of the repository.
func transcripts(t *testing.T) map[string][]chat.Message {
	t.Helper()
	dir := os.Getenv("KILLICK_DATA")
	for up := "."; dir == "" && len(up) < 40; up += "/.." {
		if _, err := os.Stat(filepath.Join(up, "shared", "data")); err == nil {
			dir = filepath.Join(up, "shared", "data")
		}
	}
	if dir == "" {
		t.Skip("no shared/data folder beside the repository and no KILLICK_DATA: real transcripts not read")
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]chat.Message{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			var conversation struct {
				ID       string            `json:"id"`
				Messages []json.RawMessage `json:"messages"`
			}
			if err := json.Unmarshal(line, &conversation); err != nil {
				t.Fatal(err)
			}
			var msgs []chat.Message
			for _, raw := range conversation.Messages {
				m, err := chat.ParseMessage(raw)
				if err != nil {
					t.Fatal(err)
				}
				msgs = append(msgs, m)
			}
			if len(msgs) > 0 {
				out[conversation.ID] = msgs
			}
		}
	}
	return out
}

// A record that forgot nothing passes every question, however the transcript contradicts itself on its way.
func TestRealTranscripts(t *testing.T) {
	asked := 0
	for id, msgs := range transcripts(t) {
		for _, part := range []int{len(msgs) / 2, len(msgs)} {
			questions := slices.DeleteFunc(Draw(msgs[:part], Config{}), func(q Question) bool {
				return q.Kind == Outcome // told by results, not by what was said
			})
			asked += len(questions)
			r := Ask(questions, prose(msgs[:part]), Config{})
			if r.Verdict != Pass || r.Score < 0.9 {
				t.Errorf("%s, %d messages: %s with %.2f\n%s", id, part, r.Verdict, r.Score, failed(r))
			}
		}
	}
	t.Logf("%d questions asked", asked)
}
