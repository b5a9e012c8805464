package proxy

import (
	"math"
	"net/http"
	"strconv"
	"strings"
)

// report adds what was done to a chat request to its reply.
func (x *exchange) report(h http.Header) {
	o := &x.outcome
	h.Set("Killick-Action", x.actions())
	if x.mode == ModeOff {
		return
	}
	raw, sent := x.tokens()
	if raw > 0 || sent > 0 {
		h.Set("Killick-Tokens", tokensText(raw, sent))
	}
	if o.Probe != nil {
		if text := o.Probe.text(); text != "" {
			h.Set("Killick-Probe", text)
		}
	}
	if isRef(o.Summary) {
		h.Set("Killick-Summary", o.Summary)
	}
	if x.changed && len(o.Dropped) > 0 {
		h.Set("Killick-Dropped", droppedText(o.Dropped))
	}
	if reason := x.reason(); reason != "" {
		h.Set("Killick-Reason", reason)
	}
}

// text says what was proven by whom: the share that the record covers of what the
// turns hold by structure, and of a model's part how its own probe came out. What was
// not counted or asked is left out.
func (p *Probe) text() string {
	var parts []string
	if p.Of > 0 {
		parts = append(parts, "coverage="+scoreText(float64(p.Held)/float64(p.Of)), "repaired="+strconv.Itoa(p.Repaired))
	}
	if m := p.Model; m != nil {
		if m.Asked > 0 {
			parts = append(parts, "model="+scoreText(m.Score))
		}
		parts = append(parts, "verdict="+word(m.Verdict), "verified="+strconv.Itoa(m.Verified)+"/"+strconv.Itoa(m.Written), "asked="+strconv.Itoa(m.Asked))
		if m.Carried {
			parts = append(parts, "carried")
		}
	}
	return strings.Join(parts, "; ")
}

// actions lists what was done.
func (x *exchange) actions() string {
	if !x.changed {
		return x.action
	}
	list := known(x.outcome.Actions)
	if x.tries > 0 {
		list = append(list, ActionRetry)
	}
	return strings.Join(list, ", ")
}

// tokens returns what came and what was really sent. Observing sends what came.
func (x *exchange) tokens() (raw, sent int) {
	if x.changed {
		return x.outcome.Raw, x.outcome.Sent
	}
	return x.outcome.Raw, x.outcome.Raw
}

// reason says why, in fixed words. Observing also says what would have been.
func (x *exchange) reason() string {
	o := &x.outcome
	if x.mode != ModeObserve || len(o.Actions) == 0 {
		return printable(o.Reason)
	}
	return "would " + strings.Join(known(o.Actions), ", ") + " to " + strconv.Itoa(o.Sent) + " tokens"
}

func tokensText(raw, sent int) string {
	text := ""
	if raw > 0 {
		text = "raw=" + strconv.Itoa(raw) + ", "
	}
	return text + "sent=" + strconv.Itoa(sent)
}

// scoreText cuts rather than rounds: 0.599 is no pass and must not look like one.
func scoreText(score float64) string {
	return strconv.FormatFloat(math.Floor(score*100+1e-9)/100, 'f', 2, 64)
}

func droppedText(dropped []Dropped) string {
	items := make([]string, len(dropped))
	for i, d := range dropped {
		items[i] = word(d.Kind) + "; count=" + strconv.Itoa(d.Count)
		if d.Tokens > 0 {
			items[i] += "; tokens=" + strconv.Itoa(d.Tokens)
		}
	}
	return strings.Join(items, ", ")
}

// changes are the actions that a Compactor may name, in the order in which
// labels join them.
var changes = []string{ActionMask, ActionSummary, ActionReuse}

// known returns the actions that are ours, in their order; "other" stands for
// those that are not.
func known(actions []string) []string {
	var list []string
	left := len(actions)
	for _, c := range changes {
		for _, a := range actions {
			if a == c {
				list = append(list, c)
				left--
				break
			}
		}
	}
	if left > 0 {
		list = append(list, "other")
	}
	return list
}

// actionLabel returns one label for a set of actions: there are few of them.
func actionLabel(actions []string) string { return strings.Join(known(actions), "+") }

// word returns s as one word of lower-case letters, digits and underscores, of
// at most 40 bytes; "other" if it is none. It keeps header values well formed
// and labels few.
func word(s string) string {
	if s == "" || len(s) > 40 {
		return "other"
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return "other"
		}
	}
	return s
}

// printable returns s without what must not stand in a header's value.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, s)
}
