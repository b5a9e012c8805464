package prepare

import (
	"slices"

	"killick/compactor/fold"
	"killick/probe"
	"killick/summary"
)

// Statements that an earlier fold verified are shown again when a record replaces the earlier ones.
// By then some may not be so any more. What the transcript shows by itself is used, and a model
// verifies again those that newer messages mention, in the call that verifies the new ones.

// earlier are statements of earlier folds that a new record shows again.
type earlier struct {
	statements []probe.Statement
	takenBack  []int // those that no longer hold
}

// repeated returns the statements of earlier folds that the record of a draft shows again. records
// is how many records the form has with it.
func (p *preparation) repeated(d *fold.Draft, records int) (of earlier) {
	if records > 1 {
		return of // the earlier records contain them
	}
	for i := range d.Carried {
		s := &d.Carried[i]
		of.statements = append(of.statements, probe.Statement{Section: s.Section, Text: s.Text,
			Messages: s.Messages, Quote: s.Quote, Writer: s.Writer, At: firstOf(s.Messages)})
	}
	of.takenBack = p.whole.Outdated(of.statements)
	return of
}

// mentioned returns the statements of earlier folds that messages from a number on mention, with
// what a verifier sees beside them, and their indexes.
func (p *preparation) mentioned(number int) (list []probe.Statement, at []int) {
	for _, i := range p.whole.Mentioned(p.earlier.statements, number) {
		kept, _ := p.whole.Passages(p.earlier.statements[i : i+1])
		if len(kept) > 0 && !slices.Contains(p.earlier.takenBack, i) {
			list, at = append(list, kept[0]), append(at, i)
		}
	}
	return list, at
}

// without returns statements without those at some indexes.
func without(list []summary.Statement, at []int) (kept []summary.Statement) {
	for i := range list {
		if !slices.Contains(at, i) {
			kept = append(kept, list[i])
		}
	}
	return kept
}
