package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// Usage is what a client recorded of the requests of one conversation: when each was sent, and how
// many tokens the provider counted.
type Usage struct {
	ID       string `json:"id"`
	Standing int    `json:"standing_tokens"` // of tools and instructions that the transcript lacks
	// Scale is the provider's tokens for each token of our own count. If zero, 1.
	Scale    float64         `json:"scale"`
	TTL      int             `json:"ttl"` // seconds that the client asked the cache to last
	Requests []UsageOfAnswer `json:"requests"`
}

// UsageOfAnswer is one recorded request and its answer.
type UsageOfAnswer struct {
	// Messages is how many messages of the transcript were there: the request holds those before
	// that index, but for the ranges in Skip.
	Messages int      `json:"messages"`
	Skip     [][2]int `json:"skip"` // left out by the client: its own compactions and branches
	Model    string   `json:"model"`
	Sent     seconds  `json:"t"`
	Ended    seconds  `json:"end"`
	Read     int      `json:"read"`  // tokens that were cached
	Written  int      `json:"write"` // tokens written to the cache
	Fresh    int      `json:"input"` // tokens neither cached nor written
	Output   int      `json:"output"`
}

// Members of a usage file that are not read: "compactions", which skip shows; "lost", the count and
// usage of requests before this one whose messages the transcript does not have.

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

// ReadUsage reads a usage file: a JSON object for each conversation. name is for errors.
func ReadUsage(name string, from io.Reader) (all []*Usage, err error) {
	values := json.NewDecoder(from)
	for {
		u := &Usage{}
		if err := values.Decode(u); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: conversation %d of usage: %w", name, len(all)+1, err)
		}
		if err := u.validate(); err != nil {
			return nil, fmt.Errorf("%s: usage of conversation %q: %w", name, u.ID, err)
		}
		all = append(all, u)
	}
}

func (u *Usage) validate() error {
	if u.ID == "" || len(u.Requests) == 0 {
		return errors.New(`want "id" and "requests"`)
	}
	if u.Scale == 0 {
		u.Scale = 1
	}
	if u.Scale < 0 || u.Standing < 0 || u.TTL < 0 {
		return errors.New("scale, standing_tokens and ttl must not be negative")
	}
	last := seconds(0)
	for i := range u.Requests {
		r := &u.Requests[i]
		if r.Messages < 1 || r.Sent <= 0 || r.Total() <= 0 {
			return fmt.Errorf("request %d: want messages, t and tokens above zero", i+1)
		}
		if min(r.Read, r.Written, r.Fresh, r.Output) < 0 {
			return fmt.Errorf("request %d: no count of tokens may be negative", i+1)
		}
		if r.Sent < last {
			return fmt.Errorf("request %d: sent before the one that precedes it", i+1)
		}
		if last = r.Sent; r.Ended < r.Sent {
			r.Ended = r.Sent
		}
	}
	return nil
}

// AttachUsage gives each transcript the usage with its id and returns how many found theirs.
func AttachUsage(transcripts []*Transcript, usage []*Usage) (found int, err error) {
	byID := map[string]*Usage{}
	for _, u := range usage {
		if byID[u.ID] != nil {
			return 0, fmt.Errorf("usage of conversation %q: it is given twice", u.ID)
		}
		byID[u.ID] = u
	}
	for _, t := range transcripts {
		u := byID[t.ID]
		if u == nil {
			continue
		}
		for i := range u.Requests {
			if n := u.Requests[i].Messages; n > len(t.Messages) {
				return 0, fmt.Errorf("usage of conversation %q: request %d: %d messages, but the "+
					"transcript has %d", t.ID, i+1, n, len(t.Messages))
			}
		}
		t.Usage, t.Standing, t.Scale = u, u.Standing, u.Scale
		found++
	}
	return found, nil
}
