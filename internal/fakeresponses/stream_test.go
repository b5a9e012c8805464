package fakeresponses

import (
	"strings"
	"testing"
)

// event is one event of a stream.
type event struct {
	name string
	data Object
}

// eventsOf reads a stream, and fails on what clients would trip on.
func eventsOf(t *testing.T, g got) []event {
	t.Helper()
	if !strings.HasPrefix(g.header.Get("Content-Type"), "text/event-stream") {
		t.Fatalf("content type %q: %s", g.header.Get("Content-Type"), g.text)
	}
	var all []event
	for i, block := range strings.Split(strings.TrimSuffix(g.text, "\n\n"), "\n\n") {
		name, data, ok := strings.Cut(block, "\n")
		o, err := parseObject([]byte(strings.TrimPrefix(data, "data: ")))
		if !ok || err != nil || !strings.HasPrefix(name, "event: ") {
			t.Fatalf("event %q: %v", block, err)
		}
		name = strings.TrimPrefix(name, "event: ")
		if o.Text("type") != name || o.int("sequence_number") != i {
			t.Errorf("event %d: %s, want its name as its type, and its number", i, block)
		}
		all = append(all, event{name, o})
	}
	return all
}

// names are the names of events, with equal ones in a row named once.
func names(all []event) string {
	var short []string
	for _, e := range all {
		name := strings.TrimPrefix(e.name, "response.")
		if len(short) == 0 || short[len(short)-1] != name {
			short = append(short, name)
		}
	}
	return strings.Join(short, " ")
}

func TestStream(t *testing.T) {
	reply := Reply{Summary: "Über Dateien, und was darin steht.",
		Content: "Ich sehe nach, 東京 zuerst.",
		Calls: []Call{
			{ID: "a", Name: "read", Input: `{"path":"internal/ledger/posting.go"}`},
			{ID: "b", Type: "custom_tool_call", Name: "sql", Input: "select count(*) from t"},
			{ID: "c", Type: "shell_call", Commands: list("ls -l internal/ledger", "pwd")},
			{ID: "d", Type: "local_shell_call", Commands: list("ls", "-l")},
			{ID: "e", Type: "apply_patch_call", Operation: "update_file", Path: "a", Diff: "@@"},
		}}
	s := start(t, Config{Reply: func(*Request) Reply { return reply }})
	all := eventsOf(t, ask(t, s, with(list(user("x")), `"stream":true`)))
	const message = "content_part.added output_text.delta output_text.done content_part.done"
	want := strings.Join([]string{"created in_progress",
		"output_item.added reasoning_summary_part.added reasoning_summary_text.delta",
		"reasoning_summary_text.done reasoning_summary_part.done output_item.done",
		"output_item.added", message, "output_item.done",
		"output_item.added function_call_arguments.delta function_call_arguments.done",
		"output_item.done output_item.added custom_tool_call_input.delta",
		"custom_tool_call_input.done output_item.done",
		"output_item.added shell_call_command.added shell_call_command.delta",
		"shell_call_command.done shell_call_command.added shell_call_command.delta",
		"shell_call_command.done output_item.done",
		"output_item.added output_item.done output_item.added output_item.done completed"}, " ")
	if got := names(all); got != want {
		t.Errorf("events\n%s, want\n%s", got, want)
	}
	last := all[len(all)-1].data.Object("response")
	var items []Object
	deltas := map[string]string{}
	for _, e := range all {
		switch {
		case e.name == "response.output_item.added":
			begun := e.data.Object("item")
			if e.data.int("output_index") != len(items) {
				t.Errorf("item %v begins at %d, want %d", begun, e.data.int("output_index"),
					len(items))
			}
			if begun.Text("encrypted_content") != "" {
				if _, whole := open("", begun); whole {
					t.Error("the first event has the encrypted content whole")
				}
			}
		case e.name == "response.output_item.done":
			items = append(items, e.data.Object("item"))
		case strings.HasSuffix(e.name, ".delta"):
			deltas[e.name] += e.data.Text("delta")
		}
	}
	if got, want := strings.Join(encode(items...), "\n"),
		strings.Join(encode(last.Objects("output")...), "\n"); got != want {
		t.Errorf("items\n%s, want those of the last event\n%s", got, want)
	}
	for name, want := range map[string]string{"output_text": reply.Content,
		"reasoning_summary_text": reply.Summary, "function_call_arguments": reply.Calls[0].Input,
		"custom_tool_call_input": reply.Calls[1].Input,
		"shell_call_command":     "ls -l internal/ledgerpwd"} {
		if got := deltas["response."+name+".delta"]; got != want {
			t.Errorf("%s in pieces: %q, want %q", name, got, want)
		}
	}
	if _, ok := open("", items[0]); !ok || last.Text("status") != "completed" ||
		last.Object("usage").int("output_tokens") == 0 {
		t.Errorf("last event %v, want the encrypted content whole, completed, and usage", last)
	}
	if first := all[0].data.Object("response"); first.Text("status") != "in_progress" ||
		first.Has("usage") || len(first.Objects("output")) != 0 {
		t.Errorf("first event %v, want no output and no usage yet", first)
	}
	if strings.Contains(ask(t, s, with(list(user("x")), `"stream":true`)).text, "[DONE]") {
		t.Error("the stream ends with [DONE]")
	}
	// What it answers is accepted when a client sends it back.
	back := append(append(list(user("x")), encode(items...)...), result("a", "1"),
		`{"type":"custom_tool_call_output","call_id":"b","output":"2"}`,
		`{"type":"shell_call_output","call_id":"c","output":[]}`, result("d", "4"),
		`{"type":"apply_patch_call_output","call_id":"e","status":"completed"}`)
	accepted(t, s, with(back, `"store":false`))
}

func TestStreamEnds(t *testing.T) {
	for name, test := range map[string]struct {
		reply Reply
		want  string
	}{
		"completed": {Reply{Content: "x", NoReasoning: true},
			"created in_progress output_item.added content_part.added output_text.delta " +
				"output_text.done content_part.done output_item.done completed"},
		"incomplete": {Reply{Content: "x", NoReasoning: true, Incomplete: "max_output_tokens"},
			"created in_progress output_item.added content_part.added output_text.delta " +
				"output_text.done content_part.done output_item.done incomplete"},
	} {
		s := start(t, Config{Reply: func(*Request) Reply { return test.reply }})
		all := eventsOf(t, ask(t, s, with(list(user("x")), `"stream":true`)))
		if got := names(all); got != test.want {
			t.Errorf("%s: events %s, want %s", name, got, test.want)
		}
		last := all[len(all)-1].data
		response := last.Object("response")
		if test.reply.Incomplete != "" && (response.Object("incomplete_details").
			Text("reason") != test.reply.Incomplete || !response.Has("usage")) {
			t.Errorf("%s: %v, want the reason and the usage", name, last)
		}
	}
}

func TestStreamOfCompaction(t *testing.T) {
	s := start(t, Config{})
	all := eventsOf(t, ask(t, s, with(list(user("x"), `{"type":"compaction_trigger"}`),
		`"stream":true`)))
	if got, want := names(all), "created in_progress output_item.added compaction.compacting "+
		"output_item.done completed"; got != want {
		t.Errorf("events %s, want %s", got, want)
	}
}

func TestRepliesWithAStatus(t *testing.T) {
	status := start(t, Config{Reply: func(*Request) Reply { return Reply{Status: 503} }})
	if g := ask(t, status, with(list(user("x")), `"stream":true`)); g.status != 503 {
		t.Errorf("status %d, want 503", g.status)
	}
}
