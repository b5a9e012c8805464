package compactor

import (
	"slices"
	"testing"

	"killick/chat"
)

func todoCall(id, name, args string) string {
	return `{"role":"assistant","content":null,"tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"` + name +
		`","arguments":` + string(chat.AppendQuoted(nil, args)) + `}}]}`
}

func TestTodos(t *testing.T) {
	for _, c := range []struct {
		name, tool, args string
		done, next       []string
	}{
		{"Claude Code", "TodoWrite", `{"todos":[{"content":"Write tests","status":"pending","activeForm":"Writing tests"},{"content":"Fix login","status":"in_progress","activeForm":"Fixing login"},{"content":"Read code","status":"completed","activeForm":"Reading code"}]}`,
			[]string{"Read code"}, []string{"Fix login", "Write tests"}},
		{"Codex", "update_plan", `{"explanation":"x","plan":[{"step":"Read code","status":"completed"},{"step":"Fix login","status":"in_progress"},{"step":"Ship","status":"pending"}]}`,
			[]string{"Read code"}, []string{"Fix login", "Ship"}},
		{"opencode", "todowrite", `{"todos":[{"id":"1","content":"Fix login","status":"cancelled","priority":"high"},{"id":"2","content":"Ship","status":"pending","priority":"low"}]}`,
			nil, []string{"Ship"}},
		{"titles and booleans", "manage_todo_list", `{"items":[{"title":"Read code","completed":true},{"title":"Ship","completed":false}]}`,
			[]string{"Read code"}, []string{"Ship"}},
		{"a list as text", "write_todos", `{"todos":"[{\"content\":\"Ship\",\"status\":\"todo\"}]"}`, nil, []string{"Ship"}},
		{"all done", "TodoWrite", `{"todos":[{"content":"Read code","status":"completed"}]}`,
			[]string{"Read code"}, []string{"Go on from the current state with the latest request."}},
		{"no list of todos", "create_task", `{"tasks":[{"title":"x"}]}`, nil, []string{"Go on from the current state with the latest request."}},
		{"another tool", "search", `{"items":[{"title":"x","status":"done"}]}`, nil, []string{"Go on from the current state with the latest request."}},
		{"no JSON", "TodoWrite", `{"todos":[{"content":`, nil, []string{"Go on from the current state with the latest request."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := newView(parse(t, body([]string{`{"role":"user","content":"Go."}`, todoCall("a", c.tool, c.args), `{"role":"tool","tool_call_id":"a","content":"ok"}`})), byteCounter{})
			v.split()
			s := merge(Summary{}, extractTurns(v, 0, len(v.msgs)))
			if !slices.Equal(s.Completed, c.done) {
				t.Errorf("completed %q, want %q", s.Completed, c.done)
			}
			if !slices.Equal(s.Next, c.next) {
				t.Errorf("next %q, want %q", s.Next, c.next)
			}
		})
	}
}

// The latest list counts, in whichever of the folds it stood.
func TestLatestTodosCount(t *testing.T) {
	fold := func(old Summary, msgs ...string) Summary {
		v := newView(parse(t, body(msgs)), byteCounter{})
		v.split()
		return merge(old, extractTurns(v, 0, len(v.msgs)))
	}
	const answer = `{"role":"tool","tool_call_id":"a","content":"ok"}`
	s := fold(Summary{},
		todoCall("a", "TodoWrite", `{"todos":[{"content":"A","status":"in_progress"},{"content":"B","status":"pending"}]}`), answer,
		todoCall("a", "TodoWrite", `{"todos":[{"content":"Aa","status":"completed"},{"content":"Bb","status":"in_progress"}]}`), answer)
	if !slices.Equal(s.Completed, []string{"Aa"}) || !slices.Equal(s.Next, []string{"Bb"}) {
		t.Fatalf("completed %q, next %q", s.Completed, s.Next)
	}
	s = fold(s, `{"role":"assistant","content":"Next I will look at the parser of the tests."}`)
	if want := []string{"Bb", "Next I will look at the parser of the tests."}; !slices.Equal(s.Next, want) {
		t.Errorf("without a newer list: next %q, want %q", s.Next, want)
	}
	s = fold(s, todoCall("a", "TodoWrite", `{"todos":[{"content":"Bb","status":"completed"},{"content":"Cc","status":"pending"}]}`), answer)
	if !slices.Equal(s.Completed, []string{"Bb", "Aa"}) || !slices.Equal(s.Next, []string{"Cc"}) {
		t.Errorf("with a newer list: completed %q, next %q", s.Completed, s.Next)
	}
}
