package results

import "killick/view"

// frame is an agent's form of stating how a command ended.
type frame struct {
	tools map[string]bool // the agent's tools that answer with it, as tables spell them
	// bare is set if results of these tools may lack it, so that a program can print the same line
	// in its place.
	bare bool
	// always is set if the agent writes it after every output.
	always bool
	// argument is in every call of the agent, where other agents have tools of the same name; "":
	// none is needed.
	argument string
}

var (
	claudeFrame   = &frame{tools: set("bash", "powershell"), bare: true}
	clineFrame    = &frame{tools: set("runcommands"), bare: true}
	oldClineFrame = &frame{tools: set("executecommand")}
	continueFrame = &frame{tools: set("bash", "runterminalcommand"), bare: true}
	piFrame       = &frame{tools: set("bash"), bare: true}
	// The tools of other agents have the same names.
	copilotFrame  = &frame{tools: set("bash", "powershell"), bare: true, always: true}
	opencodeFrame = &frame{tools: set("bash"), bare: true}
	handsFrame    = &frame{tools: set("executebash", "run", "cmdrun", "terminal")}
	geminiFrame   = &frame{tools: set("runshellcommand")}
	qwenFrame     = &frame{tools: set("runshellcommand"), bare: true}
	grokFrame     = &frame{tools: set("runterminalcommand"), argument: "description"}
	clawFrame     = &frame{tools: set("exec"), bare: true, argument: "command"}
	// LangChain's deepagents 1.14.1
	deepFrame = &frame{tools: set("execute"), bare: true, always: true, argument: "command"}
	// Vercel's bash-tool 1.3.19 for the AI SDK: an object
	printFrame = &frame{tools: set("bash"), bare: true, always: true, argument: "command"}
	// Letta Code 0.25.9
	lettaFrame = &frame{tools: set("shellcommand"), bare: true}
	kimiFrame  = &frame{tools: set("bash"), bare: true}
	// Mastra 1.71.0: after a command that failed
	mastraFrame = &frame{tools: set("mastraworkspaceexecutecommand"), bare: true}
	// Droid 0.215.0: after every output, unless Droid ended the command, which the first line
	// says. The argument is required.
	droidFrame = &frame{tools: set("execute"), argument: "riskLevel"}
	codexFrame = &frame{tools: set("shell", "localshell", "shellcommand", "exec", "execcommand",
		"containerexec", "unifiedexec", "writestdin", "applypatch", "wait")}
)

// ofAgent reports whether a frame in the result m states how the call ended. It does not if other
// tools write it. A bare frame also does not if the command only shows something, because that may
// be a log with such a line, or if the API says that the call did not fail.
func (c *Call) ofAgent(f *frame, m *view.Message) bool {
	return f.tools[c.Tool] && (f.argument == "" || c.Has(f.argument)) &&
		!(f.bare && (c.OnlyReads() || deniesError(m)))
}

// mayFrame reports whether the last line of the result m may be a frame. Of an agent that ends
// every output with it, what a command shows is not said to end with that line.
func (c *Call) mayFrame(f *frame, m *view.Message) bool {
	return c.ofAgent(f, m) || f.always && f.tools[c.Tool] && c.OnlyReads()
}

// deniesError reports whether the API says that the call did not fail.
func deniesError(m *view.Message) bool {
	return string(m.Field("is_error")) == "false" || string(m.Field("isError")) == "false"
}
