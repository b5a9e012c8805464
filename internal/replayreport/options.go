package replayreport

import "io"

// Options say what is replayed, under which settings, and what is measured.
type Options struct {
	Files []string  // of conversations; "-" is Stdin
	Stdin io.Reader // read if Files has "-"
	Env   []string  // in the form of os.Environ

	Config    string   // the file; if empty, the one that the environment names
	Profile   string   // if empty, the configuration's
	Set       []string // key=value; overrides the configuration
	Sweep     string   // key=value,value;key=value,value: every combination is measured
	Half      string   // of the conversations: even, odd or all
	Model     string   // replaces the conversations' models; if empty, they are kept
	Usage     []string // files of recorded usage
	Profiles  []string // of prices, in the form of billing.ParseProfile
	Preamble  int      // tokens of tools and instructions of conversations without usage
	Baseline  bool     // measure simple strategies too
	Limit     int      // tokens that the simple strategies fit requests to
	MinTokens int      // shorter conversations are left out
	Dump      string   // folder for the forwarded requests; if empty, they are not written
	Explain   bool     // report the decisions of the planner
	Workers   int      // conversations replayed at once; if zero, one per processor
	// UsageChart and EditsChart are true if these charts will be drawn. Without recorded usage,
	// and without usage and prices, they would show nothing: an error.
	UsageChart, EditsChart bool

	recorded bool // a session file has usage
}
