package transcript

import (
	"slices"
	"strings"
	"unicode/utf16"
)

// Content is text that a call puts into a file.
type Content struct {
	Path string // "" if the call does not say
	Text string // the new lines, and the lines around the change in a patch
	Old  string // the lines that are no longer in the file; "" if none are stated
	// Before is what Text replaced, including the lines around the change; "" if it is not stated.
	Before string
	Whole  bool // Text is the whole file
	// unstated is set if Text may have replaced lines that the call does not spell out.
	unstated bool
}

// The parameter names for new text, for whole contents and for replaced text, as keyName spells
// them.
var (
	newKeys = set(strings.Fields("new newstring newstr newtext newsource newcontent replace " +
		"replacement inserttext")...)
	wholeKeys = set("content", "contents", "filetext", "text")
	oldKeys   = set(strings.Fields("oldstring oldstr oldtext old search find original")...)
)

// adders are the tools that add lines to a file and replace none.
var adders = set("append", "appendfile", "insert", "insertcontent")

// adds reports whether the call adds lines to a file and replaces none: by the name of its tool, or
// by the action that it names, as Claude Code's NotebookEdit (2.1.330) and Anthropic's text editor
// do.
func (c *Call) adds() bool {
	return adders[c.tool] || c.text("command", "edit_mode") == "insert"
}

// partKeys are further parameter names, as keyName spells them, for the part of a file that a call
// writes. See rangeKeys.
var partKeys = set("line", "linenumber", "insertline", "cellid", "cellnumber")

// writesPart reports whether the call says which part of a file it writes, or adds to it.
func (c *Call) writesPart() bool {
	return c.adds() || slices.ContainsFunc(c.Args, func(a Argument) bool {
		return !a.isNull() && (rangeKeys[a.leaf()] || partKeys[keyName(a.leaf())])
	})
}

// Contents returns what the call writes: the contents that its arguments hold, or the lines of its
// patches. It is nil for a call that writes no file, for a command without a patch, for a script,
// and for a tool in no table: what it is given for a file may be a comment on it.
func (c *Call) Contents() (contents []Content) {
	if c.Effect != Writes && c.Effect != Runs || c.script != nil {
		return nil // the calls that a script makes write, not the script
	}
	for i := range c.Args {
		if c.patchForm(i) == beginForm {
			contents = append(contents, patchContents(c.Args[i].Text)...)
		}
	}
	if len(contents) > 0 || c.Effect == Runs || !c.Known() {
		return contents
	}
	path := ""
	if len(c.Paths) == 1 {
		path = c.Paths[0].Name
	}
	old := map[string]string{} // replaced text, by the key around the argument
	for i := range c.Args {
		if a := &c.Args[i]; a.Quoted && oldKeys[keyName(a.leaf())] && !cutByDeep(a.Text) {
			old[a.around()] = a.Text
		}
	}
	part := c.writesPart()
	for i := range c.Args {
		a := &c.Args[i]
		key := keyName(a.leaf())
		if !a.Quoted || !newKeys[key] && !wholeKeys[key] || cutByDeep(a.Text) {
			continue
		}
		before, stated := old[a.around()]
		whole := wholeKeys[key] && len(old) == 0 && a.Key == a.leaf() && !part
		contents = append(contents, Content{
			Path: path, Text: a.Text, Old: before, Before: before, Whole: whole,
			unstated: !stated && !whole && !c.adds(),
		})
	}
	return contents
}

// cutByDeep reports whether an argument is what deepagents (1.14.1) leaves of a long one in an
// older call: its first 20 units of UTF-16, and a notice.
func cutByDeep(text string) bool {
	begin, ok := strings.CutSuffix(text, "...(argument truncated)")
	return ok && len(begin) < 4*20 && len(utf16.Encode([]rune(begin))) == 20
}

// around returns the key of an argument without its last part.
func (a *Argument) around() string { return a.Key[:max(0, strings.LastIndexByte(a.Key, '.'))] }

// patchContents returns what a patch of the "*** Begin Patch" form writes: one Content for each
// place that it changes.
func patchContents(text string) (contents []Content) {
	var now Content
	var lines, old, before strings.Builder
	end := func() {
		now.Text, now.Old, now.Before = lines.String(), old.String(), before.String()
		if now.Path != "" && now.Text+now.Old != "" {
			contents = append(contents, now)
		}
		lines.Reset()
		old.Reset()
		before.Reset()
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "*** ") {
			end()
			if next, ok := patchedFile(line); ok {
				now = next
			}
			continue
		}
		switch {
		case strings.HasPrefix(line, "@@"):
			end()
		case strings.HasPrefix(line, "+"):
			lines.WriteString(line[1:])
		case strings.HasPrefix(line, " "):
			lines.WriteString(line[1:])
			before.WriteString(line[1:])
		case strings.HasPrefix(line, "-"):
			old.WriteString(line[1:])
			before.WriteString(line[1:])
		case line == "\n":
			lines.WriteString(line)
			before.WriteString(line)
		}
	}
	end()
	return contents
}

// patchedFile returns the Content, still empty, of the file that a line of a patch names. It has no
// path if the patch writes nothing into that file.
func patchedFile(line string) (c Content, ok bool) {
	for _, h := range patchHeads {
		name, found := strings.CutPrefix(line, h.head)
		switch {
		case found && h.effect == Writes:
			return Content{Path: strings.TrimSpace(name), Whole: h.action == "add"}, true
		case found:
			return Content{}, true
		}
	}
	return Content{}, false
}

// EachLine yields the lines of the string arguments as they are in files: those of patches without
// their marks, and without headers. quoted is true if the call only works if the file has exactly
// this line: it is in the text that an edit replaces, or a removed or context line of a patch.
func (c *Call) EachLine(yield func(line string, quoted bool)) {
	if c.script != nil {
		for i := range c.script.nested {
			c.script.nested[i].EachLine(yield)
		}
		if c.script.program.Complete {
			return
		}
	}
	for i := range c.Args {
		a := &c.Args[i]
		if !a.Quoted {
			continue
		}
		text, form := a.Text, c.patchForm(i)
		if form == noPatch {
			quoted := oldKeys[keyName(a.leaf())]
			for line := range strings.SplitSeq(text, "\n") {
				yield(line, quoted)
			}
			continue
		}
		eachPatchLine(text, form, yield)
	}
}

// eachPatchLine yields the lines of a patch. Lines before and after it, as in a command, are
// yielded unchanged.
func eachPatchLine(text string, form patchForm, yield func(line string, quoted bool)) {
	inside := false // inside the patch or, in a diff, past the header of its first hunk
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		switch {
		case form == beginForm && !inside:
			if inside = strings.Contains(line, beginPatch); !inside {
				yield(line, false)
			}
		case form == beginForm && strings.HasPrefix(line, "*** "):
			inside = !strings.HasPrefix(line, "*** End Patch")
		case strings.HasPrefix(line, "@@"):
			inside = true
		case form == diffForm && (!inside || strings.HasPrefix(line, "diff --git ")):
			inside = false
		case strings.HasPrefix(line, "--- ") && form == diffForm:
			inside = false // of the next file
		case strings.HasPrefix(line, "-"), strings.HasPrefix(line, " "):
			yield(line[1:], true)
		case strings.HasPrefix(line, "+"):
			yield(line[1:], false)
		}
	}
}
