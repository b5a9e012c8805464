package proxy

import (
	"math"
	"net/http"
	"strconv"
	"strings"

	"killick/compaction"
	"killick/proxy/expand"
)

// report adds headers to the reply that say what was done.
func (x *exchange) report(h http.Header) {
	o := &x.outcome
	h.Set("Killick-Action", x.actions())
	if x.mode == ModeOff {
		return
	}
	if e := x.sent.expansion; e != nil {
		text := "offered"
		if e.answered > 0 { // known only for replies that are not streamed
			text += "; answered=" + strconv.Itoa(e.answered)
		}
		h.Set("Killick-Expand", text)
	}
	raw, sent := x.tokens()
	if raw > 0 || sent > 0 {
		h.Set("Killick-Tokens", tokensText(raw, sent))
	}
	if text := probeText(o); text != "" {
		h.Set("Killick-Probe", text)
	}
	if expand.IsRef(o.SummaryRef) {
		h.Set("Killick-Summary", o.SummaryRef)
	}
	if x.sent.changed && len(o.Dropped) > 0 {
		h.Set("Killick-Dropped", droppedText(o.Dropped))
	}
	if reason := x.reason(); reason != "" {
		h.Set("Killick-Reason", reason)
	}
}

// probeText reports what was verified: the share of the turns' structured facts that the record
// covers, the result of the probe of a model's part, and whether an unverified summary by the
// provider precedes it. What was not measured is omitted.
func probeText(o *compaction.Outcome) string {
	var parts []string
	p := o.Probe
	if p == nil {
		p = &compaction.Probe{}
	}
	if p.Of > 0 {
		parts = append(parts, "coverage="+scoreText(float64(p.Held)/float64(p.Of)),
			"repaired="+strconv.Itoa(p.Repaired))
	}
	if m := p.Model; m != nil {
		if m.Asked > 0 {
			parts = append(parts, "model="+scoreText(m.Score))
		}
		parts = append(parts, "verdict="+word(string(m.Verdict)),
			"verified="+strconv.Itoa(m.Verified)+"/"+strconv.Itoa(m.Written),
			"asked="+strconv.Itoa(m.Asked))
		if m.Carried {
			parts = append(parts, "carried")
		}
	}
	if o.Provider {
		parts = append(parts, "provider=unverified")
	}
	return strings.Join(parts, "; ")
}

// actions lists what was done.
func (x *exchange) actions() string {
	if !x.sent.changed {
		return x.action
	}
	list := x.outcome.Actions()
	if x.sent.tries > 0 || x.sent.retriedReasoning {
		list = append(list, compaction.ActionRetry)
	}
	return joined(list, ", ")
}

// tokens returns the tokens received and actually sent. Observing forwards what was received.
func (x *exchange) tokens() (raw, sent int) {
	if x.sent.changed {
		return x.outcome.Raw, x.outcome.Sent
	}
	return x.outcome.Raw, x.outcome.Raw
}

// reason returns the reason, in fixed words. Observing also reports what would have been done.
func (x *exchange) reason() string {
	o := &x.outcome
	if x.mode != ModeObserve || !o.Changed() {
		return printable(string(o.Reason))
	}
	return "would send " + strconv.Itoa(o.Sent) + " tokens: " + joined(o.Actions(), ", ")
}

func tokensText(raw, sent int) string {
	text := ""
	if raw > 0 {
		text = "raw=" + strconv.Itoa(raw) + ", "
	}
	return text + "sent=" + strconv.Itoa(sent)
}

// scoreText truncates rather than rounds: 0.599 is not a pass and must not look like one.
func scoreText(score float64) string {
	return strconv.FormatFloat(math.Floor(score*100+1e-9)/100, 'f', 2, 64)
}

func droppedText(dropped []compaction.Dropped) string {
	items := make([]string, len(dropped))
	for i, d := range dropped {
		items[i] = word(d.Kind) + "; count=" + strconv.Itoa(d.Count)
		if d.Tokens > 0 {
			items[i] += "; tokens=" + strconv.Itoa(d.Tokens)
		}
	}
	return strings.Join(items, ", ")
}

// actionLabel returns one of a few labels for an outcome.
func actionLabel(o *compaction.Outcome) string { return joined(o.Actions(), "+") }

func joined(actions []compaction.Action, between string) string {
	words := make([]string, len(actions))
	for i, a := range actions {
		words[i] = string(a)
	}
	return strings.Join(words, between)
}

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

// printable returns s without characters that are invalid in a header value.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, s)
}
