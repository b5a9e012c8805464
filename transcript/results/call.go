package results

// Call is what the meaning of a result depends on beside the result.
type Call struct {
	Name    string // of the tool, as the client spells it
	Tool    string // the same in lower case, without the name of the server, "_" and "-"
	Command string // that it runs, "" if it runs none

	// What the call does: it runs a command, shows something, or writes or deletes files by a tool
	// that is known to; of the latter, by patches.
	Runs, Reads, Writes, Patches bool
	Beside                       bool // it says that its command runs beside the conversation

	Arguments

	// What was read of the result before: see [Call.Output].
	Failed, Exited bool
}

// Arguments are those of a call, as far as the meaning of its result depends on them.
type Arguments interface {
	Has(argument string) bool // reports whether there is one of this name
	OnlyReads() bool          // reports whether they are a command that is known to change nothing
}

// Status is how a call ended, by explicit statements in its result.
type Status byte

// The statuses. Without an explicit statement the status is Unknown. The output of a command is
// never such a statement, whatever it says.
const (
	Unknown Status = iota
	OK
	Failed
	Refused // the person or the client did not allow it to run
	Stopped // a command or sub-agent in the background that was ended before it had ended by itself
)

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}
