package scripted

import (
	"slices"
	"testing"

	"killick/internal/agents/programs"
)

func TestAsksOfBothFormats(t *testing.T) {
	for name, c := range map[string]struct{ format, body string }{
		"messages": {programs.FormatMessages, `{"model":"m","tools":[
			{"name":"Read"},{"name":"Edit"}],
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
		"responses": {programs.FormatResponses, `{"model":"m","input":[
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
			if a.part != 2 || a.Last != 5 || a.OwnCompaction || len(a.Items) < 7 {
				t.Errorf("part %d, turn %d, own compaction %v, %d items; want 2, 5, false, 7",
					a.part, a.Last, a.OwnCompaction, len(a.Items))
			}
			if !slices.Contains(a.Tools, "Read") || !slices.Contains(a.Tools, "Edit") {
				t.Errorf("tools %q, want Read and Edit among them", a.Tools)
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
		{programs.FormatMessages, `{"messages":[{"role":"user","content":[{"type":"tool_result",
			"tool_use_id":"t","content":"x"},{"type":"text",
			"text":"Your task is to create a detailed summary of this conversation."}]}]}`, true},
		{programs.FormatMessages, `{"messages":[{"role":"user","content":"Your task is to create ` +
			`a detailed summary of it"},{"role":"assistant","content":"Done."},{"role":"user",` +
			`"content":"Go on."}]}`, false},
		{programs.FormatResponses, `{"input":[{"role":"user","content":"x"},
			{"type":"compaction_trigger"}]}`, true},
		{programs.FormatResponses,
			`{"input":"You are performing a CONTEXT CHECKPOINT COMPACTION"}`, false},
	} {
		a, err := readAsk(c.format, []byte(c.body))
		if err != nil || a.OwnCompaction != c.want {
			t.Errorf("%s: own compaction %v, %v; want %v", c.body, a.OwnCompaction, err, c.want)
		}
	}
}

// A mark that moves on changes nothing; a text that changes does.
func TestConversationsThatGoOn(t *testing.T) {
	marked := withoutMarks([]byte(`{"role":"user","content":[{"type":"text","text":"a",` +
		`"cache_control":{"type":"ephemeral","ttl":"1h"}}]}`))
	plain := withoutMarks([]byte(`{"role":"user","content":[{"type":"text","text":"a"}]}`))
	if !(Ask{Items: []string{plain, "b"}}).Continues(Ask{Items: []string{marked}}) {
		t.Errorf("%s is not continued by %s", marked, plain)
	}
	for _, now := range [][]string{{"b"}, {}, {"b", marked}} {
		if (Ask{Items: now}).Continues(Ask{Items: []string{marked}}) {
			t.Errorf("%s is continued by %s", marked, now)
		}
	}
}

func TestTurnsAreReadFromIDs(t *testing.T) {
	for id, want := range map[string]int{idOf("toolu", 17, 1): 17,
		"fc_" + idOf("call", 120, 0): 120, "call_other": 0, "": 0} {
		if got := turnOf(id); got != want {
			t.Errorf("turnOf(%q) = %d, want %d", id, got, want)
		}
	}
}
