package partial

import "strings"

// BetweenTags returns the numbered lines of a file between the tags that opencode (1.18.33) puts
// around them, "" for a folder. part is true if its note says that these are not all lines. ok is
// false if there are no such tags.
func BetweenTags(output string) (lines string, part, ok bool) {
	rest, tagged := strings.CutPrefix(output, "<path>")
	_, rest, named := strings.Cut(rest, "</path>\n<type>")
	if !tagged || !named {
		return "", false, false
	}
	if strings.HasPrefix(rest, "directory</type>\n") {
		return "", false, true
	}
	rest, isFile := strings.CutPrefix(rest, "file</type>\n<content>")
	rest, closed := strings.CutSuffix(strings.TrimRight(rest, "\n"), "\n</content>")
	note := strings.LastIndex(rest, "\n\n(")
	if !isFile || !closed || note < 0 || !strings.HasSuffix(rest, ")") {
		return "", false, false
	}
	return strings.TrimPrefix(rest[:note], "\n"),
		!strings.HasPrefix(rest[note:], "\n\n(End of file - total "), true
}
