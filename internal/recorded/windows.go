package recorded

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// absolutePath is an absolute path of one of the folders that people and agents work in.
var absolutePath = regexp.MustCompile(`(^|[^\w./:])(/(?:Users|home|private|tmp|workspace|repo)` +
	`(?:/[\w.@+-]+)+)`)

// OnWindows returns the conversation with paths of Windows in place of absolute ones. ok is false
// if a call holds a program of JavaScript, in which they would be spelled in another way.
func (c *Conversation) OnWindows(t testing.TB) (changed Conversation, ok bool) {
	t.Helper()
	changed = Conversation{ID: c.ID + " on Windows", Tools: c.Tools}
	for _, raw := range c.Messages {
		var m map[string]any
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		calls, _ := m["tool_calls"].([]any)
		for _, call := range calls {
			of, _ := call.(map[string]any)["function"].(map[string]any)
			arguments, _ := of["arguments"].(string)
			var decoded any
			if of["name"] == "exec" || json.Unmarshal([]byte(arguments), &decoded) != nil {
				return Conversation{}, false
			}
			of["arguments"] = string(encoded(t, onWindows(decoded)))
		}
		m["content"] = onWindows(m["content"])
		changed.Messages = append(changed.Messages, encoded(t, m))
	}
	return changed, true
}

// onWindows changes all strings of a decoded value.
func onWindows(v any) any {
	switch v := v.(type) {
	case string:
		return absolutePath.ReplaceAllStringFunc(v, func(path string) string {
			before, path, _ := strings.Cut(path, "/")
			return before + `C:\` + strings.ReplaceAll(path, "/", `\`)
		})
	case []any:
		for i := range v {
			v[i] = onWindows(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = onWindows(v[key])
		}
	}
	return v
}

func encoded(t testing.TB, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(b.Bytes())
}
