package replay

import (
	"os"
	"strings"
	"testing"
)

// The scale is what requests grew by for each token of their new messages; what the first request
// had beside its messages are instructions and tools.
func TestSessionFilesHaveTheirUsage(t *testing.T) {
	file, err := os.ReadFile("sessions/testdata/claude.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	all, err := Read("f", strings.NewReader("\n"+string(file)))
	if err != nil || len(all) != 2 {
		t.Fatalf("%d conversations, %v", len(all), err)
	}
	c := all[0]
	c.FitUsage(say{})
	// Requests 2 and 3 grew by 115 tokens for 3 messages and by 29 for 2, each message 10 of ours.
	if c.Scale != 115.0/30 || c.Preamble != 910-int(c.Scale*20) || c.Usage.TTL != 3600 {
		t.Errorf("scale %v, preamble %d, ttl %d", c.Scale, c.Preamble, c.Usage.TTL)
	}
}

// Usage that cannot be right is not used.
func TestSessionFilesWithWrongTimes(t *testing.T) {
	file, err := os.ReadFile("sessions/testdata/codex.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"2026-03-01T10:02": "2025-03-01T10:02",
		`"cached_input_tokens":960`: `"cached_input_tokens":96000`} {
		all, err := Read("f", strings.NewReader(strings.ReplaceAll(string(file), from, to)))
		if err != nil || all[0].Usage != nil || len(all[0].Notes) != 3 {
			t.Errorf("%s: %+v, %v", to, all[0].Notes, err)
		}
	}
}

// What is no count is not read as another one, and the conversation is then that of the longest
// request, without branches.
func TestSessionFilesWithWrongCounts(t *testing.T) {
	file, err := os.ReadFile("sessions/testdata/claude.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	const right = `"cache_read_input_tokens":0`
	for _, count := range []string{"-1", "1e3", "1.5", "30000000",
		"99999999999999999999"} {
		wrong := strings.ReplaceAll(string(file), right, right[:len(right)-1]+count)
		all, err := Read("f", strings.NewReader(wrong))
		if err != nil {
			t.Fatal(err)
		}
		if c := all[0]; c.Usage != nil || len(c.Messages) >= 15 || len(c.Notes) != 2 {
			t.Errorf("%s: %d messages, %v", count, len(c.Messages), c.Notes)
		}
	}
}

// The file of a session that is given twice is billed once.
func TestASessionGivenTwice(t *testing.T) {
	for _, name := range []string{"claude", "codex", "codex-token-count"} {
		file, err := os.ReadFile("sessions/testdata/" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		var all []*Transcript
		for range 2 {
			read, err := Read("f", strings.NewReader(string(file)))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, read...)
		}
		if rest, copies := WithoutCopies(all); len(rest) != len(all)/2 || copies == 0 {
			t.Errorf("%s: %d of %d conversations, %d copies", name, len(rest), len(all), copies)
		}
	}
}

// A fork begins with a copy of the other session: its requests are billed once.
func TestCopiesInForks(t *testing.T) {
	file, err := os.ReadFile("sessions/testdata/claude.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	fork := strings.ReplaceAll(string(file), `"sessionId":"s-1"`, `"sessionId":"s-2"`)
	fork = strings.Replace(fork, `"uuid":"a7"`, `"uuid":"a8"`, 1) // the last reply is another
	var all []*Transcript
	for _, text := range []string{string(file), fork} {
		read, err := Read("f", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, read...)
	}
	rest, copies := WithoutCopies(all)
	if copies != 5 || len(rest) != 3 || rest[2].ID != "s-2" ||
		len(rest[2].Usage.Requests) != 1 || rest[2].Usage.Requests[0].Messages != 14 {
		t.Errorf("%d copies, %d conversations", copies, len(rest))
	}
}
