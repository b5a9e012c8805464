package replay

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"killick/rawjson"
	"killick/view"
)

// Transcript is one recorded conversation.
type Transcript struct {
	ID   string
	File string // the file it was read from
	// Fields are the members of its requests beside the messages, as JSON: a list of "key":value
	// without braces. Empty if there are none.
	Fields   []byte
	Messages []view.Message

	Usage    *Usage  // nil if nothing was recorded
	Preamble int     // the provider's tokens of tools and instructions that it lacks
	Scale    float64 // the provider's tokens for each token of our own count; if zero, 1
	// Notes are what could not be read of a session file, with numbers of lines or conversations.
	Notes map[string]int
}

// NameApart makes ids unique: it appends a number to the id of a conversation if an earlier one has
// the same id.
func NameApart(all []*Transcript) {
	taken := map[string]bool{}
	for _, t := range all {
		taken[t.ID] = true
	}
	seen := map[string]bool{}
	for _, t := range all {
		id := t.ID
		for n := 2; seen[t.ID]; n++ {
			if next := fmt.Sprintf("%s (%d)", id, n); !taken[next] {
				t.ID = next
			}
		}
		seen[t.ID], taken[t.ID] = true, true
	}
}

// Model returns the model that its requests name, "" if they name none.
func (t *Transcript) Model() string {
	return rawjson.Value("{" + string(t.Fields) + "}").Get("model").Text()
}

// Turns returns the indices of the model's answers: all assistant messages except one at index 0.
// The request of answer t is the messages before t.
func (t *Transcript) Turns() (turns []int) {
	for i := range t.Messages {
		if i > 0 && t.Messages[i].Role() == view.Assistant {
			turns = append(turns, i)
		}
	}
	return turns
}

// requests returns its requests in order: the recorded ones, else one for each answer of the model.
func (t *Transcript) requests() (all []UsageOfAnswer) {
	if t.Usage != nil {
		return t.Usage.Requests
	}
	for _, at := range t.Turns() {
		all = append(all, UsageOfAnswer{Messages: at})
	}
	return all
}

// size returns the approximate size of the conversation in bytes.
func (t *Transcript) size() (n int64) {
	for i := range t.Messages {
		n += int64(len(t.Messages[i].Raw))
	}
	return n
}

// head returns the bytes of a request that precede the array of messages.
func (t *Transcript) head() []byte {
	var b []byte
	b = append(b, '{')
	if len(t.Fields) > 0 {
		b = append(append(b, t.Fields...), ',')
	}
	return append(b, `"messages":`...)
}

// Body returns the request that holds the first n messages.
func (t *Transcript) Body(n int) []byte { return t.body(&UsageOfAnswer{Messages: n}) }

// body returns the body of a request.
func (t *Transcript) body(r *UsageOfAnswer) []byte {
	size := len(t.Fields) + 32
	for i := range r.Messages {
		size += len(t.Messages[i].Raw) + 1
	}
	b := append(make([]byte, 0, size), t.head()...)
	b = append(b, '[')
	first := true
	for i := range r.Messages {
		if !r.holds(i) {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		b, first = append(b, t.Messages[i].Raw...), false
	}
	return append(b, "]}"...)
}

// sameFields reports whether a forwarded body equals a request of t outside the messages, byte for
// byte. array is the array of messages in body.
func (t *Transcript) sameFields(body []byte, array rawjson.Value) bool {
	head := t.head()
	return bytes.HasPrefix(body, head) && len(head)+len(array)+1 == len(body) &&
		body[len(body)-1] == '}'
}

// Usage is what a client recorded of the requests of one conversation: when each was sent, and how
// many tokens the provider counted.
type Usage struct {
	ID       string `json:"-"`               // "id", a text or a number
	Preamble int    `json:"standing_tokens"` // of tools and instructions that the transcript lacks
	// Scale is the number of the provider's tokens for each token of our own count. If zero, 1.
	Scale float64 `json:"scale"`
	// TTL is the cache lifetime that the client asked for, in seconds. If zero, defaultTTL.
	TTL      int             `json:"ttl"`
	Requests []UsageOfAnswer `json:"requests"`
}

// UsageOfAnswer is one recorded request and its answer.
type UsageOfAnswer struct {
	// Messages counts messages of the transcript: the request held all messages before that index,
	// except the ranges in Skip.
	Messages int      `json:"messages"`
	Skip     [][2]int `json:"skip"` // left out by the client: its own compactions and branches
	Model    string   `json:"model"`
	Sent     seconds  `json:"t"`
	Ended    seconds  `json:"end"`
	Read     int      `json:"read"`  // tokens that were cached
	Written  int      `json:"write"` // tokens written to the cache
	Fresh    int      `json:"input"` // tokens neither cached nor written
	Output   int      `json:"output"`
	Reply    string   `json:"-"` // the id of the answer in a session file; "" if unknown
}

// Total returns all input tokens.
func (u *UsageOfAnswer) Total() int { return u.Read + u.Written + u.Fresh }

// holds reports whether the message at an index was in the request.
func (u *UsageOfAnswer) holds(i int) bool {
	return i < u.Messages &&
		!slices.ContainsFunc(u.Skip, func(r [2]int) bool { return r[0] <= i && i < r[1] })
}

// seconds are seconds since 1970.
type seconds float64

// Time returns the instant; the zero Time for zero.
func (s seconds) Time() time.Time {
	if s == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(s * 1000)).UTC()
}
