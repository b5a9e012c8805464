package transcript

import (
	"path"
	"slices"
	"strings"

	"killick/reference"
)

// folderNames are the parameter names for the folder that a command runs in.
var folderNames = []string{"workdir", "cwd", "dir", "directory", "working_directory",
	"dir_path"} // gemini-cli 0.61.0

// folderKeys are the same as keyName spells them.
var folderKeys = func() map[string]bool {
	keys := map[string]bool{}
	for _, name := range folderNames {
		keys[keyName(name)] = true
	}
	return keys
}()

// Folder returns the folder that a call says its command runs in, "" if it does not.
func (c *Call) Folder() string { return c.text(folderNames...) }

// startFolder returns Folder, as far as the paths of a command can be put after it. A relative one
// is in the folder that the paths of other tools are relative to.
func (c *Call) startFolder() string {
	folder := c.Folder()
	if !isPath(folder) || strings.ContainsAny(folder, "\\~$") || reference.Absolute(folder) &&
		!strings.HasPrefix(folder, "/") {
		return ""
	}
	if folder = path.Clean(folder); folder == "." {
		return ""
	}
	return folder
}

// asideKeys are the parameter names, as keyName spells them, for what does not change which command
// runs where: how long to wait, how much output to show, and why.
var asideKeys = set(strings.Fields("timeout timeoutms timeoutsec timeoutsecs timeoutseconds " +
	"yieldms yieldtimems waitms waitmsbeforeasync waitforcompletion waitforpreviousexecution " +
	"initialwait maxoutputtokens maxoutputlength maxoutput maxlines maxchars outputlimit " +
	"description explanation justification reason reasoning rationale thought thinking")...)

// shellKeys are further such names, of the shells of agents: how long, how much and why again, in
// which shell session, with whose permission. A tool of a server may mean something else by them:
// "mode" can be what it deploys to.
var shellKeys = set(strings.Fields("delay limit runinbackground isbackground background async " +
	"blocking detach mode interactive isinput pty tty login shellid sessionid purpose goal " +
	"summary title comment security securityrisk ask elevated requiresapproval " +
	"requireuserapproval safetoautorun prefixrule sandboxpermissions withescalatedpermissions " +
	"dangerouslydisablesandbox risklevel risklevelreason fireandforget " +
	"i")...) // what the call is for: oh-my-pi 18.2.3

// isShell reports whether the tool is an agent's own, rather than a server's, and runs commands.
func (c *Call) isShell() bool {
	return knownTools[plainName.Replace(strings.ToLower(c.Name))] == Runs
}

// commandKeys are the parameter names that the command itself is read from.
var commandKeys = set("command", "cmd", "commandLine", "commands", "script", "code")

// Beside returns the arguments of a call that runs a command which say more about what it runs and
// where than the command and its folder: a host, a container, an input.
func (c *Call) Beside() (beside []Argument) {
	if c.Command == "" {
		return nil
	}
	shell := c.isShell()
	for i := range c.Args {
		a := &c.Args[i]
		root := a.root()
		name := keyName(root)
		if root == "" || a.isNull() || a.Quoted && a.Text == "" || commandKeys[root] ||
			asideKeys[name] || shell && shellKeys[name] || len(c.Args) == 1 {
			continue
		}
		if !slices.Contains(folderNames, a.Key) {
			beside = append(beside, *a)
		}
	}
	return beside
}

// Telling returns the arguments of a call that say what it does: of a shell that is given no
// command, such as one that reads on in a session, those that are not empty and say more than how
// long to wait and how much to show.
func (c *Call) Telling() []Argument {
	if c.Effect != Runs || c.Command != "" || !c.isShell() {
		return c.Args
	}
	return slices.DeleteFunc(slices.Clone(c.Args), func(a Argument) bool {
		return a.isNull() || a.Quoted && a.Text == "" || asideKeys[keyName(a.root())]
	})
}

// place says where a command runs by the arguments beside it that may be names of places, "" if
// there are none. It follows the path of a file, so that no path of another place ends in the same
// way.
func (c *Call) place() string {
	var b strings.Builder
	for _, a := range c.Beside() {
		name := keyName(a.root())
		if a.Quoted && !shellKeys[name] && !folderKeys[name] && !strings.Contains(a.Text, "\n") {
			b.WriteString(" " + a.Key + "=" + a.Text)
		}
	}
	return strings.NewReplacer("/", "|", `\`, "|").Replace(b.String())
}

// Key identifies a call: a call with the same key is a repetition. The key is the tool with all of
// its arguments; for a command, without those that agents vary from call to call, such as timeouts
// and output limits.
func (c *Call) Key() string {
	if c.Command == "" {
		return c.Name + "\x00" + c.Raw
	}
	var b strings.Builder
	b.WriteString(c.Name + "\x00" + c.Folder() + "\x00" + c.Command)
	for _, a := range c.Beside() {
		b.WriteString("\x00" + a.Key + "\x00" + a.Text)
	}
	return b.String()
}
