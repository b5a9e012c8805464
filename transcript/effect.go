package transcript

import "strings"

// Effect is what a call does to the world, as far as the shapes of its arguments
// tell, with the names of known tools as a help.
type Effect byte

// The effects. Of a tool that is not known, Reads means that it names a file and
// brings no content for it, Writes that it brings some: enough to plan with, not to
// claim. Tool.Known tells the two apart.
const (
	Other Effect = iota
	Reads
	Writes
	Deletes
	Runs
)

// Path is a file that a call names, and what is done to it.
type Path struct {
	Name   string
	Effect Effect
	// Patch is how the header of a patch puts it: "add", "update", "delete" or
	// "move"; "" where no patch names the file.
	Patch string
}

// knownTools are what the tools of today's agents do, by their names in lower case
// without underscores and dashes: Claude Code, Codex, opencode, pi, qwen-code,
// gemini-cli, Cline, Copilot CLI, SWE-agent, the reference servers of MCP.
var knownTools = func() map[string]Effect {
	known := map[string]Effect{}
	for effect, names := range map[Effect]string{
		Reads: "read readfile readfiles readmanyfiles view viewfile open openfile cat notebookread readtextfile readmediafile " +
			"readmultiplefiles getfile getfilecontents fileread " + listingTools,
		Writes: "write writefile writetofile create createfile edit editfile editnotebook multiedit strreplace strreplaceeditor " +
			"strreplacebasededittool replace replaceinfile searchreplace insert append appendfile notebookedit applypatch applydiff " +
			"patch filewrite fileedit insertcontent createorupdatefile replacestringinfile multireplacestringinfile inserteditintofile",
		Deletes: "delete deletefile deletefiles remove removefile rm unlink trash",
		Runs: "bash shell exec execcommand execute executecommand run runcommand runshellcommand runinterminal terminal " +
			"localshell shellcommand cmd powershell containerexec unifiedexec bashtool",
	} {
		for _, name := range strings.Fields(names) {
			known[name] = effect
		}
	}
	return known
}()

// listingTools show what there is: files, or what was found in them.
const listingTools = "ls list listdir listdirectory listfiles glob globsearch find findfile findfiles findbyname tree directorytree " +
	"grep greptool grepsearch search searchdir searchfile searchfiles searchfilecontent searchcode filesearch codebasesearch ripgrep rg"

var lists = func() map[string]bool { return set(strings.Fields(listingTools)...) }()

// toolName is a tool's name as the tables have it. What stands before a last "__"
// or "." names the server that has the tool.
func toolName(name string) string {
	name = strings.ToLower(name)
	if i := strings.LastIndex(name, "__"); i >= 0 {
		name = name[i+2:]
	}
	name = name[strings.LastIndexByte(name, '.')+1:]
	return strings.NewReplacer("_", "", "-", "").Replace(name)
}

// Known reports whether the tool is in the tables, so that its effect is more than
// what the shapes of its arguments suggest.
func (c *Call) Known() bool {
	_, ok := knownTools[toolName(c.Name)]
	return ok
}

// Lists reports whether the call shows what there is: files, or what was found.
func (c *Call) Lists() bool {
	if c.Effect == Runs {
		first, _, _ := strings.Cut(c.Command, " ")
		return lists[first]
	}
	return lists[toolName(c.Name)]
}

// editCommands are what an editing tool with one argument for its action calls them.
var editCommands = map[string]Effect{"view": Reads, "create": Writes, "str_replace": Writes, "insert": Writes, "undo_edit": Writes, "delete": Deletes}

// readEffect fills in Effect and Paths.
func (c *Call) readEffect() {
	patched := c.patchedPaths()
	known, isKnown := knownTools[toolName(c.Name)]
	if action, ok := editCommands[c.Command]; ok && len(c.pathArguments(action)) > 0 {
		c.Command, c.Effect = "", action
		c.Paths = c.pathArguments(action)
		return
	}
	switch {
	case c.Command != "":
		c.Effect, c.Paths = Runs, patched
		return
	case len(patched) > 0:
		c.Effect, c.Paths = Writes, patched
		return
	case isKnown:
		c.Effect = known
	case len(c.pathArguments(Other)) == 0:
		c.Effect = Other
	case c.bringsContent():
		c.Effect = Writes
	default:
		c.Effect = Reads
	}
	if c.Effect != Runs {
		c.Paths = c.pathArguments(c.Effect)
	}
}

// contentKeys are the names under which tools take what is to be written.
var contentKeys = set(
	"content", "contents", "new_string", "new_str", "newString", "new_text", "newText", "new_source", "replace", "replacement",
	"old_string", "old_str", "oldString", "old_text", "oldText", "insert_text", "text", "edits", "diff", "patch", "file_text",
)

// bringsContent reports whether an argument is what files hold rather than what
// names them: several lines, or a name that says so.
func (c *Call) bringsContent() bool {
	for i := range c.Args {
		a := &c.Args[i]
		if a.Quoted && (contentKeys[a.leaf()] || contentKeys[a.root()] || strings.Contains(strings.TrimSpace(a.Text), "\n")) {
			return true
		}
	}
	return false
}

// command returns what the call runs, "" if it runs nothing.
func (c *Call) command() string {
	if text := c.text("command", "cmd", "script", "code", "commandLine"); text != "" {
		return strings.TrimSpace(text)
	}
	var words []string
	for i := range c.Args {
		if root := c.Args[i].root(); (root == "command" || root == "cmd") && c.Args[i].Quoted {
			words = append(words, c.Args[i].Text)
		}
	}
	if n := len(words); n == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
		return strings.TrimSpace(words[2]) // ["bash", "-lc", "go test ./..."]
	}
	if len(words) > 0 {
		return strings.TrimSpace(strings.Join(words, " "))
	}
	if knownTools[toolName(c.Name)] == Runs && len(c.Args) == 1 && c.Args[0].Quoted {
		return strings.TrimSpace(c.Args[0].Text)
	}
	return ""
}
