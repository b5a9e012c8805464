package programs

// Place is where one run happens, and what it talks to.
type Place struct {
	Bin   string // the installed programs
	Home  string
	Dir   string // the project
	Base  string // URL that requests go to, without /v1
	Early bool   // the agent is to compact its own conversation early
}

// Agent is one program in one configuration.
type Agent struct {
	Name    string
	Module  string // of Pinned
	Model   string
	Format  string // one of those of formats.go
	Dialect Dialect
	// Parallel is set if the agent carries out two calls of one answer.
	Parallel bool
	// Stored is set if the agent leaves parts of its turns with the server, so that only outputs
	// are replaced, which does not halve every run.
	Stored bool
	// TurnsAPrompt is how many turns the agent is given with one prompt; if 0, 30.
	TurnsAPrompt int
	// Trigger and Target are those of the proxy where the usual ones leave too little room behind
	// the agent's tools and instructions; if empty, the usual ones.
	Trigger, Target string
	// Files are written below home before the first prompt.
	Files func(Place) map[string]string
	// Command returns the arguments and variables for one prompt; first is false for those that
	// continue the conversation.
	Command func(p Place, prompt string, first bool) Setup
}

// Setup is how a program is started.
type Setup struct {
	Args []string
	Env  []string
}

const fakeKey = "sk-scripted-0000000000"
