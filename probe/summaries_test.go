package probe

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// ofSummary counts the false statements of a kind.
type ofSummary struct{ made, rejected, shown int }

// Of false statements as summaries have them, all of a conversation together with true ones: how
// many the rules reject, and of how many of the others a verifier is shown what refutes them. All
// of that is in what it is shown beside the statement, or in later messages. The conversations of
// the first set were written before the rules that choose what is shown, those of the second after
// their first version, and those of the third after the last one.
func TestFalseStatementsOfSummaries(t *testing.T) {
	kinds, sets := map[string]ofSummary{}, map[int]ofSummary{}
	honest, kept, bytes, statements := 0, 0, 0, 0
	languages := map[string]bool{}
	for _, c := range conversationsLiedAbout(t, "summaries") {
		languages[c.Language] = true
		good, later := c.checked()
		statements += len(good)
		for i := range good {
			bytes += len(good[i].Passage) - len(good[i].Quote) + len(good[i].Related.Text)
		}
		for _, l := range c.Lies {
			made := ofSummary{made: 1}
			if s := stating(good, l.Text); s == nil {
				made.rejected++
			} else if l.shownFalse(s, later) {
				made.shown++
			} else {
				t.Errorf("%s: not shown to be false: %s: %s", c.Name, l.Kind, l.Text)
			}
			kinds[l.Kind] = kinds[l.Kind].plus(made)
			sets[c.Set] = sets[c.Set].plus(made)
		}
		for _, h := range c.Honest {
			honest++
			if kept += count(stating(good, h.Text) != nil); stating(good, h.Text) == nil {
				t.Logf("%s: true, and rejected: %s", c.Name, h.Text)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		t.Logf("%-32s %+v", name, kinds[name])
	}
	t.Logf("by set %+v; %d of %d true ones kept; %d bytes beside each of %d",
		sets, kept, honest, bytes/statements, statements)
	made := sets[1].plus(sets[2]).plus(sets[3]).made
	if made < 100 || len(languages) < 20 {
		t.Errorf("%d statements in %d languages, want 100 in 20", made, len(languages))
	}
	if 10*kept < 9*honest {
		t.Errorf("%d of %d true statements kept, want 90%%", kept, honest)
	}
}

func (k ofSummary) plus(by ofSummary) ofSummary {
	return ofSummary{k.made + by.made, k.rejected + by.rejected, k.shown + by.shown}
}

// checked returns the grounded statements about a conversation as a verifier sees them.
func (c *liedAbout) checked() ([]Statement, []Other) {
	var all []Statement
	for _, l := range c.Lies {
		all = append(all, l.Statement)
	}
	good, _ := c.x.Ground(c.x.Locate(append(all, c.Honest...)))
	seen := NewConversation(c.msgs, same)
	good, _ = seen.Passages(good)
	return good, seen.Others(good)
}

// stating returns the statement with a text, nil if there is none.
func stating(statements []Statement, text string) *Statement {
	for i := range statements {
		if statements[i].Text == oneLine(text) {
			return &statements[i]
		}
	}
	return nil
}

// shownFalse reports whether a verifier that sees a statement sees what refutes it.
func (l *lie) shownFalse(s *Statement, later []Other) bool {
	if l.Claims != "" && s.Writer != l.Claims {
		return true
	}
	holds := func(text string) bool {
		return l.Refuted != "" && strings.Contains(squeezed(text), squeezed(l.Refuted))
	}
	return holds(s.Passage) || holds(s.Related.Text) ||
		slices.ContainsFunc(later, func(p Other) bool { return p.Message > s.At && holds(p.Text) })
}

// squeezed returns text without spaces, so that a call's arguments match however they are written.
func squeezed(text string) string { return strings.ReplaceAll(plain(oneLine(text)), " ", "") }
