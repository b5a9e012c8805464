package transcript

import (
	"encoding/json"
	"slices"
	"testing"

	"killick/internal/chattest"
	"killick/rawjson"
	"killick/view"
)

// The lines that an edit must quote are the same however the edit is written.
func TestLinesOfEdits(t *testing.T) {
	const begin = "*** Begin Patch\n*** Update File: a.go\n@@ func a() {\n kept\n-gone\n+come\n" +
		"*** End Patch"
	const diff = "--- a/a.go\n+++ b/a.go\n@@ -1,2 +1,2 @@\n kept\n-gone\n+come\n" +
		"--- a/b.go\n+++ b/b.go\n@@ -1 +1 @@\n-- gone\n"
	literal, err := json.Marshal(begin)
	if err != nil {
		t.Fatal(err)
	}
	patched := []string{"=kept", "=gone", "come"}
	for name, c := range map[string]struct {
		tool string
		args map[string]any
		want []string
	}{
		"replaced text": {"Edit", map[string]any{"new_string": "come", "old_string": "kept\ngone"},
			[]string{"come", "=kept", "=gone"}},
		"several": {"MultiEdit", map[string]any{"edits": []any{map[string]any{"old_text": "gone"}}},
			[]string{"=gone"}},
		"a patch": {"apply_patch", map[string]any{"input": begin}, patched},
		"a patch in a command": {"exec_command",
			map[string]any{"cmd": "apply_patch <<'EOF'\n" + begin + "\nEOF"},
			slices.Concat([]string{"apply_patch <<'EOF'"}, patched, []string{"EOF"})},
		"a patch in a program": {"exec", map[string]any{
			"input": "await tools.apply_patch(" + string(literal) + ")"}, patched},
		"a diff": {"apply_diff", map[string]any{"diff": diff},
			slices.Concat(patched, []string{"=- gone"})},
		"a new file": {"apply_patch", map[string]any{
			"input": "*** Begin Patch\n*** Add File: a.go\n+come\n*** End Patch"},
			[]string{"come"}},
		"a command": {"Bash", map[string]any{"command": "a\nb", "timeout": 5}, []string{"a", "b"}},
	} {
		raw, err := json.Marshal(c.args)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		call := NewCall(view.ToolCall{Name: c.tool, Arguments: rawjson.Value(raw)}, 0)
		call.EachLine(func(line string, quoted bool) {
			if quoted {
				line = "=" + line
			}
			if line != "" {
				got = append(got, line)
			}
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: lines %q, want %q", name, got, c.want)
		}
	}
}

// deepagents cuts long arguments of older calls: what is left is no content of a file.
func TestContentsThatWereCut(t *testing.T) {
	const begin = "package a\n\nimport \"f"
	for _, args := range []string{
		chattest.Object("file_path", "/a.go", "content", begin+"...(argument truncated)"),
		chattest.Object("file_path", "/a.go", "content",
			"// 12345678901234 \U0001F600...(argument truncated)"),
	} {
		c := calling(t, "write_file", args, "x")
		if got := c.Contents(); got != nil {
			t.Errorf("%s: %+v", args, got)
		}
	}
	const whole = "It ends with ...(argument truncated)"
	c := calling(t, "edit_file", chattest.Object("file_path", "/a.go", "old_string",
		begin+"...(argument truncated)", "new_string", whole), "x")
	if got := c.Contents(); len(got) != 1 || got[0].Text != whole || got[0].Old != "" {
		t.Errorf("an edit: %+v", got)
	}
}
