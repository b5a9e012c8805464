package transcript

import (
	"bytes"
	"strconv"
	"strings"

	"killick/chat"
)

// Status is how a call ended by the signs of its own result.
type Status byte

// The statuses. Without a sign a status is Unknown: what a command prints is no
// sign, whatever it says.
const (
	Unknown Status = iota
	OK
	Failed
	Refused // the person or the client did not let it run
)

// refusals begin the results of calls that were not let run.
var refusals = []string{
	"The user doesn't want to proceed with this tool use.", // Claude Code
	"The user doesn't want to take this action right now.", // Claude Code
	"[Request interrupted by user",                         // Claude Code
	"The user denied this operation.",                      // Cline
	"[Operation Cancelled]",                                // qwen-code, gemini-cli
	"exec command rejected by user",                        // Codex
	"patch rejected by user",                               // Codex
}

// endBytes is how much of a long result is decoded for each of its ends.
const endBytes = 2000

// statusOf reads the signs of a result. runs says that the call runs something:
// then what is printed is the program's, and only the frame around it counts.
func statusOf(m *chat.Message, runs bool) (Status, int) {
	for _, name := range []string{"is_error", "isError"} {
		if v := m.Field(name); string(v) == "true" {
			_, exit := statusOfText(m, runs)
			return Failed, exit
		}
	}
	return statusOfText(m, runs)
}

func statusOfText(m *chat.Message, runs bool) (Status, int) {
	head, tail := ends(m)
	for _, r := range refusals {
		if strings.HasPrefix(head, r) {
			return Refused, -1
		}
	}
	if code, ok := exitCode(head, tail); ok {
		if code == 0 {
			return OK, code
		}
		return Failed, code
	}
	switch {
	case strings.HasPrefix(head, "<tool_use_error>"):
		return Failed, -1
	case strings.HasPrefix(head, "{"):
		return statusOfObject(m, runs)
	case runs:
		return Unknown, -1
	case strings.HasPrefix(head, "Error: "), strings.HasPrefix(head, "Error executing tool"), strings.HasPrefix(head, "ERROR: "):
		return Failed, -1
	}
	return Unknown, -1
}

// exitCode reads the exit code from the frame that agents put around what a command
// printed.
func exitCode(head, tail string) (code int, ok bool) {
	first, _, _ := strings.Cut(head, "\n")
	if rest, found := strings.CutPrefix(first, "Exit code "); found { // Claude Code
		return number(rest)
	}
	if code, ok = codexExit(head); ok {
		return code, ok
	}
	last := strings.TrimSpace(tail[strings.LastIndexByte(strings.TrimRight(tail, " \n"), '\n')+1:])
	for _, frame := range []struct{ before, after string }{
		{"Command exited with code ", ""},   // pi
		{"(exit code ", ")"},                // the reference shells of MCP
		{"<exited with exit code ", ">"},    // Copilot CLI
		{"<exit_code>", "</exit_code>"},     // Goose, SWE-agent's successors
		{"[exit code: ", "]"},               //
		{"Exit Code: ", ""},                 // qwen-code, gemini-cli
		{"[Command exited with code ", "]"}, // OpenHands
	} {
		if rest, found := strings.CutPrefix(last, frame.before); found {
			if frame.after != "" {
				if rest, found = strings.CutSuffix(rest, frame.after); !found {
					continue
				}
			}
			return number(rest)
		}
	}
	return geminiExit(tail)
}

// codexExit reads the lines that Codex puts before the output.
func codexExit(head string) (code int, ok bool) {
	if !strings.HasPrefix(head, "Chunk ID: ") && !strings.HasPrefix(head, "Exit code: ") && !strings.HasPrefix(head, "Wall time: ") {
		return 0, false
	}
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		if line == "Output:" {
			return 0, false
		}
		for _, before := range []string{"Process exited with code ", "Exit code: "} {
			if rest, found := strings.CutPrefix(line, before); found {
				return number(rest)
			}
		}
	}
	return 0, false
}

// geminiExit reads the members that gemini-cli and qwen-code list behind the output.
func geminiExit(tail string) (code int, ok bool) {
	i := strings.LastIndex(tail, "\nExit Code: ")
	if i < 0 || !strings.Contains(tail[i:], "\nSignal: ") {
		return 0, false
	}
	line, _, _ := strings.Cut(tail[i+len("\nExit Code: "):], "\n")
	return number(line)
}

func number(s string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	return n, err == nil
}

// statusOfObject reads the status members of a JSON result. What a program printed
// has none but those of the frame around it.
func statusOfObject(m *chat.Message, runs bool) (Status, int) {
	object := chat.Value(strings.TrimSpace(m.Text()))
	for _, of := range []chat.Value{object, object.Get("metadata")} {
		for _, name := range []string{"exit_code", "exitCode", "returncode"} {
			if v := of.Get(name); v.Kind() == chat.Number {
				if code, ok := number(string(v)); ok {
					if code == 0 {
						return OK, code
					}
					return Failed, code
				}
			}
		}
	}
	if runs {
		return Unknown, -1
	}
	if failedMember(object) {
		return Failed, -1
	}
	for _, name := range []string{"success", "ok"} {
		if v := object.Get(name); v.Kind() == chat.Bool {
			if string(v) == "true" {
				return OK, -1
			}
			return Failed, -1
		}
	}
	return Unknown, -1
}

func failedMember(object chat.Value) bool {
	for _, name := range []string{"is_error", "isError"} {
		if string(object.Get(name)) == "true" {
			return true
		}
	}
	switch v := object.Get("error"); v.Kind() {
	case chat.String:
		return len(v) > 2
	case chat.Object:
		return true
	case chat.Bool:
		return string(v) == "true"
	}
	return false
}

// ends returns the beginning and the end of a result, without decoding what is
// between them.
func ends(m *chat.Message) (head, tail string) {
	body := m.Content().StringBody()
	if len(body) <= 2*endBytes {
		text := strings.TrimSpace(m.Text())
		return text, text
	}
	first, _ := chat.CutEscaped(body[:endBytes+12], endBytes)
	last := body[len(body)-endBytes:]
	// Behind a space no escape is under way.
	if i := bytes.IndexByte(last, ' '); i >= 0 {
		last = last[i:]
	} else {
		last = nil
	}
	return strings.TrimSpace(unescaped(first)), strings.TrimSpace(unescaped(last))
}

func unescaped(body []byte) string { return chat.Value(`"` + string(body) + `"`).Text() }
