package transcript

import "strings"

// Effect is what a call does to files, known from a table of tools or inferred from the shape of
// its arguments.
type Effect byte

// The effects. For an unknown tool, Reads means that it names a file and supplies no content for
// it, Writes that it supplies some. That is enough for decisions, but too little to state in a
// record: see Call.Known.
const (
	Other Effect = iota
	Reads
	Writes
	Deletes
	Runs
)

// Path is a file that a call names, and what the call does to it.
type Path struct {
	Name   string
	Effect Effect
	// Patch is the action in the header of a patch: "add", "update", "delete" or "move"; "" if no
	// patch names the file.
	Patch string
}

// moves and patches mark known tools whose arguments decide what happens to each file. The Effect
// of their calls is Writes.
const (
	moves Effect = iota + 100
	patches
)

// knownTools are the effects of the tools of current agents, by their names in lower case without
// underscores and dashes: Claude Code 2.1.330, Codex 0.169, opencode 1.18.34, pi 1.5.2, qwen-code
// 0.24.4, gemini-cli 0.61.0, Cline 3.0.65 and 2.18.0, Copilot CLI 1.0.102, Continue 1.5.47,
// Mastra 1.71.0, Droid 0.215.0, Letta Code 0.25.9, Goose, OpenHands, SWE-agent, the reference
// servers of MCP.
var knownTools = func() map[string]Effect {
	known := map[string]Effect{}
	for effect, names := range map[Effect]string{
		Reads: "read readfile readfiles readmanyfiles view viewfile viewimage open openfile cat " +
			"notebookread readtextfile readmediafile readmultiplefiles getfile getfilecontents " +
			"fileread mastraworkspacereadfile " + listingTools,
		Writes: "write writefile writetofile create createfile edit editor editfile editnotebook " +
			"multiedit texteditor strreplace strreplaceeditor strreplacebasededittool " +
			"replace replaceinfile searchreplace insert append appendfile notebookedit filewrite " +
			"fileedit insertcontent createorupdatefile replacestringinfile " +
			"multireplacestringinfile inserteditintofile mastraworkspacewritefile " +
			"mastraworkspaceeditfile mastraworkspaceastedit",
		patches: "applypatch applydiff patch",
		moves:   "move movefile rename renamefile copyfile",
		Deletes: "delete deletefile deletefiles remove removefile rm unlink trash " +
			"mastraworkspacedelete",
		Runs: "bash shell exec execcommand execute executebash executecommand run runcommand " +
			"runcommands runshellcommand runinterminal terminal localshell shellcommand " +
			"cmd powershell containerexec unifiedexec bashtool python ipython runpython " +
			"executepython codeinterpreter mastraworkspaceexecutecommand " + sessionTool,
	} {
		for name := range strings.FieldsSeq(names) {
			known[name] = effect
		}
	}
	return known
}()

// Tools of Codex (0.169) that return what was printed since the last call: write_stdin, which also
// writes to the session of a command that goes on, and wait, for a script that goes on.
const (
	sessionTool = "writestdin"
	waitTool    = "wait"
)

// listingTools list files, or show what they find in files.
const listingTools = "ls list listdir listdirectory listfiles glob globsearch find findfile " +
	"findfiles findbyname tree directorytree grep greptool grepsearch search searchdir " +
	"searchfile searchfiles searchfilecontent searchcode searchcodebase filesearch " +
	"codebasesearch ripgrep rg mastraworkspacelistfiles mastraworkspacegrep"

// personTools ask the person at the client something and return the answer: AskUserQuestion (Claude
// Code 2.1.332, Kimi Code 2.1.0), question (opencode 1.18.33), request_user_input (Codex 0.171),
// ask_user (gemini-cli 0.61.0, Copilot CLI 1.0.102, Droid 0.215.0), ask_question (Cline 3.0.65).
var personTools = set("askuserquestion", "question", "requestuserinput", "askuser", "askquestion",
	"askfollowupquestion")

// AsksPerson reports whether a tool of this name asks a person something.
func AsksPerson(name string) bool { return personTools[toolName(name)] }

// reportTools return a text that was written for the agent and stands nowhere else: what a
// sub-agent found, or a plan that a person approved. Task and Agent (Claude Code 2.1.330, opencode
// 1.18.33, qwen-code 0.24.4, Copilot CLI 1.0.102, Kimi Code 2.1.0, deepagents), delegate_to_agent
// (gemini-cli 0.61.0), use_subagents (Cline 3.0.65), AgentSwarm (Kimi Code), ExitPlanMode (Claude
// Code, qwen-code).
var reportTools = set("task", "agent", "agentswarm", "delegatetoagent", "usesubagents",
	"exitplanmode")

// ReturnsReport reports whether a tool of this name returns such a text.
func ReturnsReport(name string) bool { return reportTools[toolName(name)] }

// Patches reports whether a tool of this name applies patches.
func Patches(name string) bool { return knownTools[toolName(name)] == patches }

var lists = func() map[string]bool { return set(strings.Fields(listingTools)...) }()

var plainName = strings.NewReplacer("_", "", "-", "")

// toolName returns a tool's name as the tables spell it, without the name of the server that
// provides the tool: that ends at the last "__" or ".".
func toolName(name string) string {
	name = strings.ToLower(name)
	if i := strings.LastIndex(name, "__"); i >= 0 {
		name = name[i+2:]
	}
	name = name[strings.LastIndexByte(name, '.')+1:]
	return plainName.Replace(name)
}

var plainKey = strings.NewReplacer("_", "", "-", "", " ", "")

// keyName returns the name of an argument as the tables spell it.
func keyName(name string) string {
	return plainKey.Replace(strings.ToLower(name))
}

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}
