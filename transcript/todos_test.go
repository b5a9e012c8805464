package transcript

import (
	"fmt"
	"strings"
	"testing"
)

func TestTodos(t *testing.T) {
	type step struct{ tool, arguments, result string }
	for _, tc := range []struct {
		name  string
		steps []step
		want  string // id:status:text, joined by commas
	}{
		{"TodoWrite",
			[]step{{"TodoWrite",
				`{"todos":[{"content":"a","status":"completed","activeForm":"A"},{"content":"b",` +
					`"status":"in_progress"},{"content":"c","status":"pending"}]}`, ""}},
			":done:a,:in progress:b,:open:c"},
		{"TaskCreate and TaskUpdate", []step{
			{"TaskCreate", `{"subject":"a #7","description":"x"}`,
				"Task #1 created successfully: a #7"},
			{"TaskCreate", `{"subject":"b"}`, "Task #2 created successfully: b"},
			{"TaskCreate", `{"subject":"c"}`, "Task #3 created successfully: c"},
			{"TaskUpdate", `{"taskId":"1","status":"completed"}`, "Updated task #1 status"},
			{"TaskUpdate", `{"taskId":2,"status":"in_progress","subject":"B"}`,
				"Updated task #2 status, subject"},
			{"TaskUpdate", `{"taskId":"3","status":"deleted"}`, "Updated task #3 deleted"},
			{"TaskUpdate", `{"taskId":"9","status":"completed"}`, "Task #9 not found"},
			{"TaskUpdate", `{"taskId":"2","addBlockedBy":["1"]}`, "Updated task #2 blockedBy"},
		}, "1:done:a #7,2:in progress:B"},
		{"update_plan",
			[]step{{"update_plan",
				`{"plan":[{"step":"a","status":"completed"},{"step":"b","status":"pending"}]}`,
				"Plan updated"}}, ":done:a,:open:b"},
		{"todo_write",
			[]step{{"todo_write", `{"todos":[{"id":"x","content":"a","status":"pending"}]}`, ""}},
			"x:open:a"},
		{"todowrite that merges", []step{
			{"todowrite",
				`{"merge":false,"todos":[{"id":"1","content":"a","status":"pending"},{"id":"2",` +
					`"content":"b","status":"pending"}]}`, ""},
			{"todowrite",
				`{"merge":true,"todos":[{"id":"1","status":"completed"},{"id":"3","content":"c",` +
					`"status":"pending"}]}`, ""},
		}, "1:done:a,2:open:b,3:open:c"},
		{"todowrite that merges a removal", []step{
			{"todowrite",
				`{"merge":false,"todos":[{"id":"1","content":"a","status":"pending"},{"id":"2",` +
					`"content":"b","status":"pending"}]}`, ""},
			{"todowrite",
				`{"merge":true,"todos":[{"id":"1","status":"cancelled"},{"id":"9","content":"c",` +
					`"status":"cancelled"}]}`, ""},
		}, "2:open:b"},
		{"todowrite that replaces", []step{
			{"todowrite", `{"todos":[{"content":"a","status":"pending","priority":"high"}]}`, ""},
			{"todowrite",
				`{"todos":[{"content":"b","status":"cancelled"},{"content":"c",` +
					`"status":"completed"}]}`, ""},
		}, ":done:c"},
		{"manage_todo_list",
			[]step{{"manage_todo_list",
				`{"operation":"write","todoList":[{"id":1,"title":"a","status":"not-started"},` +
					`{"id":2,"title":"b","status":"completed"}]}`, ""}},
			"1:open:a,2:done:b"},
		{"write_todos",
			[]step{{"write_todos",
				`{"todos":[{"description":"a","status":"blocked"},{"description":"b",` +
					`"status":"in_progress"}]}`, ""}}, ":open:a,:in progress:b"},
		{"update_todo", []step{{"update_todo", `{"todos":"# Plan\n- [x] a\n- [ ] b\n"}`, ""}},
			":done:a,:open:b"},
		{"Checklist", []step{{"Checklist", `{"checklist":"- [X] a\n- [ ] b"}`, ""}},
			":done:a,:open:b"},
		{"Droid's", []step{{"TodoWrite", `{"todos":"1. [completed] a. [x] b\n2. [in_progress] c\n` +
			`3. [pending] d\n4. [urgent] e\n[completed] f"}`, ""}},
			":done:a. [x] b,:in progress:c,:open:d"},
		{"an array as a text",
			[]step{{"TodoWrite", `{"todos":"[{\"content\":\"a\",\"status\":\"pending\"}]"}`, ""}},
			":open:a"},
		{"a failed call",
			[]step{{"TodoWrite", `{"todos":[{"content":"a","status":"pending"}]}`,
				"<tool_use_error>bad</tool_use_error>"}}, ""},
		{"TodoList", []step{{"TodoList",
			`{"todos":[{"title":"a","status":"done"},{"title":"b","status":"pending"}]}`, ""}},
			":done:a,:open:b"},
		{"a status of something else",
			[]step{{"todo_write", `{"todos":[{"content":"a","status":"urgent"}]}`, ""}}, ""},
		{"a status that no known agent has",
			[]step{{"todo_write", `{"todos":[{"content":"a","status":"finished"}]}`, ""}}, ""},
		{"another tool", []step{{"create_ticket", `{"items":[{"title":"a","status":"open"}]}`, ""}},
			""},
	} {
		var todos Todos
		for _, s := range tc.steps {
			c := calling(t, s.tool, s.arguments, s.result)
			todos = todos.After(&c, s.result)
		}
		var got []string
		for _, todo := range todos {
			got = append(got, fmt.Sprintf("%s:%s:%s", todo.ID, todo.Status, todo.Text))
		}
		if strings.Join(got, ",") != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
