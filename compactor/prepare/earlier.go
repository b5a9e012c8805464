package prepare

import (
	"slices"

	"killick/compactor/fold"
	"killick/probe"
	"killick/summary"
)

// Statements that an earlier fold verified are shown again when a record replaces the earlier ones.
// By then, some may no longer hold. A model is not asked again, since that would cost as much as
// verifying all of them each time; rules decide by what the transcript shows.

// repeated returns the statements of earlier folds that the record of a draft shows again. records
// is how many records the form has with it.
func repeated(d *fold.Draft, records int) []summary.Statement {
	if records > 1 {
		return nil // the earlier records contain them
	}
	return d.Carried
}

// outdated returns the indexes of statements of earlier folds that no longer hold.
func (p *preparation) outdated(earlier []summary.Statement) []int {
	list := make([]probe.Statement, len(earlier))
	for i := range earlier {
		s := &earlier[i]
		list[i] = probe.Statement{Section: s.Section, Messages: s.Messages, Quote: s.Quote}
	}
	return p.whole.Outdated(list)
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
