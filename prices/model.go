// Package prices has models' prices and the behaviour of their prompt caches: a table with sources,
// looked up by the name of a model. It is only data and arithmetic. It reads no clock, no file of
// the operator and no request, and makes no decisions.
package prices

import (
	"cmp"
	"fmt"
	"time"
)

// Model is the prices of a model, in US dollars per million tokens, and the behaviour of its
// provider's prompt cache. It is comparable; the yaml tags are the keys of a file of prices.
type Model struct {
	Input  float64 `yaml:"input"`  // not in the cache
	Cached float64 `yaml:"cached"` // in the cache; if zero in a file, there is no discount
	Write  float64 `yaml:"write"`  // written to the cache; if zero in a file, as Input
	Output float64 `yaml:"output"`

	// Lifetime is how long a cache entry lives after its last use. Zero: not documented.
	Lifetime time.Duration `yaml:"lifetime"`
	Extended Extended      `yaml:"extended"`
	Match    Match         `yaml:"match"`
	// Minimum is the minimum number of tokens of a cached prefix. Zero: not documented.
	Minimum int   `yaml:"minimum"`
	Cliff   Cliff `yaml:"cliff"`
	Peak    Peak  `yaml:"peak"`

	Source string `yaml:"source"` // where the facts are from: keys of the file's sources
}

// Extended is a longer lifetime that a client may ask for.
type Extended struct {
	Lifetime time.Duration `yaml:"lifetime"` // zero: there is none
	Write    float64       `yaml:"write"`    // its price; if zero in a file, as Write
}

// Match is the rule by which a request finds cached prefixes.
type Match string

// The rules. Empty: not documented.
const (
	// MatchPrefix finds the longest prefix that was sent before.
	MatchPrefix Match = "prefix"
	// MatchBreakpoint finds a prefix only if it ends exactly at a breakpoint that was written.
	MatchBreakpoint Match = "breakpoint"
	// MatchMark finds a prefix only if it ends at a client's mark, or shortly before one.
	MatchMark Match = "mark"
)

// UnmarshalText reads one of the rules.
func (m *Match) UnmarshalText(text []byte) error {
	switch rule := Match(text); rule {
	case MatchPrefix, MatchBreakpoint, MatchMark:
		*m = rule
		return nil
	}
	return fmt.Errorf("%.40q is none of prefix, breakpoint, mark", text)
}

// Cliff is a size past which a whole request is charged at other prices.
type Cliff struct {
	Above  int     `yaml:"above"` // tokens of input; zero: there is none
	Input  float64 `yaml:"input"` // factor on Input and on writes
	Cached float64 `yaml:"cached"`
	Output float64 `yaml:"output"`
}

// Peak are hours at which all prices are multiplied.
type Peak struct {
	Hours  Hours   `yaml:"hours"`  // UTC
	Days   Days    `yaml:"days"`   // UTC; empty: every day
	Factor float64 `yaml:"factor"` // zero: there are none
}

// Shares are the prices of a model as fractions of the price of fresh input.
type Shares struct{ Cached, Write, Output float64 }

// Shares returns p, w and the output's share, in the terms of docs/design.md.
func (m Model) Shares() Shares {
	if m.Input <= 0 {
		return Shares{}
	}
	return Shares{Cached: m.Cached / m.Input, Write: m.Write / m.Input, Output: m.Output / m.Input}
}

// At returns the model with the prices at a time: peak prices during peak hours.
func (m Model) At(t time.Time) Model {
	t = t.UTC()
	if m.Peak.Factor <= 0 || !m.Peak.Hours.Has(t.Hour()) || !m.Peak.Days.Has(t.Weekday()) {
		return m
	}
	return m.times(m.Peak.Factor)
}

// Long returns the model for clients that ask for the longer lifetime: with that lifetime and its
// price of writes. If there is none it returns the model unchanged.
func (m Model) Long() Model {
	if m.Extended.Lifetime <= 0 {
		return m
	}
	m.Lifetime = m.Extended.Lifetime
	if m.Extended.Write > 0 {
		m.Write = m.Extended.Write
	}
	return m
}

// Sized returns the model for a request of this many input tokens: past the cliff, with its prices.
func (m Model) Sized(tokens int) Model {
	if m.Cliff.Above <= 0 || tokens <= m.Cliff.Above {
		return m
	}
	m.Input *= m.Cliff.Input
	m.Write *= m.Cliff.Input
	m.Extended.Write *= m.Cliff.Input
	m.Cached *= m.Cliff.Cached
	m.Output *= m.Cliff.Output
	return m
}

// Cost returns the cost of a request in US dollars, from its input tokens by kind and its output
// tokens.
func (m Model) Cost(fresh, cached, written, output int) float64 {
	return (float64(fresh)*m.Input + float64(cached)*m.Cached + float64(written)*m.Write +
		float64(output)*m.Output) / 1e6
}

// times returns the model with all prices multiplied.
func (m Model) times(factor float64) Model {
	m.Input *= factor
	m.Cached *= factor
	m.Write *= factor
	m.Output *= factor
	m.Extended.Write *= factor
	return m
}

// Over returns base overridden with the fields that m sets. If m sets the price of input, the other
// prices that it leaves out keep their ratio to it.
func (m Model) Over(base Model) Model {
	out := base
	if m.Input > 0 && base.Input > 0 {
		out = base.times(m.Input / base.Input)
	}
	set(&out.Input, m.Input)
	set(&out.Cached, m.Cached)
	set(&out.Write, m.Write)
	set(&out.Output, m.Output)
	set(&out.Lifetime, m.Lifetime)
	set(&out.Extended.Lifetime, m.Extended.Lifetime)
	set(&out.Extended.Write, m.Extended.Write)
	set(&out.Match, m.Match)
	set(&out.Minimum, m.Minimum)
	set(&out.Cliff, m.Cliff)
	set(&out.Peak, m.Peak)
	set(&out.Source, m.Source)
	return out.complete()
}

// set stores value in to unless it is zero.
func set[T comparable](to *T, value T) {
	var none T
	if value != none {
		*to = value
	}
}

// complete returns the model with the prices that a file may leave out.
func (m Model) complete() Model {
	m.Cached = cmp.Or(m.Cached, m.Input)
	m.Write = cmp.Or(m.Write, m.Input)
	if m.Extended.Lifetime > 0 && m.Extended.Write == 0 {
		m.Extended.Write = m.Write
	}
	return m
}

// Fault is an error in a file's entry of a model.
type Fault struct{ Key, Problem string } // what is wrong and what to write

// Faults returns the errors of a model's entry in a file or the configuration.
func (m Model) Faults() (faults []Fault) {
	fault := func(key, format string, args ...any) {
		faults = append(faults, Fault{key, fmt.Sprintf(format, args...)})
	}
	for _, price := range []struct {
		key string
		usd float64
	}{
		{"input", m.Input}, {"cached", m.Cached}, {"write", m.Write}, {"output", m.Output},
		{"extended.write", m.Extended.Write},
	} {
		if price.usd < 0 || price.usd > maxPrice {
			fault(price.key, "%v is not a price; write US dollars per million tokens", price.usd)
		}
	}
	if m.Input > 0 && m.Cached > m.Input {
		fault("cached", "%v is above the price of fresh input, which is %v; no cache costs more "+
			"than none", m.Cached, m.Input)
	}
	if m.Minimum < 0 {
		fault("minimum", "%d is negative; write tokens, or leave it out", m.Minimum)
	}
	if m.Lifetime < 0 {
		fault("lifetime", "%s is negative; write a duration such as 5m, or leave it out",
			m.Lifetime)
	}
	if e := m.Extended.Lifetime; e < 0 || e > 0 && e <= m.Lifetime {
		fault("extended.lifetime", "%s is not longer than the lifetime, which is %s", e, m.Lifetime)
	}
	return append(append(faults, m.Cliff.faults()...), m.Peak.faults()...)
}

// maxPrice is above any price, and low enough that no sum overflows.
const maxPrice = 1e6

func (c Cliff) faults() (faults []Fault) {
	if c == (Cliff{}) {
		return nil
	}
	if c.Above < minCliff {
		faults = append(faults, Fault{"cliff.above", fmt.Sprintf("%d is not a size of requests; "+
			"write the tokens of input past which the factors hold (≥ %d)", c.Above, minCliff)})
	}
	for _, f := range []struct {
		key    string
		factor float64
	}{{"input", c.Input}, {"cached", c.Cached}, {"output", c.Output}} {
		faults = append(faults, factorFaults("cliff."+f.key, f.factor)...)
	}
	return faults
}

// minCliff is the smallest size that is read as a count of tokens.
const minCliff = 1000

func (p Peak) faults() []Fault {
	if p == (Peak{}) {
		return nil
	}
	faults := factorFaults("peak.factor", p.Factor)
	if p.Hours == 0 {
		faults = append(faults, Fault{"peak.hours",
			"is empty; write hours of UTC such as 1-4,6-10"})
	}
	return faults
}

func factorFaults(key string, factor float64) []Fault {
	if factor > 0 && factor <= 1000 {
		return nil
	}
	return []Fault{{key, fmt.Sprintf("%v is not a factor; write what the price is multiplied by, "+
		"such as 2, or 1 if it stays", factor)}}
}
