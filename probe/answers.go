package probe

import (
	"cmp"
	"strings"
)

// QA is a question with what a reader of the record answered to it. A question that a model wrote needs only Category,
// Prompt and Expected: a Kind that is missing is told from Expected, a Weight of zero is the category's.
type QA struct {
	Question
	Actual string // the reader's words; "UNKNOWN" or nothing where the record has no answer
}

// Weights are the shares of the categories in the mean, for questions without a weight of their own.
type Weights struct {
	Recall       float64 // if zero, 1
	Artifact     float64 // if zero, 0.8
	Continuation float64 // if zero, 1
	Decision     float64 // if zero, 1.2
}

// Defaults of Weights. A path that was lost is found again by looking; a decision that was lost is taken again, perhaps
// otherwise.
const (
	defaultRecallWeight       = 1.0
	defaultArtifactWeight     = 0.8
	defaultContinuationWeight = 1.0
	defaultDecisionWeight     = 1.2
)

// of returns the weight of a category. One that is unknown counts as recall.
func (w Weights) of(c Category) float64 {
	switch c {
	case Artifact:
		return cmp.Or(w.Artifact, defaultArtifactWeight)
	case Continuation:
		return cmp.Or(w.Continuation, defaultContinuationWeight)
	case Decision:
		return cmp.Or(w.Decision, defaultDecisionWeight)
	}
	return cmp.Or(w.Recall, defaultRecallWeight)
}

// maxAnswer bounds, in bytes, what is read of an answer: a reader that recites the whole record has not answered.
const maxAnswer = 4000

// ScoreAnswers judges a record by the answers that a reader, who had the record and nothing else, gave to questions about
// the replaced turns. Each answer is compared as Score does, by what its expected answer is: a number by value and unit,
// a path from the file up, a rule with its polarity. The mean is weighted by category; verdict and veto are Grade's. No
// questions are a pass with a score of 1: whether so few prove anything is the caller's to say.
func ScoreAnswers(qas []QA, cfg Config) Report {
	answers := make([]Answer, 0, len(qas))
	for i := range qas {
		answers = append(answers, qas[i].judge(cfg.Weights))
	}
	return Grade(answers, cfg)
}

func (qa *QA) judge(weights Weights) Answer {
	a := Answer{Question: qa.Question}
	a.Category = cmp.Or(a.Category, Recall)
	if !(a.Weight > 0) {
		a.Weight = weights.of(a.Category)
	}
	if a.Kind == "" {
		a.Kind = kindOf(a.Expected, a.Category)
	}
	actual := clip(qa.Actual, maxAnswer)
	a.Found = clip(strings.TrimSpace(actual), maxPassage)
	f := compare(a.Expected, actual, a.Kind)
	a.Score, a.Contradicted = f.score, f.contradicted
	return a
}

// kindOf tells from an expected answer how it is to be compared.
func kindOf(expected string, c Category) Kind {
	claim := newClaim(expected, Prose)
	if len(claim.facts) == 1 {
		switch claim.facts[0].class {
		case path:
			return Path
		case link:
			return URL
		case number:
			return Number
		case version:
			return Version
		case name, digest:
			return Identifier
		}
	}
	for i := range claim.doc.tokens {
		t := &claim.doc.tokens[i]
		if t.chosen || t.flip {
			return Choice
		}
	}
	switch {
	case agreement(expected) != 0:
		return Prose
	case c == Decision:
		return Choice
	case claim.negative, claim.restrictive, claim.orders():
		return Rule
	}
	return Prose
}

// orders reports whether the claim is put as a standing order.
func (c *claim) orders() bool {
	for i := range c.doc.tokens {
		if t := c.doc.tokens[i].text; t == "always" || t == "must" {
			return true
		}
	}
	return false
}

// value reports whether an answer of kind k is one value, which another beside it makes doubtful.
func (k Kind) value() bool {
	switch k {
	case Path, Identifier, Number, Version, URL:
		return true
	}
	return false
}

// hedges reports whether the answer d offers another value as well as the claim's: "8080 or 443".
func (c *claim) hedges(d *document) bool {
	if !c.kind.value() || !strings.Contains(d.source, "or") {
		return false
	}
	either := false
	for i := range d.tokens {
		either = either || d.tokens[i].text == "or"
	}
	if !either {
		return false
	}
	for _, t := range c.survey(d, 0, len(d.tokens)).strangers {
		for i := range c.facts {
			if rivals(c.facts[i].token, t) {
				return true
			}
		}
	}
	return false
}

// agreement reads the first word of a text that is a yes or a no: 1, -1, or 0 for neither.
func agreement(text string) int {
	first, _, _ := strings.Cut(normal(text), " ")
	switch strings.Trim(first, marks) {
	case "yes", "yeah", "true", "correct", "ja", "oui", "si", "да":
		return 1
	case "no", "nope", "false", "incorrect", "nein", "non", "нет":
		return -1
	}
	return 0
}
