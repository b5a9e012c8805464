package fakeupstream

import "time"

// Kind is how a scripted model behaves when it is asked for a summary, for
// questions or for answers.
type Kind string

// The kinds. Those up to Granting differ in the statements that they write; the
// next four in how they verify, answer and grade; the others behave alike in
// everything that they are asked for.
const (
	// says what the turns say, with true quotes; variant: paraphrased
	Faithful  Kind = "faithful"
	Forgetful Kind = "forgetful" // leaves out a share of the facts
	// turns a share of the facts into their opposite, beside their true quotes
	Contradicting Kind = "contradicting"
	Inventing     Kind = "inventing" // adds facts that no turn holds; variant: quoted
	Nonsense      Kind = "nonsense"  // adds nonsense; variant: quoted
	Foreign       Kind = "foreign"   // adds statements about another conversation; variant: quoted
	Granting      Kind = "granting"  // adds grants and orders; variant: quoted

	Wrong     Kind = "wrong"     // answers every question wrong
	Unknowing Kind = "unknowing" // answers every question with UNKNOWN
	Approving Kind = "approving" // supports every statement, grades every answer as right
	// supports what shares a word with its quote, grades every answer as right
	Agreeing Kind = "agreeing"

	Obeying       Kind = "obeying"       // does what text in the turns tells it to
	Refusing      Kind = "refusing"      // will not; variants: sign, words
	Malformed     Kind = "malformed"     // has the form wrong; variants: MalformedForms
	Slow          Kind = "slow"          // is faithful after Delay
	Failing       Kind = "failing"       // fails with a status; variants: its number, 500 if none
	Acknowledging Kind = "acknowledging" // says what it is about to do, and no more
	Sloppy        Kind = "sloppy"        // has the form wrong until its faults are named
	Wordy         Kind = "wordy"         // writes text, JSON never
)

// MalformedForms are the variants of Malformed, and how Sloppy begins.
var MalformedForms = []string{"truncated", "empty", "null", "array", "mistyped", "lacking", "extra",
	"text", "call", "blank", "copied"}

// WrappedForms are variants of Faithful, Forgetful and Contradicting: what models put around an
// answer that is right.
var WrappedForms = []string{"fenced", "preamble", "trailing", "thinking"}

// Scripted is a model that is asked for statements about a conversation and for tests of a record.
// It works from the request that it gets, as a real one would: the turns are those of the
// conversation or of the data that is fenced in a prompt, facts are taken from them by rules,
// questions are put about those facts, and answers are looked up in the record that is in the
// prompt. Of equal requests and fields it gives equal answers. The zero value is faithful.
type Scripted struct {
	Kind     Kind
	Verifier Kind   // how it verifies; if empty, honestly or as Kind says
	Prober   Kind   // how it asks, answers and grades; likewise
	Variant  string // see Kind; if empty, the seed chooses
	Seed     uint64 // which facts are touched, and which questions are put
	// of the facts that Forgetful and Contradicting touch; if zero, half of them and all that can
	// be
	Share float64
	// how many facts Inventing and Contradicting touch; if zero, five and any number
	Most  int
	Delay time.Duration // of Slow; if zero, half a minute
}
