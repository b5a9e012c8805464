package probe

import "slices"

// Statement is one statement of a model about a conversation, with the words of the
// conversation that support it.
type Statement struct {
	Section  string `json:"section"`
	Text     string `json:"text"`
	Messages []int  `json:"messages"` // their numbers, from 1, without leading instructions
	Quote    string `json:"quote"`    // verbatim from one of them

	// Writer is who wrote the quote, such as "user" or "tool". Ground sets it: no model states it.
	Writer string `json:"-"`

	// At is the number of the first message that holds the quote; Passage is from it. Ground sets
	// it.
	At int `json:"-"`

	// Passage is the quote with its context in its message. [Conversation.Passages] sets it.
	Passage string `json:"-"`

	// Related is what gives the quote its meaning and is not in its message. Passages sets it, too.
	Related Related `json:"-"`
}

// Limits of statements, in characters unless noted.
const (
	MaxText       = 500
	MaxQuote      = 500
	MaxStatements = 100 // that are read
	maxNamed      = 8   // messages that one statement names
)

// Drop is a statement that is not used.
type Drop struct {
	Statement Statement `json:"statement"`
	Reason    Reason    `json:"reason"`
}

// Reason is why a statement or a question is not used.
type Reason string

// The reasons.
const (
	NoText           Reason = "says nothing"
	TooLong          Reason = "too long"
	TooMany          Reason = "more than are read"
	Repeated         Reason = "repeats another"
	NoMessage        Reason = "names no message"
	OutOfRange       Reason = "names a message that is not there"
	QuoteMissing     Reason = "quote not found"
	ValueMissing     Reason = "value not found"
	WordsMissing     Reason = "words not found"
	QuotationMissing Reason = "quotation not found"
	Outdated         Reason = "no longer so"
	HoldsCredential  Reason = "holds a credential"
	Contradicted     Reason = "contradicted"      // by the model that verifies
	NotEnough        Reason = "not enough"        // says the model that verifies
	AnswerAbsent     Reason = "answer not found"  // of a question
	AnswerGiven      Reason = "gives its answer"  // of a question
	NoAnswer         Reason = "expects no answer" // of a question
	NoCategory       Reason = "of no category"    // of a question
)

// Support is a verifying model's answer about a statement.
type Support string

// The answers of a verifying model.
const (
	Supported    Support = "supported"
	Opposed      Support = "contradicted"
	Insufficient Support = "not enough"
	Unanswered   Support = "" // it said nothing about the statement
)

// Verified returns the statements that a model supports. A statement without an
// answer is not supported.
func Verified(statements []Statement, answers []Support) (kept []Statement, dropped []Drop) {
	for i, s := range statements {
		answer := Unanswered
		if i < len(answers) {
			answer = answers[i]
		}
		switch answer {
		case Supported:
			kept = append(kept, s)
		case Opposed:
			dropped = append(dropped, Drop{s, Contradicted})
		default:
			dropped = append(dropped, Drop{s, NotEnough})
		}
	}
	return kept, dropped
}

// distinct returns numbers in order, without repetitions.
func distinct(numbers []int) []int {
	return slices.Compact(slices.Sorted(slices.Values(numbers)))
}

// Related is what gives a quote its meaning and is not in its message.
type Related struct {
	Kind Relation // "" if there is nothing
	Text string   // both ends of it, if it is long
}

// Relation is what a related text is to the message of a quote.
type Relation string

// The relations.
const (
	ItsCall   Relation = "call of the quoted result"
	ItsResult Relation = "result of the quoted call"
	Before    Relation = "assistant's words before the quoted message"
	Asked     Relation = "user's message before the quoted words"
)
