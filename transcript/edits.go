package transcript

import "strings"

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
