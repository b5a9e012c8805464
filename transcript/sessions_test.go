package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"killick/chat"
	"killick/view"
)

// qwen is what qwen-code says of a command or a sub-agent in the background that ended.
func qwen(kind, status, verb, how string) string {
	about, what := "<kind>shell</kind>\n", "Shell command"
	detail := "<command>make</command>\n<cwd>/w</cwd>\n<pid>7</pid>\n"
	if kind == "agent" {
		about, what = "<tool-use-id>t</tool-use-id>\n", "Agent"
		detail = "<remaining>0</remaining>\n<all-terminal>true</all-terminal>\n"
	}
	return "<task-notification>\n<task-id>bg_7</task-id>\n" + about + "<status>" + status +
		"</status>\n<summary>" + what + ` "make" ` + verb + ".</summary>\n" + detail + how +
		"<output-file>/t</output-file>\n</task-notification>"
}

// Clients say in messages of the user's role that commands in the background have ended.
func TestCommandsThatEndedByWhatClientsSay(t *testing.T) {
	const kimi = `<notification id="task:bash-7:%[1]s" category="task" type="task.%[1]s" ` +
		`source_kind="background_task" source_id="bash-7">` +
		"\nTitle: Background process %[1]s\nSeverity: info\nWall time: 1.0 seconds\n" +
		"Tests %[1]s.\n</notification>"
	const claude = "<task-notification>\n<task-id>b7</task-id>\n<status>completed</status>\n" +
		"<summary>Background command \"Bake (exit code 3)\" completed%s</summary>\n" +
		"</task-notification>\nRead the output file to retrieve the result: /tmp/b7"
	const ohMyPi = "<system-notice>\nBackground job bg_7 has completed. Resume your work " +
		"using the result below.\n"
	ended, unknown := fmt.Sprintf(claude, " (exit code 0)"), fmt.Sprintf(claude, "")
	for text, want := range map[string]string{
		fmt.Sprintf(kimi, "completed"):               "[{bash-7 0 -1 }]",
		fmt.Sprintf(kimi, "failed"):                  "[{bash-7 2 -1 }]",
		fmt.Sprintf(kimi, "killed"):                  "[{bash-7 4 -1 }]",
		strings.ReplaceAll(kimi, "process", "agent"): "[]",
		strings.NewReplacer("process", "agent", `bash-7">`, `bash-7" agent_id="a1">`).Replace(
			fmt.Sprintf(kimi, "killed")): "[{bash-7 4 -1 }]",
		qwen("shell", "failed", "failed", "<exit-code>2</exit-code>\n"):    "[{bg_7 2 2 }]",
		qwen("shell", "completed", "completed", ""):                        "[{bg_7 0 -1 }]",
		qwen("shell", "cancelled", "was cancelled", ""):                    "[{bg_7 4 -1 }]",
		qwen("agent", "completed", "completed", "<result>All.</result>\n"): "[{bg_7 0 -1 All.}]",
		strings.Replace(qwen("shell", "failed", "failed", ""), "make", "make\n</cwd>\n"+
			"<exit-code>0</exit-code>", 1): "[]",
		ohMyPi + "later\nWall time: 2.01 seconds\n</system-notice>": "[{bg_7 0 -1 }]",
		ohMyPi + "\nWall time: 2.01 seconds\n\nCommand exited with code 2\n" +
			"</system-notice>": "[{bg_7 2 2 }]",
		ohMyPi + "Command exited with code 2\n</system-notice>": "[]",
		ended: "[{b7 1 0 }]",
		fmt.Sprintf(claude, " (exit code 1: no matches)"): "[{b7 2 1 }]",
		unknown: "[{b7 0 -1 }]",
		strings.Replace(unknown, `Background command "Bake (exit code 3)" completed</summary>`,
			`Agent "Bake" finished</summary>`+"\n<result>All\nbaked.</result>",
			1): "[{b7 0 -1 All\nbaked.}]",
		strings.Replace(unknown, `Background command "Bake (exit code 3)" completed`,
			`Agent "Bake" is waiting on its own background work`, 1): "[]",
		"Like this: " + ended:   "[]",
		"Like this:\n" + ended:  "[]",
		ended + "\nWhat is it?": "[]",
		ended + "\n" + unknown:  "[{b7 1 0 } {b7 0 -1 }]",
	} {
		quoted, _ := json.Marshal(text)
		m, err := chat.ParseMessage([]byte(`{"role":"user","content":` + string(quoted) + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(ReadAll([]view.Message{m}).EndedIn(0)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
