package conversation

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The messages by which clients say that a command in the background has ended.
var (
	claudeNotice = regexp.MustCompile(`(?ms)^<task-notification>\n<task-id>([\w-]+)</task-id>\n` +
		`.*?<status>(\w+)</status>\n<summary>(?:Agent|Background command) "[^<]*" (\w+)` +
		`(?: \(exit code (-?\d+)[^<]*| with exit code (-?\d+))?[^<]*</summary>\n` +
		`(?:<result>(.*?)</result>)?`)
	qwenNotice = regexp.MustCompile(`(?ms)^<task-notification>\n<task-id>([\w-]+)</task-id>\n` +
		`[^/]*?(?:</tool-use-id>\n|</kind>\n)?<status>(\w+)</status>\n` +
		`<summary>(?:Shell command|Agent) "[^<]*" (?:was )?(\w+)\.</summary>\n` +
		`(.*?)</task-notification>`)
	ohMyNotice = regexp.MustCompile(`(?s)^<system-notice>\nBackground job ([\w-]+) has ` +
		`completed\. Resume .*?\nWall time: [^\n]*(?:\n+Command exited with code (-?\d+))?` +
		`\n</system-notice>`)
	qwenCode   = regexp.MustCompile(`(?m)^<exit-code>(-?\d+)</exit-code>$`)
	qwenReport = regexp.MustCompile(`(?m)^<all-terminal>\w+</all-terminal>\n<result>([^<]*)<`)
	agentForm  = regexp.MustCompile(`^(?:Async agent launched successfully\..*\nagentId|` +
		`Background agent launched successfully\.\ntask_id): ([\w-]+) `)
	kimiAgent = regexp.MustCompile(`^(?:Wall time: .*\n)?task_id: ([\w-]+)\nstatus: running\n` +
		`agent_id: `)
	kimiNotice = regexp.MustCompile(`(?m)^<notification id="task:[^>]* type="task\.(\w+)" ` +
		`source_kind="background_task" source_id="([\w-]+)"[^>]*>\n` +
		`Title: Background (?:process|agent) `)
	kimiElement = regexp.MustCompile(`(?s)<notification id="task:.*?</notification>`)
)

// addNotices adds to the calls, in order, what messages say of commands that have ended.
func (conv *Conversation) addNotices() {
	for _, m := range conv.Messages {
		text := m.unaccompanied()
		for _, found := range qwenNotice.FindAllStringSubmatch(text, -1) {
			end := Outcome{Failed: found[2] == "failed", Stopped: found[2] == "cancelled"}
			if code := qwenCode.FindStringSubmatch(found[4]); code != nil && !end.Stopped {
				n, _ := strconv.Atoi(code[1])
				end = Outcome{Stated: true, Exit: n, Failed: n != 0}
			}
			report := ""
			if answer := qwenReport.FindStringSubmatch(found[4]); answer != nil {
				report = answer[1]
			}
			conv.addNotice(m, found[1], end, report)
		}
		text = qwenNotice.ReplaceAllString(text, "")
		for _, found := range claudeNotice.FindAllStringSubmatch(text, -1) {
			end := Outcome{Failed: found[2] == "failed", Stopped: found[2] == "killed"}
			if n, err := strconv.Atoi(found[4] + found[5]); err == nil && found[2] != "killed" {
				end = Outcome{Stated: true, Exit: n, Failed: n != 0}
			}
			if found[3] != "is" { // it is waiting for work of its own
				conv.addNotice(m, found[1], end, found[6])
			}
		}
		if found := ohMyNotice.FindStringSubmatch(text); found != nil {
			n, err := strconv.Atoi(found[2])
			conv.addNotice(m, found[1], Outcome{Stated: err == nil, Exit: n, Failed: n != 0}, "")
		}
		for _, found := range kimiNotice.FindAllStringSubmatch(text, -1) {
			conv.addNotice(m, found[2],
				Outcome{Failed: found[1] == "failed" || found[1] == "timed_out",
					Stopped: found[1] == "killed"}, "")
		}
	}
}

// unaccompanied returns the parts of a user's message in which a person typed nothing.
func (m *Message) unaccompanied() string {
	if m.Role != "user" {
		return ""
	}
	var parts []string
	for _, text := range m.texts {
		if typedOf(kimiElement.ReplaceAllString(text, "")) == "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n")
}

// addNotice adds that a session has ended, with the report of a sub-agent.
func (conv *Conversation) addNotice(m *Message, session string, end Outcome, report string) {
	at := len(conv.Calls)
	for at > 0 && conv.Calls[at-1].Caller.Number > m.Number {
		at--
	}
	conv.Calls = slices.Insert(conv.Calls, at, &Call{Caller: m, Notice: session, end: &end,
		Result: &Message{Number: m.Number, texts: []string{report}}})
}
