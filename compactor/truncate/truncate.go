package truncate

import (
	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/preview"
	"killick/reference"
	"killick/transcript"
	"killick/view"
)

// truncateFrom truncates outputs from message n on, and appends them to short.
func (p *Pass) truncateFrom(
	v *layout.View, n int, repeated []first, short []truncated,
) []truncated {
	var t *transcript.Transcript
	for i := n; i < len(v.Messages); i++ {
		m := &v.Messages[i]
		if v.Tokens[i] <= p.Limit/2 && repeated[i] == 0 ||
			v.Before[i+1] <= max(p.After, p.Limit) || // no request of at most Limit is inspected
			!m.Role().Result() || v.Stays(i) || !m.OnlyText() {
			continue
		}
		if t == nil {
			t = v.Transcript(v.Groups[v.GroupAt(i+1)-1].Start)
		}
		c := t.Answered(i)
		if c < 0 || t.HasQueued(i) {
			continue
		}
		call, at := &t.Calls[c], repeated[i].message()
		_, cut := find(short, at)
		repeats := at >= 0 && !cut // else the other output is not there whole
		if p.staysWhole(m, call, repeats) || !repeats && v.Tokens[i] <= p.limitOf(call) {
			continue
		}
		var same *transcript.Call
		if repeats {
			if same = callOf(v, at); same == nil {
				continue
			}
		}
		if s := p.truncate(v, i, t, call, same); s.Pays() {
			if repeats {
				s.Repeats = at + 1
			}
			short = append(short, truncated{i, s})
		}
	}
	return short
}

// limitOf returns the size past which the output of a call is truncated: half of Limit for what a
// command printed and what a search found. Calls quote such an output far more seldom than lines of
// a file that was read (docs/tuning.md), and it can be asked for again in part. A failure is
// what the agent works on next.
func (p *Pass) limitOf(c *transcript.Call) int {
	runs := c.Effect == transcript.Runs && c.Nested() == nil || c.Lists()
	if !runs || c.Shows().Lines || c.Failed() {
		return p.Limit
	}
	return p.Limit / 2
}

// staysWhole reports whether the output of a call is not truncated: a program reads it, the policy
// says so, or the agent asked for exactly this part of something. A repeat of such a part is
// truncated.
func (p *Pass) staysWhole(m *view.Message, call *transcript.Call, repeated bool) bool {
	made := call.Made()
	name := made.Name
	return made.ByProgram || p.Policy.Excluded(name) || p.Policy.Pins.OfOutput(m, name) ||
		call.Ranged() && !repeated
}

// truncate returns message i, the output of a call, in its short form. same is the call whose
// identical output was sent shortly before, nil if there is none.
func (p *Pass) truncate(
	v *layout.View, i int, t *transcript.Transcript, call, same *transcript.Call,
) layout.Truncation {
	m := &v.Messages[i]
	original := checkpoint.NewOriginal(t.Text(i), p.RefOf)
	s := layout.Truncation{Ref: original.Ref, Original: v.Tokens[i]}
	raw := checkpoint.Masked(m, p.shorter(t, i, s, call, same))
	if form, err := v.Parse(raw); err == nil && len(raw) < len(m.Raw) {
		s.Message, s.Tokens = form, p.Count.Message(&form)
	}
	if s.Pays() {
		p.Originals = append(p.Originals, original)
	}
	return s
}

// shorter returns the text that replaces that of message i, an output.
func (p *Pass) shorter(
	t *transcript.Transcript, i int, s layout.Truncation, call, same *transcript.Call,
) string {
	if same != nil {
		return p.Policy.Redact.Of(repeatText(s.Original, call, same, s.Ref))
	}
	text := t.Text(i)
	o := preview.Output{
		Text: text, Tokens: s.Original, Shown: p.limitOf(call) / 2, Ref: s.Ref, Call: call,
		Context: p.words.before(t, call), Found: p.hits.before(t, call),
		Names: p.Policy.Redact.NamesIn(text), Expand: p.Policy.Expand,
		Note: func(found []reference.Found) { t.NoteReferences(i, found) },
	}
	return o.Preview()
}
