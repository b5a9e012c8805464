package transcript

import (
	"slices"
	"strings"

	"killick/transcript/shell"
)

// otherLanguages are the tools that run programs of another language than the shell's.
var otherLanguages = set("python", "ipython", "runpython", "executepython", "codeinterpreter",
	"cmd", "powershell")

// shellCommand returns the command that a call gives to a shell, "" if there is none.
func (c *Call) shellCommand() string {
	tool := c.tool
	if c.Effect != Runs || c.script != nil || knownTools[tool] != Runs || otherLanguages[tool] {
		return ""
	}
	var words []string
	for i := range c.Args {
		switch a := &c.Args[i]; {
		case !a.Quoted:
		case a.Key == "command" || a.Key == "cmd" || a.Key == "commandLine":
			return c.Command
		case a.root() == "command" || a.root() == "cmd" || a.root() == "commands":
			words = append(words, a.Text)
		}
	}
	if len(words) == 3 && c.Command == strings.TrimSpace(words[2]) || len(words) == 1 {
		return c.Command // ["bash", "-lc", "…"]
	}
	for i, w := range words { // a program and its arguments, which are quoted for the shell
		if strings.ContainsAny(w, " \t\n'\"\\$`*?[]{}()<>|&;~#!") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// readCommand returns what is read of the call's command.
func (c *Call) readCommand() *shell.Command {
	if c.commanded == nil {
		return &shell.Command{}
	}
	c.commanded.once.Do(func() {
		command := c.shellCommand()
		known := command != ""
		if !known && c.script == nil && !otherLanguages[c.tool] {
			command = c.Command
		}
		read := shell.ReadIn(c.startFolder(), command)
		if c.tool == "powershell" {
			read = shell.ReadPowerShell(c.Command)
		}
		if !known { // the tool is in no table: another shell may run it
			for i := range read.Changes {
				read.Changes[i].Certain = shell.Never
			}
		}
		c.commanded.read = read
	})
	return &c.commanded.read
}

// OnlyReads reports whether the call runs only programs that are known to show something and to
// change nothing.
func (c *Call) OnlyReads() bool { return c.readCommand().OnlyReads() }

// ChangesNothing reports whether the call is known to only show something: its tool is in the
// tables and reads, or it runs only programs that do.
func (c *Call) ChangesNothing() bool {
	return c.Known() && c.Effect == Reads || c.Lists() || c.OnlyReads()
}

// background are the parameter names that let a command continue after its result.
var background = []string{"run_in_background", "is_background", "isBackground", "background",
	"fireAndForget"}

// InBackground reports whether the call runs a command beside the conversation: its result is what
// the agent says of that, not what the command printed.
func (c *Call) InBackground() bool {
	return c.begun || c.Effect == Runs && slices.ContainsFunc(background, func(name string) bool {
		a := c.argument(name)
		return a != nil && a.Text == "true"
	})
}
