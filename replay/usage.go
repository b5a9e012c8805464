package replay

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"killick/rawjson"
)

// defaultTTL is five minutes, what providers use if a client asks for no lifetime.
const defaultTTL = 300

// Limits of what a usage file may state. Values beyond them are in other units, or mistakes.
const (
	minScale   = 0.2
	maxScale   = 5
	maxTokens  = 1_000_000_000         // of each count of a request
	lastSecond = seconds(253402300799) // the end of the year 9999
)

// MaxPreamble is the largest number of tokens of tools and instructions that can be simulated.
const MaxPreamble = 10_000_000

// Two members of usage files are not read: "compactions", since skip shows them, and "lost", the
// count and usage of earlier requests whose messages the transcript does not have.

// ReadUsage reads a usage file: a JSON object for each conversation. name is for errors.
func ReadUsage(name string, from io.Reader) (all []*Usage, err error) {
	err = eachValue(name, from, wantedUsage, func(_ int, v rawjson.Value) error {
		u, err := parseUsage(v)
		all = append(all, u)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

const wantedUsage = `an object with "id" and "requests" for each conversation`

// parseUsage reads the usage of one conversation.
func parseUsage(value rawjson.Value) (*Usage, error) {
	if value.Kind() != rawjson.Object {
		return nil, errors.New("want " + wantedUsage)
	}
	id, err := idOf(value.Get("id"))
	if err != nil {
		return nil, err
	}
	u := &Usage{ID: id}
	if err := json.Unmarshal(value, u); err != nil {
		return nil, fmt.Errorf("usage of conversation %q: %w", id, err)
	}
	if err := u.validate(); err != nil {
		return nil, fmt.Errorf("usage of conversation %q: %w", id, err)
	}
	return u, nil
}

func (u *Usage) validate() error {
	if u.ID == "" || len(u.Requests) == 0 {
		return errors.New("want " + wantedUsage)
	}
	u.Scale = cmp.Or(u.Scale, 1)
	u.TTL = cmp.Or(u.TTL, defaultTTL)
	switch {
	case u.Scale < minScale || u.Scale > maxScale:
		return fmt.Errorf("scale %g: want %g to %d", u.Scale, minScale, maxScale)
	case u.Preamble < 0 || u.Preamble > MaxPreamble:
		return fmt.Errorf("standing_tokens %d: want 0 to %d", u.Preamble, MaxPreamble)
	case u.TTL < 0:
		return fmt.Errorf("ttl %d: must not be negative", u.TTL)
	}
	last := seconds(0)
	for i := range u.Requests {
		r := &u.Requests[i]
		if err := r.validate(); err != nil {
			return fmt.Errorf("request %d: %w", i+1, err)
		}
		if r.Sent < last {
			return fmt.Errorf("request %d: sent before request %d", i+1, i)
		}
		if last = r.Sent; r.Ended < r.Sent {
			r.Ended = r.Sent
		}
	}
	return nil
}

func (u *UsageOfAnswer) validate() error {
	counts := []int{u.Read, u.Written, u.Fresh, u.Output}
	switch {
	case slices.Min(counts) < 0 || slices.Max(counts) > maxTokens:
		return fmt.Errorf("want counts of tokens from 0 to %d", maxTokens)
	case u.Messages < 1 || u.Sent <= 0 || u.Total() <= 0:
		return errors.New("want messages, t and tokens above zero")
	case max(u.Sent, u.Ended) > lastSecond:
		return errors.New("want t and end in seconds since 1970")
	}
	for _, r := range u.Skip {
		if r[0] < 0 || r[1] < r[0] {
			return fmt.Errorf("skip %v: want a range from a message to a later one", r)
		}
	}
	return nil
}

// AttachUsage gives each transcript the usage with its id, and returns how many transcripts have
// usage.
func AttachUsage(transcripts []*Transcript, usage []*Usage) (found int, err error) {
	byID := map[string]*Usage{}
	for _, u := range usage {
		if byID[u.ID] != nil {
			return 0, fmt.Errorf("two usages of conversation %q", u.ID)
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
		t.Usage, t.Preamble, t.Scale = u, u.Preamble, u.Scale
		found++
	}
	return found, nil
}
