// Package billing computes what a provider charges for the input of requests: with its prices, a
// simulated prompt cache, and the cache's lifetime.
//
// It reads no conversation: a request is the sizes and the identities of its messages.
package billing

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Profile describes how a provider prices prompts. Prices are relative to a fresh input token.
type Profile struct {
	Name     string        `json:"name"`
	Cached   float64       `json:"cached"`   // to read a cached token
	Write    float64       `json:"write"`    // to write one to the cache
	Output   float64       `json:"output"`   // of a completion token
	Lifetime time.Duration `json:"lifetime"` // of a cached prefix since it was last used
	Match    Match         `json:"match"`    // if empty, MatchPrefix
	Minimum  int           `json:"minimum"`  // tokens; shorter prefixes are not cached
	Cliff    Cliff         `json:"cliff"`
}

// Match is the rule by which a prefix is found in the cache.
type Match string

// The rules. A client is assumed to mark the end of the preamble and its last message. A
// provider's limit on how many blocks it looks back from a mark is not simulated.
const (
	MatchPrefix Match = "prefix" // the longest prefix of whole messages that was sent
	MatchMark   Match = "mark"   // only prefixes that ended at a mark
)

// Cliff is a size past which every token of a request costs more.
type Cliff struct {
	Above  int     `json:"above"`  // tokens; if zero, there is none
	Factor float64 `json:"factor"` // of every price of the request
}

// defaultOutput is the price of output in the built-in profiles: for most models of 2026, five
// times the price of input.
const defaultOutput = 5

// DefaultProfiles have the price ratios and lifetimes that are published for current models.
var DefaultProfiles = []Profile{
	builtIn(.25, 1, 5*time.Minute),
	builtIn(.1, 1, 5*time.Minute),
	builtIn(.1, 1.25, 5*time.Minute),
	builtIn(.05, 1.25, 5*time.Minute),
	builtIn(.05, 2, time.Hour),
	builtIn(.025, 1.25, 5*time.Minute),
	builtIn(.02, 1, 5*time.Minute),
}

func builtIn(cached, write float64, lifetime time.Duration) Profile {
	p := Profile{Cached: cached, Write: write, Output: defaultOutput, Lifetime: lifetime,
		Match: MatchPrefix}
	p.Name = p.ratios()
	return p
}

// ratios returns the default name of a profile: its prices of input, its lifetime, and what else
// differs from the default.
func (p *Profile) ratios() string {
	cached := strings.TrimPrefix(strconv.FormatFloat(p.Cached, 'g', -1, 64), "0.")
	if p.Cached > 0 && p.Cached < 1 {
		cached = "." + cached
	}
	name := fmt.Sprintf("p %s, w %g, %s", cached, p.Write, p.ShortLifetime())
	if p.Output != defaultOutput {
		name += fmt.Sprintf(", out %g", p.Output)
	}
	if p.Match == MatchMark {
		name += ", match mark"
	}
	if p.Minimum > 0 {
		name += fmt.Sprintf(", min %d", p.Minimum)
	}
	if p.Cliff.Above > 0 {
		name += fmt.Sprintf(", cliff %dx%g", p.Cliff.Above, p.Cliff.Factor)
	}
	return name
}

// ShortLifetime formats the lifetime without units that are zero.
func (p *Profile) ShortLifetime() string {
	switch {
	case p.Lifetime%time.Hour == 0:
		return fmt.Sprintf("%dh", p.Lifetime/time.Hour)
	case p.Lifetime%time.Minute == 0:
		return fmt.Sprintf("%dm", p.Lifetime/time.Minute)
	}
	return p.Lifetime.String()
}

// ParseProfile reads "p=.05,w=1.25,ttl=5m,out=5,match=prefix,min=1024,cliff=200000x2,name=mine".
// The defaults are p=.1, w=1, ttl=5m, out=5 and match=prefix, without a minimum and a cliff.
func ParseProfile(text string) (Profile, error) {
	p := builtIn(.1, 1, 5*time.Minute)
	p.Name = ""
	for pair := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok {
			return p, fmt.Errorf("%q: want key=value, such as p=.05", pair)
		}
		if err := p.set(key, value); err != nil {
			return p, fmt.Errorf("%s=%s: %w", key, value, err)
		}
	}
	if p.Name == "" {
		p.Name = p.ratios()
	}
	return p, nil
}

func (p *Profile) set(key, value string) (err error) {
	switch key {
	case "p":
		p.Cached, err = share01(value)
	case "w":
		p.Write, err = positive(value)
	case "out":
		p.Output, err = positive(value)
	case "ttl":
		if p.Lifetime, err = time.ParseDuration(value); err != nil || p.Lifetime <= 0 {
			err = errors.New("want a time with its unit, such as 5m")
		}
	case "match":
		if p.Match = Match(value); p.Match != MatchPrefix && p.Match != MatchMark {
			err = errors.New("want prefix or mark")
		}
	case "min":
		if p.Minimum, err = strconv.Atoi(value); err != nil || p.Minimum < 0 {
			err = errors.New("want a number of tokens, such as 1024")
		}
	case "cliff":
		above, factor, _ := strings.Cut(value, "x")
		if p.Cliff.Above, err = strconv.Atoi(above); err == nil {
			p.Cliff.Factor, err = positive(factor)
		}
		if err != nil || p.Cliff.Above <= 0 || p.Cliff.Factor < 1 {
			err = errors.New("want tokens x factor, such as 200000x2, with a factor of 1 or more")
		}
	case "name":
		p.Name = value
	default:
		err = errors.New("want p, w, ttl, out, match, min, cliff or name")
	}
	return err
}

func share01(value string) (float64, error) {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || !(v >= 0 && v <= 1) {
		err = errors.New("want a share from 0 to 1, such as 0.1")
	}
	return v, err
}

func positive(value string) (float64, error) {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || !(v > 0 && v < 1000) {
		err = errors.New("want a number above 0 and below 1000")
	}
	return v, err
}

// factor returns the factor of all prices for a request of this many tokens.
func (p *Profile) factor(tokens float64) float64 {
	if p.Cliff.Above > 0 && tokens > float64(p.Cliff.Above) {
		return p.Cliff.Factor
	}
	return 1
}
