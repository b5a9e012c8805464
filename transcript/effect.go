package transcript

import (
	"slices"
	"strings"
)

// Lists reports whether the call lists files or shows search results.
func (c *Call) Lists() bool {
	if c.Effect == Runs {
		first, _, _ := strings.Cut(c.Command, " ")
		return lists[first]
	}
	return lists[c.tool] && !c.foreign
}

// patternKeys are the parameter names, as keyName spells them, for the pattern or query of tools
// that list or search.
var patternKeys = set(strings.Fields("pattern patterns query queries regex glob globpattern " +
	"searchterm searchquery search")...)

// SearchPattern returns the pattern or query of a call that lists files or searches, "" if it has
// none.
func (c *Call) SearchPattern() string {
	if !c.Lists() || c.Command != "" {
		return ""
	}
	if i := c.firstOf(patternKeys); i >= 0 {
		return c.Args[i].Text
	}
	return ""
}

// firstOf returns the index of the first text among the arguments that has one of these names, -1
// if there is none.
func (c *Call) firstOf(names map[string]bool) int {
	return slices.IndexFunc(c.Args, func(a Argument) bool {
		return a.Quoted && names[keyName(a.leaf())]
	})
}

// readsNoFile reports whether a call of a tool with the name of one that reads, lists or searches
// files is given something else to look for: an address, an id, the query of a search elsewhere.
func (c *Call) readsNoFile() bool {
	switch {
	case !lists[c.tool]:
		return true
	case !slices.ContainsFunc(c.Args, func(a Argument) bool { return a.Quoted }):
		return false // it lists the current folder
	case plainNames[c.tool]:
		return c.firstOf(filePatterns) < 0
	}
	return c.firstOf(patternKeys) < 0
}

// plainNames are the listing tools whose names do not say that they are for files, and filePatterns
// the parameters that do.
var (
	plainNames   = set("find", "list", "search")
	filePatterns = set("pattern", "patterns", "regex", "glob", "globpattern")
)

// editCommands are the actions of an editing tool that takes its action as an argument. Goose has
// "write".
var editCommands = map[string]Effect{"view": Reads, "create": Writes, "str_replace": Writes,
	"insert": Writes, "undo_edit": Writes, "delete": Deletes, "write": Writes}

// Action returns the action that a call of an editing tool names, such as "view", "" if it names
// none.
func (c *Call) Action() string { return c.action }

func readCall(name, raw string, caller int) Call {
	c := Call{Name: name, tool: toolName(name), Raw: raw, Caller: caller, Result: -1, Exit: -1}
	c.Args = readArguments(c.Raw)
	c.Command = c.command()
	if c.readEffect(); c.Effect == Runs {
		c.commanded = new(commanded)
	}
	return c
}

// readEffect sets Effect and Paths.
func (c *Call) readEffect() {
	if action, ok := editCommands[c.Command]; ok {
		if paths := c.pathArguments(action); len(paths) > 0 {
			c.Command, c.action, c.Effect, c.Paths = "", c.Command, action, paths
			return
		}
	}
	patched := c.patchedPaths()
	known, isKnown := knownTools[c.tool]
	switch {
	case c.Command != "":
		c.Effect, c.Paths = Runs, patched
	case len(patched) > 0:
		c.Effect, c.Paths = Writes, patched
	case isKnown && known == Runs:
		c.Effect = Runs
	case isKnown && known >= moves:
		c.Effect, c.Paths = Writes, c.pathArguments(known)
	case isKnown:
		c.Effect, c.Paths = known, c.pathArguments(known)
	default:
		c.readShapes()
	}
	if isKnown && len(c.Paths) == 0 {
		switch {
		case c.Effect == Writes, c.Effect == Deletes:
			c.Effect = Other // such as a server's "create", which makes a ticket
		case c.Effect == Reads && c.readsNoFile():
			c.Effect, c.foreign = Other, true // such as a browser's "open"
		}
	}
	c.readPlace()
}

// otherPlaces are the parameter names that show paths to be in another place than the agent's
// folder: in a repository at a host, a bucket, another version, another machine or a container.
var otherPlaces = set(strings.Fields("repo repository reponame repofullname projectid bucket " +
	"branch ref commit sha revision host hostname vm vmid vmname pod podname container " +
	"containerid containername")...)

// readPlace takes back what is known of files if the call names those of another place, which may
// have the same paths, or if it only shows what it would do.
func (c *Call) readPlace() {
	if c.Effect != Reads && c.Effect != Writes && c.Effect != Deletes {
		return
	}
	for i := range c.Args {
		a := &c.Args[i]
		switch name := keyName(a.Key); {
		case otherPlaces[name] && !a.isNull() && a.Text != "":
			c.Effect, c.Paths = Other, nil
			return
		case name == "dryrun" && a.Text == "true": // the reference server of MCP for files
			c.Effect = Other
			for k := range c.Paths {
				c.Paths[k].Effect, c.Paths[k].Patch = Reads, ""
			}
		}
	}
}

// OnlyShows reports whether the call names files and only shows what it would do to them.
func (c *Call) OnlyShows() bool { return c.Effect == Other && len(c.Paths) > 0 }

// readShapes sets Effect and Paths of a call of an unknown tool from the shape of its arguments.
func (c *Call) readShapes() {
	c.Effect = Reads
	if c.bringsContent() {
		c.Effect = Writes
	}
	if c.Paths = c.pathArguments(c.Effect); len(c.Paths) == 0 {
		c.Effect = Other
	}
}

// bringsContent reports whether an argument is file content rather than a file name: it has several
// lines, or a parameter name for content.
func (c *Call) bringsContent() bool {
	for i := range c.Args {
		a := &c.Args[i]
		if a.Quoted && (contentKeys[keyName(a.leaf())] || contentKeys[keyName(a.root())] ||
			strings.Contains(strings.TrimSpace(a.Text), "\n")) {
			return true
		}
	}
	return false
}

// command returns the command that the call runs, "" if it runs none. Parameters named "code" and
// "script" count only in tools that are known to run commands: in others they may be an airport
// code or the content of a file.
func (c *Call) command() string {
	runs := knownTools[c.tool] == Runs && c.tool != sessionTool
	if text := c.text("command", "cmd", "commandLine"); text != "" {
		return strings.TrimSpace(text)
	}
	var words []string
	between := " "
	for i := range c.Args {
		a := &c.Args[i]
		switch root := a.root(); {
		case !a.Quoted:
		case root == "command" || root == "cmd":
			words = append(words, a.Text)
		case runs && root == "commands": // Cline 3: independent commands
			words, between = append(words, a.Text), "; "
		}
	}
	if n := len(words); n == 3 && between == " " && strings.HasPrefix(words[1], "-") &&
		strings.HasSuffix(words[1], "c") {
		return strings.TrimSpace(words[2]) // ["bash", "-lc", "go test ./..."]
	}
	if len(words) > 0 {
		return strings.TrimSpace(strings.Join(words, between))
	}
	if !runs {
		return ""
	}
	if text := c.text("script", "code"); text != "" {
		return strings.TrimSpace(text)
	}
	if len(c.Args) == 1 && c.Args[0].Quoted {
		return strings.TrimSpace(c.Args[0].Text)
	}
	return ""
}
