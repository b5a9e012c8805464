package replay

import (
	"time"

	"killick/replay/search"
	"killick/view"
)

// Study is the analysis of a conversation before anything is forwarded: what the answer of each
// turn uses, and where that occurred. It serves one measurement at a time.
type Study struct {
	*Transcript
	Tokens int // of all messages, tools and framing, without filler tools

	counter  Counter
	overhead int     // tokens outside the messages, without filler tools
	filler   int     // tokens of the filler tools; see withPreamble
	preamble float64 // the provider's tokens of everything that precedes the messages
	scale    float64
	tools    []byte // what precedes the messages in a provider's cache
	messages []*message
	turns    []turn
	finder   *search.Finder
	places   *places // of references; nil while the conversation is read

	ignoredSkips int // recorded skips whose messages were sent after all

	memo map[view.Fingerprint]*message // messages are forwarded repeatedly
}

// message has the facts about one message that do not depend on its position.
type message struct {
	fingerprint view.Fingerprint
	role        view.Role
	tokens      int
	holds       search.Found
	located     []int32         // of the references in unescaped text; see places
	recorded    bool            // it is in a recorded request that was weighed
	weight      float64         // if recorded, the provider's tokens of it
	calls       []string        // the keys of its calls; see callKey
	answers     string          // the key of the call that it is the result of
	contains    map[string]bool // texts that were searched in it, and whether they were found
}

// turn is one answer of the model, with its request and what the answer used of the request.
type turn struct {
	at         int // index of the answer; the request has the messages before it that it holds
	request    *UsageOfAnswer
	messages   []*message // of the request
	fresh      int        // how many of its last messages were in no earlier request
	arrived    int        // tokens after the longest common prefix with the previous request
	restarted  bool       // the request leaves out messages of the previous one, or adds older ones
	tokens     int        // of the request
	references []usedReference
	decoded    []int32 // old references in the answer's unescaped text
	quotes     []usedQuote
	words      words
	broken     int // pairs of calls and results that the client itself broke

	sent, ended time.Time // as recorded, or zero
	shrink      float64   // factor of the weights of recorded messages
	shared      float64   // tokens of the preamble that were cached before the first turn
	lost        bool      // the client's cache was lost, except the first kept tokens
	kept        float64
}

type usedReference struct {
	id  int32
	old bool // it last occurred more than oldAfter messages earlier
}

type usedQuote struct {
	id   int32
	edit bool
	name bool
	// source is the latest message of a tool or the user that contains the line. If none does and
	// an edit quotes it, source is the latest message of the model that contains it.
	source int
}

// oldAfter is the distance in messages past which a reference is old.
const oldAfter = 10

func commonMessages(a, b []*message) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// interner gives texts numbers.
type interner struct {
	ids   map[string]int32
	texts []string
	seen  []int // by number: the last list in addOnce, plus one
}

func newInterner() *interner { return &interner{ids: map[string]int32{}} }

func (n *interner) id(text string) int32 {
	id, ok := n.ids[text]
	if !ok {
		id = int32(len(n.texts))
		n.ids[text] = id
		n.texts = append(n.texts, text)
		n.seen = append(n.seen, 0)
	}
	return id
}

// addOnce appends the number of text to ids if it is not there yet. list is the number of the list.
func (n *interner) addOnce(ids []int32, text string, list int) []int32 {
	id := n.id(text)
	if n.seen[id] == list+1 {
		return ids
	}
	n.seen[id] = list + 1
	return append(ids, id)
}

func sum(messages []*message) (tokens int) {
	for _, m := range messages {
		tokens += m.tokens
	}
	return tokens
}

// words are the user's texts that no request may lose.
type words struct {
	// what a person typed in their first and in their latest message; see typedRuns
	task, request []string
	last          string   // the latest message with the role user, whoever wrote it
	newest        []string // runs of the newest messages of persons, the oldest first
}

// places determines which references of a text are located.
type places struct {
	history string          // all messages, unescaped, white space as single spaces
	known   map[string]bool // contexts that were searched in history, and whether they are in it
	tools   map[string]bool
	files   map[string]bool // base names of the files that calls name, in commands too
}
