package results

import "regexp"

// agentBegun begins what agents return of a sub-agent that goes on beside the conversation: Claude
// Code (2.1.332 and earlier), qwen-code (0.24.4), Kimi Code (2.1.0).
var agentBegun = regexp.MustCompile(`^(?:Async agent launched successfully\.[^\n]*\n` +
	`agentId: ([\w-]{1,20}) \(internal ID|` +
	`Background agent launched successfully\.\ntask_id: ([\w-]{1,64}) \(internal ID|` +
	`(?:Wall time: [\d.]+ seconds\n)?task_id: ([\w-]{1,40})\nstatus: running\nagent_id: )`)

// Ended is what a client says of a command or a sub-agent in the background: that it has ended, and
// how.
type Ended struct {
	Session string
	Status  Status
	Exit    int    // the exit code, -1 if none is stated
	Report  string // what a sub-agent answered
}

// The messages by which clients say that a command or a sub-agent in the background has ended: of
// Claude Code (2.1.332), of oh-my-pi (18.2.3), of qwen-code (0.24.4), which escapes what is in
// tags, and of Kimi Code (2.1.0).
var (
	taskEnded = regexp.MustCompile(`^<task-notification>\n` +
		`<task-id>([\w-]{1,20})</task-id>\n` +
		`(?:<tool-use-id>[^<\n]*</tool-use-id>\n)?(?:<task-type>[^<\n]*</task-type>\n)?` +
		`(?:<output-file>[^<\n]*</output-file>\n)?<status>(completed|failed|killed)</status>\n` +
		`<summary>(?:Background command "[^<]*" (?:completed(?: \(exit code (-?\d+)(?:: [^<]*)?\)` +
		`)?|failed(?: with exit code (-?\d+))?|was [^<"]*)|Agent "[^<]*" (?:finished|completed|` +
		`failed: [^<]*|was [^<"]*|stopped at its [^<"]*))</summary>\n` +
		`(?:<result>(?s:(.*))</result>)?`)
	qwenEnded = regexp.MustCompile(`^<task-notification>\n` +
		`<task-id>([\w-]{1,64})</task-id>\n` +
		`(?:<kind>shell</kind>\n|<tool-use-id>[^<\n]*</tool-use-id>\n)?` +
		`<status>(completed|failed|cancelled)</status>\n` +
		`<summary>(?:Shell command|Agent) "[^<]*</summary>\n` +
		`(?:<command[^<]*</command>\n<cwd>[^<]*</cwd>\n(?:<pid>\d+</pid>\n)?` +
		`(?:<exit-code>(-?\d+)</exit-code>\n)?|` +
		`<remaining>\d+</remaining>\n<all-terminal>[a-z]+</all-terminal>\n` +
		`(?:<result>([^<]*)</result>\n)?)`)
	// of one that ended by itself: it states the time, and the code of a failure
	ohMyEnded = regexp.MustCompile(`^<system-notice>\nBackground job ([\w-]{1,40}) has ` +
		`completed\. Resume your work using the result below\.\n(?s:.*\n)?` +
		`Wall time: [\d.]+ seconds(?:\n+Command exited with code (-?\d+))?\n</system-notice>`)
	kimiEnded = regexp.MustCompile(`^<notification id="task:[^"]*" category="task" ` +
		`type="task\.([a-z_]+)" source_kind="background_task" source_id="([\w-]{1,40})"` +
		`(?: agent_id="[^"]*")?>\nTitle: Background (?:process|agent) ([a-z_]+)\n`)
)

// Notice reads an element that a client puts into a message of the user's role. ok is false if it
// says nothing of the kind.
func Notice(element string) (e Ended, ok bool) {
	var r taskReport
	if found := taskEnded.FindStringSubmatch(element); found != nil {
		r = taskReport{found[1], found[2], found[3] + found[4], found[5]}
	} else if found := qwenEnded.FindStringSubmatch(element); found != nil {
		r = taskReport{found[1], found[2], found[3], found[4]}
	} else if found := ohMyEnded.FindStringSubmatch(element); found != nil {
		r = taskReport{id: found[1], status: "completed", code: found[2]}
	} else if found := kimiEnded.FindStringSubmatch(element); found != nil && found[1] == found[3] {
		r = taskReport{id: found[2], status: found[1]}
	} else {
		return Ended{}, false
	}
	status, exit := r.ended()
	return Ended{r.id, status, exit, r.output}, true
}
