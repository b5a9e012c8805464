package transcript

import (
	"regexp"
	"strings"
)

// An edit of oh-my-pi (18.2.3) is a patch of a form of its own. Each file has a line with its name
// and a hash, and operations below it: PUT and CUT, with new lines after "+", REM, MV.

// hashHead is the line that names a file.
var hashHead = regexp.MustCompile(`^\[(.+)#[0-9A-Fa-f]{4}\]$`)

// hashPatch returns the patch of such an edit, "" if the call is none.
func (c *Call) hashPatch() string {
	text := c.text("input")
	if c.tool != "edit" || !c.Has("i") ||
		!strings.HasPrefix(strings.TrimSpace(text), beginPatch) {
		return ""
	}
	return text
}

// readHashes reads which files such a patch names.
func (p *patch) readHashes(text string) {
	file := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		if head := hashHead.FindStringSubmatch(line); head != nil {
			file = head[1]
			p.add(file, "", Writes)
			continue
		}
		to, moves := strings.CutPrefix(line, "MV ")
		switch {
		case file == "":
		case line == "REM":
			p.add(file, "delete", Deletes)
		case moves:
			p.add(file, "move", Deletes)
			p.add(to, "move", Writes)
		}
	}
}

// readHashResult sets the status of such an edit, by its result: it names each file with its new
// hash, or as deleted. If it says something else, it is not known what the edit did.
func (c *Call) readHashResult(decode func() string) {
	if c.Status != Unknown || c.hashPatch() == "" {
		return
	}
	text := strings.TrimSpace(decode())
	if strings.HasPrefix(text, "Edit rejected for ") {
		c.Status = Failed
		return
	}
	said := map[Path]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		if head := hashHead.FindStringSubmatch(line); head != nil {
			said[Path{Name: head[1], Effect: Writes}] = true
		} else if name, ok := strings.CutPrefix(line, "Deleted "); ok {
			said[Path{Name: name, Effect: Deletes}] = true
		}
	}
	for i := range c.Paths {
		p := &c.Paths[i]
		if p.Patch == "move" || !said[Path{Name: p.Name, Effect: p.Effect}] {
			c.doubtful = true
			return
		}
	}
	c.Status, c.doubtful = OK, false
}
