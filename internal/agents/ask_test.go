package main

import (
	"slices"
	"testing"
)

func TestAsksOfBothFormats(t *testing.T) {
	for name, c := range map[string]struct{ format, body string }{
		"messages": {formatMessages, `{"model":"m","tools":[{"name":"Read"},{"name":"Edit"}],
			"messages":[
			{"role":"user","content":[{"type":"text","text":"<system-reminder>x</system-reminder>"},
				{"type":"text","text":"Part 1 of 3: begin"}]},
			{"role":"assistant","content":[{"type":"tool_use","id":"toolu_t0004n0","name":"Read",
				"input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_t0004n0",
				"content":"old"}]},
			{"role":"assistant","content":"Done."},
			{"role":"user","content":"Part 2 of 3: go on"},
			{"role":"assistant","content":[{"type":"tool_use","id":"toolu_t0005n0","name":"Read",
				"input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_t0005n0",
				"content":[{"type":"text","text":"new"}],
				"cache_control":{"type":"ephemeral"}}]}]}`},
		"responses": {formatResponses, `{"model":"m","input":[
			{"type":"additional_tools","tools":[{"type":"namespace","name":"functions",
				"tools":[{"name":"Read"},{"name":"Edit"}]}]},
			{"role":"user","content":"Part 1 of 3: begin"},
			{"type":"function_call","call_id":"call_t0004n0","name":"Read","arguments":"{}"},
			{"type":"function_call_output","call_id":"call_t0004n0","output":"old"},
			{"type":"message","role":"user","content":[{"type":"input_text",
				"text":"Part 2 of 3: go on"}]},
			{"type":"custom_tool_call","call_id":"call_t0005n0","name":"Read","input":""},
			{"type":"custom_tool_call_output","call_id":"call_t0005n0",
				"output":[{"type":"input_text","text":"new"}]}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := readAsk(c.format, []byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			if a.part != 2 || a.last != 5 || a.ownCompaction || len(a.items) < 7 {
				t.Errorf("part %d, turn %d, own compaction %v, %d items; want 2, 5, false, 7",
					a.part, a.last, a.ownCompaction, len(a.items))
			}
			if !slices.Contains(a.tools, "Read") || !slices.Contains(a.tools, "Edit") {
				t.Errorf("tools %q, want Read and Edit among them", a.tools)
			}
			if len(a.results) != 1 {
				t.Fatalf("newest results %q, want that of turn 5 alone", a.results)
			}
			for id, text := range a.results {
				if turnOf(id) != 5 || text != "new" {
					t.Errorf("result %q of %s, want new of turn 5", text, id)
				}
			}
		})
	}
}

func TestOwnCompactionsAreSeen(t *testing.T) {
	for _, c := range []struct {
		format, body string
		want         bool
	}{
		{formatMessages, `{"messages":[{"role":"user","content":[{"type":"tool_result",
			"tool_use_id":"t","content":"x"},{"type":"text",
			"text":"Your task is to create a detailed summary of this conversation."}]}]}`, true},
		{formatMessages, `{"messages":[{"role":"user","content":"Your task is to create a ` +
			`detailed summary of it"},{"role":"assistant","content":"Done."},{"role":"user",` +
			`"content":"Go on."}]}`, false},
		{formatResponses, `{"input":[{"role":"user","content":"x"},{"type":"compaction_trigger"}]}`,
			true},
		{formatResponses, `{"input":"You are performing a CONTEXT CHECKPOINT COMPACTION"}`, false},
	} {
		a, err := readAsk(c.format, []byte(c.body))
		if err != nil || a.ownCompaction != c.want {
			t.Errorf("%s: own compaction %v, %v; want %v", c.body, a.ownCompaction, err, c.want)
		}
	}
}

// A mark that moves on changes nothing; a text that changes does.
func TestConversationsThatGoOn(t *testing.T) {
	marked := withoutMarks([]byte(`{"role":"user","content":[{"type":"text","text":"a",` +
		`"cache_control":{"type":"ephemeral","ttl":"1h"}}]}`))
	plain := withoutMarks([]byte(`{"role":"user","content":[{"type":"text","text":"a"}]}`))
	if !continues([]string{marked}, []string{plain, "b"}) {
		t.Errorf("%s is not continued by %s", marked, plain)
	}
	for _, now := range [][]string{{"b"}, {}, {"b", marked}} {
		if continues([]string{marked}, now) {
			t.Errorf("%s is continued by %s", marked, now)
		}
	}
}
