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

	Has       func(argument string) bool // reports whether it has an argument of this name
	OnlyReads func() bool                // reports whether its command is known to change nothing

	// What was read of the result before: see [Call.Output].
	Failed, Exited bool
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
)

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}
