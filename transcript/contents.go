package transcript

import (
	"strings"

	"killick/transcript/shell"
)

// Content is text that a call puts into a file.
type Content struct {
	Path string // "" if the call does not say
	Text string // the new lines; of a patch those around the change too
	Old  string // the lines that are no longer in the file; "" if none are stated
	// Before is what stood in the place of Text, the lines around the change too; "" if that is not
	// stated.
	Before string
	Whole  bool // Text is all of the file
}

// The names of arguments for what is written, and for what that replaces, as keyName spells them.
var (
	newKeys = set(strings.Fields("new newstring newstr newtext newsource newcontent replace " +
		"replacement inserttext")...)
	wholeKeys = set("content", "contents", "filetext", "text")
	oldKeys   = set(strings.Fields("oldstring oldstr oldtext old search find original")...)
)

// Contents returns what the call writes: the contents that its arguments hold, or the lines of its
// patches. It is nil for a call that writes no file, for one that runs a script, and for a tool in
// no table: what it is given for a file may be a comment on it.
func (c *Call) Contents() (contents []Content) {
	if c.Effect != Writes && c.Effect != Runs || c.script != nil {
		return nil // what a script writes, the calls that it makes do
	}
	for i := range c.Args {
		if c.patchForm(i) == beginForm {
			contents = append(contents, patchContents(c.Args[i].Text)...)
		}
	}
	for _, of := range c.byCommand() {
		if of.Known && c.certain(of.Certain) {
			contents = append(contents,
				Content{Path: of.Path, Text: of.Text, Whole: of.Kind == shell.Written})
		}
	}
	if len(contents) > 0 || c.Effect == Runs || !c.Known() {
		return contents
	}
	path := ""
	if len(c.Paths) == 1 {
		path = c.Paths[0].Name
	}
	old := map[string]string{} // by the names around the argument
	for i := range c.Args {
		if a := &c.Args[i]; a.Quoted && oldKeys[keyName(a.leaf())] {
			old[a.around()] = a.Text
		}
	}
	for i := range c.Args {
		a := &c.Args[i]
		key := keyName(a.leaf())
		if !a.Quoted || !newKeys[key] && !wholeKeys[key] {
			continue
		}
		contents = append(contents, Content{
			Path: path, Text: a.Text, Old: old[a.around()], Before: old[a.around()],
			Whole: wholeKeys[key] && len(old) == 0 && a.Key == a.leaf(),
		})
	}
	return contents
}

// around is the name of an argument without its innermost part.
func (a *Argument) around() string { return a.Key[:max(0, strings.LastIndexByte(a.Key, '.'))] }

// patchContents returns what a patch of the "*** Begin Patch" form writes, one content for each
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
			for _, h := range patchHeads {
				if name, ok := strings.CutPrefix(line, h.head); ok && h.effect == Writes {
					now = Content{Path: strings.TrimSpace(name), Whole: h.put == "add"}
				} else if ok {
					now = Content{}
				}
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

// replacedKeys are the parameter names for the text that editing tools replace.
var replacedKeys = set(
	"old_string", "old_str", "old_text", "oldText", "oldString", "oldStr", "old", "search", "find",
	"original", "target",
)

// EachLine yields the lines of the string arguments as they stand in files: those of patches
// without their marks, and without what is no line of a file. quoted says that the call works only
// if the line stands in the file exactly as it is: it is among the text that an edit replaces, or a
// removed or context line of a patch.
func (c *Call) EachLine(yield func(line string, quoted bool)) {
	if c.script != nil {
		for i := range c.script.nested {
			c.script.nested[i].EachLine(yield)
		}
		if c.script.whole {
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
			quoted := replacedKeys[a.leaf()]
			for line := range strings.SplitSeq(text, "\n") {
				yield(line, quoted)
			}
			continue
		}
		eachPatchLine(text, form, yield)
	}
}

// eachPatchLine yields the lines of a patch. What precedes and follows it, as in a command, is
// yielded as it is.
func eachPatchLine(text string, form patchForm, yield func(line string, quoted bool)) {
	inside := false // the patch or, in a diff, its first hunk
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
