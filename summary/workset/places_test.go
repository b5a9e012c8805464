package workset

import (
	"slices"
	"strings"
	"testing"
)

// Lines of a file in a container or on another host are shown under the call that read them, and
// not mixed up with those of a file that has the same path here.
func TestLinesOfOtherPlaces(t *testing.T) {
	const pooled, local = "pool: {max: 10, idle: 30s}", "pool: {max: 99, idle: 99s}"
	const file = "/app/config/db.yaml"
	exec := func(c *talk, pod, command, result string) *talk {
		return c.made("mcp__kubernetes__pods_exec",
			`{"pod":"`+pod+`","command":["sh","-c","`+command+`"]}`, result)
	}
	cat := func(pod string) *talk { return exec(new(talk), pod, "cat "+file, pooled) }
	const title = "mcp__kubernetes__pods_exec(cat /app/config/db.yaml, pod=blue)"
	const touched = ", before message 3, which may have changed the file"
	for name, c := range map[string]struct {
		talk *talk
		want []string
	}{
		"alone": {cat("blue"), []string{title + " message 1, from line 1: " + pooled}},
		"read here too": {cat("blue").call("read", local, "path", file), []string{
			file + " message 3, from line 1: " + local,
			title + " message 1, from line 1: " + pooled}},
		"edited here": {cat("blue").call("edit", "done", "path", "config/db.yaml", "old", pooled,
			"new", local), []string{"config/db.yaml written in message 3: " + local,
			title + " message 1, from line 1: " + pooled}},
		"deleted here": {cat("blue").call("bash", "", "command", "rm "+file),
			[]string{title + " message 1, from line 1: " + pooled}},
		"edited there": {exec(cat("blue"), "blue", "sed -i s/10/25/ "+file, ""),
			[]string{title + " message 1, from line 1" + touched + ": " + pooled}},
		"read again there": {exec(cat("blue"), "blue", "cat -n "+file, "     1\t"+pooled),
			[]string{strings.Replace(title, "cat", "cat -n", 1) + " message 3, from line 1: " +
				pooled}},
		"edited in another": {exec(cat("blue"), "green", "sed -i s/10/25/ "+file, ""),
			[]string{title + " message 1, from line 1: " + pooled}},
		"deleted there, read here": {exec(new(talk).call("read", local, "path", file), "blue",
			"rm "+file, ""), []string{file + " message 1, from line 1" + touched + ": " + local}},
		"all changed there": {exec(new(talk).call("read", local, "path", file), "blue",
			"git checkout main", ""), []string{file + " message 1, from line 1: " + local}},
		"here, in the background": {new(talk).made("run_terminal_cmd", `{"is_background":false,`+
			`"Cwd":"/app","command":"cat `+file+`"}`, pooled),
			[]string{file + " message 1, from line 1: " + pooled}},
		"by a known tool": {new(talk).made("mcp__ssh__run_command", `{"host":"node-3",`+
			`"command":"cat `+file+`"}`, pooled).call("read", local, "path", file), []string{
			file + " message 3, from line 1: " + local,
			"mcp__ssh__run_command(cat " + file + ", host=node-3) message 1, from line 1: " +
				pooled}},
	} {
		for _, folds := range [][]int{nil, {2}} {
			var got []string
			for _, b := range c.talk.pool(t, folds...).Blocks {
				got = append(got, b.title()+" "+strings.Replace(b.label(), ":", ": ", 1)+
					strings.Join(b.Lines, "; "))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s, folds at %v:\n%q, want\n%q", name, folds, got, c.want)
			}
		}
	}
}
