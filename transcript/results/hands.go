package results

import "strings"

// finished begins the line with the exit code that OpenHands appends to an output.
const finished = "[Command finished with exit code "

// handsNotices begin the line that OpenHands (runtime/utils/bash.py) appends to the output of a
// command that goes on, or that was not run because another one goes on.
var handsNotices = []struct {
	start, has string
	ran        bool
}{
	{"[The command has no new output after ", " seconds. ", true},
	{"[The command timed out after ", " seconds. ", true},
	{`[Your command "`, `" is NOT executed. The previous command is still running`, false},
}

// handsNotice returns where such a line begins at the end of a result, and whether the command was
// run.
func handsNotice(result string) (at int, ran, ok bool) {
	result = strings.TrimRight(result, " \n")
	if !strings.HasSuffix(result, "]") {
		return 0, false, false
	}
	for _, n := range handsNotices {
		at = strings.LastIndex(result, n.start)
		if at >= 0 && (at == 0 || result[at-1] == '\n') && strings.Contains(result[at:], n.has) {
			return at, n.ran, true
		}
	}
	return 0, false, false
}

// stateLines are the lines that agents append to an output to state where their shell is. The last
// of them begins with ends.
var stateLines = []struct{ ends, start, end string }{
	// OpenHands' CmdOutputObservation
	{"[", "[The command completed with exit code ", ".]"},
	{"[", "[Current working directory: ", "]"},
	{"[", "[Python interpreter: ", "]"},
	{"[", finished, "]"},
	// SWE-agent's recorded demonstrations
	{"bash-$", "(Open file: ", ")"},
	{"bash-$", "(Current directory: ", ")"},
	{"bash-$", "(Interactive session: ", ")"},
	{"bash-$", "bash-$", ""},
}

// beforeState returns the output before such lines.
func (c *Call) beforeState(result string) (output string, ok bool) {
	output = strings.TrimRight(result, " \n")
	ends := output[strings.LastIndexByte(output, '\n')+1:]
	if strings.HasPrefix(ends, "[") && !handsFrame.tools[c.Tool] {
		return result, false
	}
	for {
		at := strings.LastIndexByte(output, '\n') + 1
		if !isStateLine(strings.TrimSpace(output[at:]), ends) {
			return output, ok
		}
		output, ok = strings.TrimRight(output[:at], "\n"), true
	}
}

func isStateLine(line, ends string) bool {
	for _, s := range stateLines {
		if strings.HasPrefix(ends, s.ends) && strings.HasPrefix(line, s.start) &&
			strings.HasSuffix(line, s.end) {
			return true
		}
	}
	return false
}
