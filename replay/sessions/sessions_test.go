package sessions

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"killick/rawjson"
)

var update = flag.Bool("update", false, "write the golden files")

// read reads lines, and nothing if the first is no line of an agent.
func read(file string) (all []*Conversation, unknown map[string]int, err error) {
	lines := bufio.NewScanner(strings.NewReader(file))
	var r *Reader
	for lines.Scan() {
		line := rawjson.Value(bytes.Clone(lines.Bytes()))
		if r == nil {
			if r = For(line); r == nil {
				return nil, nil, nil
			}
		}
		r.Add(line)
	}
	return r.Conversations()
}

// What the files in testdata hold, and each of their requests.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("no files")
	}
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all, unknown, err := read(string(file))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "unknown: %s\n", listed(unknown))
		for _, c := range all {
			fmt.Fprintf(&b, "\n%s: model %s, lasting %t, note %q\n", c.ID, c.Model, c.Lasting,
				c.Note)
			for i, m := range c.Messages {
				fmt.Fprintf(&b, "%3d %s\n", i, m)
			}
			for _, r := range c.Requests {
				fmt.Fprintf(&b, "before %d without %v: %s, %s to %s, read %d, written %d, fresh "+
					"%d, output %d\n", r.Messages, r.Skip, r.Model, r.Sent.Format("15:04:05.0"),
					r.Ended.Format("15:04:05.0"), r.Read, r.Written, r.Fresh, r.Output)
			}
		}
		golden := strings.TrimSuffix(name, "jsonl") + "golden"
		if *update {
			if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if b.String() != string(want) {
			t.Errorf("%s is read as\n%s\nwant\n%s", name, b.String(), want)
		}
	}
}

// What a request held is not guessed: the conversation is that of the longest request.
func TestWhatIsNotKnown(t *testing.T) {
	for _, test := range []struct{ file, from, to, want string }{
		{"claude", `"uuid":"u1"`, `"uuid":"u0"`, "lines are missing before some messages"},
		{"claude", `"uuid":"r3"`, `"uuid":"r0"`, "lines that a compaction kept are missing"},
		{"claude", `"preservedMessages":`, `"preservedSegment":`,
			"it was compacted, and the file does not say what was kept"},
		{"claude", `"compact_boundary"`, `"microcompact_boundary"`,
			"outputs were cleared, and the file does not say which requests lacked them"},
		{"claude", `{"type":"cost-state"`, `{"type":"content-replacement"`,
			"outputs were replaced, and the file does not say when"},
		{"claude", `{"type":"cost-state"`, `{"type":"fork-context-ref"`,
			"it continues another conversation, and does not hold its lines"},
		{"claude", `"usage":`, `"used":`, "no reply has the provider's token counts"},
		{"codex", `"replacement_history":`, `"replaced":`,
			"it was compacted, and the file does not say what was kept"},
		{"codex", `"id":"t-1"`, `"id":"t-1","forked_from_id":"t-0"`,
			"it continues another session, whose lines are not told from its own"},
		{"codex", `"id":"t-1"`, `"id":"t-1","subagent_history_start_ordinal":3`,
			"it continues another session, whose lines are not told from its own"},
		{"codex", `"type":"world_state"`, `"type":"inter_agent_communication"`,
			"it has messages of other agents or of speech, in a form that is not known"},
		{"codex", `"type":"task_started"`, `"type":"thread_rolled_back"`,
			"turns were taken back, and the file does not say which messages"},
		{"codex-token-count", `"turn_aborted"`, `"turn_ended"`,
			"there are more replies than token counts"},
	} {
		file, err := os.ReadFile("testdata/" + test.file + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		all, _, err := read(strings.ReplaceAll(string(file), test.from, test.to))
		if err != nil {
			t.Fatal(err)
		}
		c := all[0]
		if c.Note != test.want || len(c.Requests) > 0 || len(c.Messages) < 4 {
			t.Errorf("%s instead of %s: note %q, %d requests, %d messages; want %q", test.to,
				test.from, c.Note, len(c.Requests), len(c.Messages), test.want)
		}
	}
}

func TestOtherFiles(t *testing.T) {
	for _, line := range []string{`{"messages":[]}`, `{"type":"a","sessionId":"b","messages":[]}`,
		`{"type":"message","role":"user","content":""}`, `[]`, `{"id":"a","timestamp":"b"}`} {
		if For(rawjson.Value(line)) != nil {
			t.Errorf("%s: read as a line of an agent", line)
		}
	}
}

// A reply's lines have one message id, and one request's. A result may be between them: it is
// written as soon as its call has run.
func TestLinesOfAReply(t *testing.T) {
	file, err := os.ReadFile("testdata/claude.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string]*strings.Replacer{
		"ids that repeat": strings.NewReplacer(`"id":"m2"`, `"id":"m1"`, `"uuid":"a4"`,
			`"uuid":"a4","requestId":"req_2"`),
		"a result between": strings.NewReplacer(`{"parentUuid":"a2","isSidechain":false,`+
			`"type":"assistant"`, `{"parentUuid":"r1","isSidechain":false,"type":"assistant"`),
	} {
		all, _, err := read(edit.Replace(string(file)))
		if err != nil {
			t.Fatal(err)
		}
		c := all[0]
		if len(c.Requests) != 5 || c.Requests[1].Messages != 5 || len(c.Messages) != 15 ||
			c.Messages[3].Get("tool_call_id").Text() != "c1" {
			t.Errorf("%s: %d messages, requests %+v", name, len(c.Messages), c.Requests)
		}
	}
}

// An answer that was made again has the same messages before it, which are then in the list twice:
// what follows a request there is its answer. An answer to nothing is not known.
func TestOtherAnswers(t *testing.T) {
	file, err := os.ReadFile("testdata/claude.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	again := strings.NewReplacer(`"parentUuid":"u3"`, `"parentUuid":"x4"`, `"uuid":"u3"`,
		`"uuid":"x4"`, `{"parentUuid":"a4","isSidechain":false,"type":"user"`,
		`{"parentUuid":"u2","isSidechain":false,"type":"attachment"`).Replace(string(file))
	all, _, err := read(again)
	if err != nil || len(all[0].Requests) != 5 {
		t.Fatalf("%+v, %v", all[0], err)
	}
	c := all[0]
	if r := c.Requests[3]; r.Messages != 9 || len(r.Skip) != 1 || r.Skip[0] != [2]int{6, 8} ||
		c.Messages[8].Get("content").Text() != "Now remove the anchor" {
		t.Errorf("%+v", r)
	}
	all, _, err = read(strings.Replace(string(file), `"parentUuid":"x2"`, `"parentUuid":null`, 1))
	if err != nil || all[0].Note != missing {
		t.Errorf("%+v, %v", all[0], err)
	}
}

// Replies that were copied from another session were not billed again.
func TestACopiedReplyIsNoRequest(t *testing.T) {
	file, err := os.ReadFile("testdata/claude.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	const first = `"uuid":"a1",`
	all, _, err := read(strings.Replace(string(file), first,
		first+`"forkedFrom":{"sessionId":"s-0"},`, 1))
	if err != nil || len(all[0].Requests) != 4 || all[0].Requests[0].Messages != 5 {
		t.Errorf("%+v, %v", all[0].Requests, err)
	}
}

// A file that has no conversation is described by the types of its lines, not by their text.
func TestNothingToRead(t *testing.T) {
	_, _, err := read(`{"type":"summary","leafUuid":"a","summary":"secret"}` + "\n" +
		`{"type":"Secret Words","sessionId":"a"}`)
	const want = "a session file of Claude Code without an answer of a model; it has lines of " +
		"these types: 1 summary, 1 without a plain name; want the file of a session with turns"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
