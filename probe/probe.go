// Package probe says whether a summary still holds what it replaced. It draws questions from the replaced messages by
// rules of its own, answers them from the text that takes their place and from nothing else, and gives a verdict. It
// never calls a model and never sees HTTP; everything in it is a pure function, linear in what it is given.
//
// What it returns quotes the conversation: questions, answers and repairs belong neither in a log nor in a metric.
package probe

import (
	"cmp"
	"math"
	"slices"
)

// Category is what a question examines.
type Category string

const (
	Recall       Category = "recall"       // the task, the rules, values in force
	Artifact     Category = "artifact"     // files written
	Continuation Category = "continuation" // requests and errors that are still open
	Decision     Category = "decision"     // what was chosen, and over what
)

// Kind is what an answer looks like, which is how it is compared.
type Kind string

const (
	Path       Kind = "path"
	Identifier Kind = "identifier"
	Number     Kind = "number"
	Version    Kind = "version"
	URL        Kind = "url"
	Rule       Kind = "rule"    // a standing instruction; losing its "never" is a contradiction
	Choice     Kind = "choice"  // a decision; naming the rejected option is a contradiction
	Request    Kind = "request" // what the user asked for, the task included
	Failure    Kind = "failure" // an error's own words
	Outcome    Kind = "outcome" // how something stands: "go test: passed", "add the index: not done yet"
	Status     Kind = "status"  // how things stand, in the words of whoever worked on them
	Prose      Kind = "prose"
)

// lenient reports whether a paraphrase may turn the polarity of an answer of this kind: "fix the login that doesn't
// work" is well told as "fix the broken login".
func (k Kind) lenient() bool { return k == Request || k == Failure || k == Status }

// vetoes reports whether a contradiction of an answer of this kind alone makes a record unusable. Free prose may seem
// to say otherwise where it only says more.
func (k Kind) vetoes() bool { return !k.lenient() && k != Prose }

// Question is one thing that a summary must still hold.
type Question struct {
	Category   Category
	Kind       Kind
	Prompt     string   // as asked of a reader
	Expected   string   // the answer
	Critical   bool     // failing it fails the summary whatever the mean
	Weight     float64  // share in the mean; zero or less is 1
	Source     string   // the line of the transcript that it was drawn from, for Repair
	Superseded []string // earlier lines of the transcript that say otherwise: a record may quote them
}

// Answer is a question with what the record says to it.
type Answer struct {
	Question
	Found        string  // the passage that answered best, cut to 300 bytes
	Score        float64 // 0 to 1
	Contradicted bool    // the record says something else, rather than nothing

	mistold bool // in the same words but for a value, which no paraphrase does
	s       int  // of an outcome: the sentence that tells it
}

// Verdict is what a probe comes to.
type Verdict string

const (
	Pass     Verdict = "pass"
	SoftFail Verdict = "soft_fail" // usable, with a warning
	HardFail Verdict = "hard_fail" // not to be used
)

// Defaults of Config. The bounds belong to the better side: a mean of exactly 0.60 passes, one of exactly 0.35 is a
// soft fail.
const (
	DefaultThreshold    = 0.60
	DefaultHardFail     = 0.35
	DefaultMaxQuestions = 24
	DefaultMaxCritical  = 8
	DefaultMaxRepairs   = 8
	DefaultRepairBytes  = 4000
	DefaultRepairLine   = 500
)

// Config bounds a probe. The zero value works.
type Config struct {
	Threshold    float64 // mean that passes; if zero, DefaultThreshold
	HardFail     float64 // mean below which it fails hard; if zero, DefaultHardFail
	MaxQuestions int     // if zero, DefaultMaxQuestions
	MaxCritical  int     // if zero, DefaultMaxCritical
	MaxRepairs   int     // lines that Repair returns; if zero, DefaultMaxRepairs
	RepairBytes  int     // their length together; if zero, DefaultRepairBytes
	RepairLine   int     // the length of one; if zero, DefaultRepairLine
	Weights      Weights // of the categories, for ScoreAnswers
}

func (c Config) withDefaults() Config {
	c.Threshold = cmp.Or(c.Threshold, DefaultThreshold)
	c.HardFail = cmp.Or(c.HardFail, DefaultHardFail)
	c.MaxQuestions = cmp.Or(c.MaxQuestions, DefaultMaxQuestions)
	c.MaxCritical = cmp.Or(c.MaxCritical, DefaultMaxCritical)
	c.MaxRepairs = cmp.Or(c.MaxRepairs, DefaultMaxRepairs)
	c.RepairBytes = cmp.Or(c.RepairBytes, DefaultRepairBytes)
	c.RepairLine = cmp.Or(c.RepairLine, DefaultRepairLine)
	return c
}

// Report is the outcome of a probe.
type Report struct {
	Verdict      Verdict
	Score        float64 // weighted mean; 1 when there was nothing to ask
	Answers      []Answer
	Vetoed       bool // a critical question failed, or something that must not be wrong is
	Contradicted int  // answers that the record contradicts, and statements turned round

	// Found by an Exam only.
	Invented []Invention // what the record names and the messages do not
	Turned   []Turned    // what it says the opposite of
}

// maxPassage bounds, in bytes, the text that an Answer quotes.
const maxPassage = 300

// Ask answers the questions from rendered, the text of the record that replaces the messages, and judges it.
func Ask(questions []Question, rendered string, cfg Config) Report {
	return Grade(compile(rendered, true).answer(questions, nil, subjects(questions)), cfg)
}

// answer answers the questions, those about tasks together. plan is all that is planned, if that is known; checks are the
// checks that were run.
func (d *document) answer(questions, plan []Question, checks []string) []Answer {
	answers := make([]Answer, len(questions))
	tasks, whole := plan, plan != nil
	for i, q := range questions {
		switch {
		case q.Kind == Outcome && !q.isTask():
			answers[i] = q.outcome(d, nil, checks)
		case !q.isTask():
			answers[i] = q.answer(d)
		case !whole:
			tasks = append(tasks, q)
		}
	}
	for _, told := range d.tellTasks(tasks, whole) {
		for i, q := range questions {
			if q.isTask() && q.Expected == told.Expected {
				told.Question = q
				answers[i] = told
			}
		}
	}
	return answers
}

// answer looks the question up in the record.
func (q Question) answer(d *document) Answer {
	a := Answer{Question: q}
	c := newClaim(q.Expected, q.Kind)
	if c.total == 0 {
		a.Score = 1 // nothing that could be lost
		return a
	}
	excused := make([]string, 0, len(q.Superseded))
	for _, s := range q.Superseded {
		excused = append(excused, normal(s))
	}
	f := c.ask(d, nil, excused)
	a.Score, a.Contradicted, a.mistold = f.score, f.contradicted, f.mistold
	if f.from >= 0 {
		a.Found = d.text(f.from, f.to, maxPassage)
		if q.Category == Artifact && q.Kind == Path && d.onlyRead(c) {
			a.Score /= 2
		}
	}
	return a
}

// onlyRead reports whether every place that names the path stands under a heading of files merely read, and does not
// itself say that the file was written.
func (d *document) onlyRead(c *claim) bool {
	read := false
	for i := range c.facts {
		for _, k := range c.facts[i].keys {
			for _, pos := range d.postings[k] {
				t := &d.tokens[pos]
				if t.class != path || match(c.facts[i].token, t) == 0 {
					continue
				}
				if !d.clauses[t.clause].reading || d.saysWritten(d.sentenceOf(int(pos))) {
					return false
				}
				read = true
			}
		}
	}
	return read
}

func (d *document) saysWritten(s int) bool {
	for i := d.sentences[s].from; i < d.sentences[s].to; i++ {
		if t := &d.tokens[i]; t.class == word && !t.aux && writeStems.has(t.keys[0][2:]) {
			return true
		}
	}
	return false
}

// bar is the score below which a critical answer fails.
func (a *Answer) bar(cfg Config) float64 {
	if a.Kind.lenient() {
		return cfg.HardFail
	}
	return cfg.Threshold
}

// slack absorbs the rounding of a sum of scores, so that a mean of exactly a bound is not just below it.
const slack = 1e-9

// Grade judges answers that are already scored, by Ask or by a reader of its own.
//
// A critical answer that fails makes the whole fail hard, whatever the mean: a veto. It fails below Threshold, or, where a
// paraphrase may be far from the words asked for, below HardFail. A contradiction is worse in a record than a gap: of a
// rule, a decision or a value it vetoes too, of anything else it keeps the record from passing.
func Grade(answers []Answer, cfg Config) Report {
	cfg = cfg.withDefaults()
	r := Report{Answers: answers, Verdict: Pass, Score: 1}
	var sum, weights float64
	for _, a := range answers {
		w := a.Weight
		if !(w > 0) || math.IsInf(w, 1) {
			w = 1
		}
		w = min(w, 1e6)
		s := a.Score
		if !(s > 0) { // NaN too
			s = 0
		}
		s = min(s, 1)
		sum += w * s
		weights += w
		r.Vetoed = r.Vetoed || a.Critical && s < a.bar(cfg)-slack
		if a.Contradicted {
			r.Contradicted++
			r.Vetoed = r.Vetoed || a.Critical || a.Kind.vetoes() || a.mistold
		}
	}
	if weights > 0 {
		r.Score = sum / weights
	}
	switch {
	case r.Vetoed, r.Score < cfg.HardFail-slack:
		r.Verdict = HardFail
	case r.Score < cfg.Threshold-slack, r.Contradicted > 0:
		r.Verdict = SoftFail
	}
	return r
}

// Repair returns the lines to append to the record, each verbatim from the transcript: those of failed questions,
// critical ones first, then the worst. It returns none when nothing failed; a contradiction stays in the record beside
// the line that corrects it, so Ask again.
func Repair(r Report, cfg Config) []string {
	cfg = cfg.withDefaults()
	var failed []Answer
	for _, a := range r.Answers {
		if a.Score < cfg.Threshold-slack || a.Contradicted {
			failed = append(failed, a)
		}
	}
	slices.SortStableFunc(failed, func(a, b Answer) int {
		if a.Critical != b.Critical {
			if a.Critical {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Score, b.Score)
	})
	var lines []string
	room := cfg.RepairBytes
	for _, a := range failed {
		line := a.Source
		if line == "" || len(line) > cfg.RepairLine {
			line = a.Expected
		}
		if len(line) == 0 || len(line) > min(cfg.RepairLine, room) || slices.Contains(lines, line) {
			continue
		}
		lines = append(lines, line)
		room -= len(line)
		if len(lines) == cfg.MaxRepairs {
			break
		}
	}
	return lines
}
