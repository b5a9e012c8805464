package results

import "strings"

// cutOhMyTime returns the result of a command without the line that oh-my-pi (18.2.3) appends to
// every output, before that of the exit code: "Wall time: 0.03 seconds".
func (c *Call) cutOhMyTime(result string) string {
	const before = "\n\nWall time: "
	if c.Tool != "bash" || !c.Has("i") {
		return result
	}
	at := strings.LastIndex(result, before)
	if at < 0 {
		return result
	}
	line, exit, _ := strings.Cut(result[at+len(before):], "\n")
	if !strings.HasSuffix(line, " seconds") ||
		exit != "" && !strings.HasPrefix(exit, "\nCommand exited with code ") {
		return result
	}
	return result[:at] + "\n" + exit
}
