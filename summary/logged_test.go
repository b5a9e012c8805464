package summary

import (
	"strings"
	"testing"
)

// Of logs that went well, the last line is shown that states an error by its structure.
func TestErrorsOfLogsAreShown(t *testing.T) {
	const failed = `{"level":"error","msg":"no room in oven 7"}`
	log := `{"level":"info","msg":"started"}` + "\n" + failed + "\n" +
		`{"level":"info","msg":"error handler ready"}`
	for _, c := range []struct {
		name string
		call []string
		want string // "" for none
	}{
		{"a command that only shows", call("Bash", `{"command":"tail -n 3 app.log"}`, log),
			"Bash(tail -n 3 app.log); last line of level error or worse: " + failed},
		{"another command", call("Bash", `{"command":"docker logs web"}`, log),
			"Bash(docker logs web); last line of level error or worse: " + failed},
		{"a tool", call("get_logs", `{"pod":"web"}`, log),
			"get_logs(web); last line of level error or worse: " + failed},
		{"a log of plain text", call("Bash", `{"command":"tail -n 40 app.log"}`,
			strings.Repeat("03:04:05 INFO ready\n", 20)+"03:04:05 ERROR no room\n"),
			"Bash(tail -n 40 app.log); last line of level error or worse: 03:04:05 ERROR no room"},
		{"a file that quotes lines of logs", call("Bash", `{"command":"cat logs.md"}`,
			"# Logs\n\nlevel=error msg=x\n"+strings.Repeat("Lines.\n", 20)), "Bash(cat logs.md)\n"},
		{"a diff of a log", call("Bash", `{"command":"git show HEAD -- a.log"}`,
			"commit 1a2b3c4\n\n level=error msg=x\n"+strings.Repeat("+level=info msg=y\n", 20)),
			"Bash(git show HEAD -- a.log)\n"},
		{"objects that are no lines of a log", call("Bash", `{"command":"jq -c .[] tickets.json"}`,
			strings.Repeat(`{"id":7,"severity":"critical","title":"no room"}`+"\n", 20)),
			"Bash(jq -c .[] tickets.json)\n"},
		{"words alone", call("Bash", `{"command":"docker logs web"}`, "ERROR: no room\n"+
			strings.Repeat("ready\n", 40)), "Bash(docker logs web)\n"},
		{"an object that a tool returned", call("get_alert", `{"id":"A"}`,
			`{"severity":"critical","room":7}`), "get_alert(A) → severity: critical; room: 7"},
		{"a command that failed", run("make", "2", log), "it returned: " +
			`{"level":"info","msg":"started"} ` + failed},
	} {
		src := sourceOf(t, talk(user("Mend the oven."), c.call, assistant("Looking.")))
		sum := Read(src, src.Calls, 0, len(src.Messages), &Summary{})
		record := sum.Render(Room{Summary: 4000, All: 4000})
		if !strings.Contains(record, c.want) {
			t.Errorf("%s:\n%s\nwant in it: %s", c.name, record, c.want)
		}
	}
}
