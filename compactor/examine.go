package compactor

import (
	"context"
	"errors"
	"strings"

	"killick/chat"
)

// errFewQuestions says that a model's questions prove nothing.
var errFewQuestions = errors.New("fewer than two questions were about what stands in the turns")

// leastAsked is the fewest questions that prove something.
const leastAsked = 2

// examine asks a model what it would want to know of the replaced turns, and
// then, from the record alone, for the answers. What the record misses is added
// word for word and asked once more. Where that cannot be done the probe by rules
// stands, or the record is refused, as the settings say.
func (p *preparation) examine(ctx context.Context, f *frontier, d *draft, to int, byRules *Probe) (*Probe, error) {
	if p.writing.Grade == nil || p.writing.MaxQuestions < leastAsked || byRules == nil {
		return byRules, nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.writing.ProbeTimeout)
	defer cancel()
	got, err := p.interview(ctx, f, d, to, *byRules)
	if err != nil {
		p.told.Unasked = err
		if p.writing.RejectUnproven {
			return nil, err
		}
		return byRules, nil
	}
	p.told.Probe, p.told.Scores = &got.Probe, got.Scores
	if got.Probe.Verdict == HardFail {
		return nil, errProbe
	}
	return &got.Probe, nil
}

func (p *preparation) interview(ctx context.Context, f *frontier, d *draft, to int, byRules Probe) (Examined, error) {
	replaced := f.replaced(to)
	asked, err := p.author.Ask(ctx, p.sent, replaced, p.writing.MaxQuestions)
	if err != nil {
		return Examined{}, err
	}
	asked = asked[:min(len(asked), p.writing.MaxQuestions)]
	known := grounded(asked, readSource(replaced, ""))
	p.told.Refused.Groundless += len(asked) - len(known)
	asked = known
	if p.told.Asked = asked; len(asked) < leastAsked {
		return Examined{}, errFewQuestions
	}
	got, err := p.answered(ctx, d, asked, byRules)
	if err != nil || len(got.Failed) == 0 {
		return got, err
	}
	var lines []string
	for _, i := range got.Failed {
		if line := lineHolding(replaced, asked[i].Expected); line != "" {
			lines = append(lines, line)
		}
	}
	mended, ok := p.mend(f, d, to, lines)
	if !ok {
		return got, nil
	}
	again, err := p.answered(ctx, d, asked, *mended)
	if err != nil {
		return got, nil // of the record without the lines, which can only be better for them
	}
	return again, nil
}

func (p *preparation) answered(ctx context.Context, d *draft, asked []Asked, byRules Probe) (Examined, error) {
	answers, err := p.author.Answer(ctx, p.sent, d.before+d.text, asked)
	if err != nil {
		return Examined{}, err
	}
	p.told.Answers = answers
	return p.writing.Grade(byRules, asked, answers), nil
}

// mend adds lines to the record, unless they would spoil the probe by rules.
func (p *preparation) mend(f *frontier, d *draft, to int, lines []string) (*Probe, bool) {
	before := *d
	facts := d.summary.Facts
	d.summary.Facts = appendNew(facts[:len(facts):len(facts)], lines...)
	if len(d.summary.Facts) == len(facts) {
		return nil, false
	}
	probe, err := f.prove(d, to, p.prober)
	if err != nil {
		d.summary.Facts, d.Record, d.text = facts, before.Record, before.text
		return nil, false
	}
	probe.Repaired++
	p.told.Repaired, p.told.Repairs = true, lines
	return probe, true
}

// grounded leaves out questions whose expected answer stands nowhere in the
// turns: they were made up. It must name nothing that the turns do not, and half
// of its words at least must be words of theirs.
func grounded(asked []Asked, s *source) (kept []Asked) {
	for _, q := range asked {
		if q.Expected != "" && !s.lacks(q.Expected) && s.says(q.Expected) && !commanding.MatchString(q.Expected) {
			kept = append(kept, q)
		}
	}
	return kept
}

// says tells whether half of the words of a text are words of the source, if in
// other forms.
func (s *source) says(text string) bool {
	words := contentWords(text)
	known := 0
	for _, w := range words {
		if s.hasForm(w) {
			known++
		}
	}
	return 2*known >= len(words)
}

// hasForm tells whether the source has the word, in another number or tense, or
// as a part of a name.
func (s *source) hasForm(word string) bool {
	if s.words[word] {
		return true
	}
	stem := word
	for _, ending := range []string{"ing", "ed", "es", "s", "e"} {
		if cut := strings.TrimSuffix(word, ending); len(cut) >= 4 && cut != word {
			stem = cut
			break
		}
	}
	for known := range s.words {
		if strings.Contains(known, stem) {
			return true
		}
	}
	return false
}

// lineHolding returns the newest line of the messages that tells what expected
// does, "" if none does.
func lineHolding(msgs []chat.Message, expected string) (found string) {
	words := contentWords(expected)
	if len(words) == 0 {
		return ""
	}
	for i := len(msgs) - 1; i >= 0 && found == ""; i-- {
		eachLine(&msgs[i], func(line string) {
			if strings.Contains(strings.ToLower(line), words[0]) && covered(expected, []string{line}) {
				found = lineAround(line, words[0])
			}
		})
	}
	return found
}
