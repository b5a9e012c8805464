package transcript

import "strings"

// Content is text that a call puts into a file.
type Content struct {
	Path  string // "" if the call does not say
	Text  string // the new lines; of a patch those around the change too
	Old   string // the lines that are no longer in the file; "" if none are stated
	Whole bool   // Text is all of the file
}

// The names of arguments for what is written, and for what that replaces, as keyName spells them.
var (
	newKeys = set(strings.Fields("new newstring newstr newtext newsource newcontent replace " +
		"replacement inserttext")...)
	wholeKeys = set("content", "contents", "filetext", "text")
	oldKeys   = set(strings.Fields("oldstring oldstr oldtext old search find original")...)
)

// Contents returns what the call writes: the contents that its arguments hold, or the lines of its
// patches. It is nil for a call that writes no file, and for one that runs a script.
func (c *Call) Contents() (contents []Content) {
	if c.Effect != Writes && c.Effect != Runs || c.script != nil {
		return nil // what a script writes, the calls that it makes do
	}
	for i := range c.Args {
		if c.patchForm(i) == beginForm {
			contents = append(contents, patchContents(c.Args[i].Text)...)
		}
	}
	if len(contents) > 0 || c.Effect == Runs {
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
			Path: path, Text: a.Text, Old: old[a.around()],
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
	var lines, old strings.Builder
	end := func() {
		now.Text, now.Old = lines.String(), old.String()
		if now.Path != "" && now.Text+now.Old != "" {
			contents = append(contents, now)
		}
		lines.Reset()
		old.Reset()
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
		case strings.HasPrefix(line, "+"), strings.HasPrefix(line, " "):
			lines.WriteString(line[1:])
		case strings.HasPrefix(line, "-"):
			old.WriteString(line[1:])
		case line == "\n":
			lines.WriteString(line)
		}
	}
	end()
	return contents
}
