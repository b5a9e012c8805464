package probe

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"killick/probe/normal"
)

// ofSummary counts the false statements of a kind or a set, and the true ones of a set.
type ofSummary struct{ made, rejected, shown, alone, honest, kept int }

// notShown is the kind of what a verifier is not shown: a folder that an earlier call chose.
const notShown = "folder of an earlier call"

// Of false statements as summaries have them, all of a conversation together with true ones: how
// many the rules reject, and of how many of the others a verifier is shown what refutes them, among
// others and alone. The conversations of the first set were written before the rules that choose
// what is shown, those of the second after their first version, those of the third after the next
// one, and those of the fourth, by kinds that had not been tried, before the present one.
func TestFalseStatementsOfSummaries(t *testing.T) {
	kinds, sets := map[string]ofSummary{}, map[int]ofSummary{}
	bytes, statements := 0, 0
	languages := map[string]bool{}
	for _, c := range slices.Concat(conversationsLiedAbout(t, "summaries"),
		conversationsLiedAbout(t, "attacks")) {
		languages[c.Language] = true
		good, others := c.checked(c.Lies, c.Honest)
		statements += len(good)
		for i := range good {
			bytes += len(good[i].Passage) - len(good[i].Quote) + len(good[i].Related.Text)
		}
		for i, l := range c.Lies {
			c.checkLie(t, &l)
			made := ofSummary{made: 1}
			only, beside := c.checked(c.Lies[i:i+1], nil)
			if s := stating(good, l.Text); s == nil || len(only) == 0 {
				made.rejected++
			} else {
				made.shown = count(l.shownFalse(s, others))
				made.alone = count(l.shownFalse(&only[0], beside))
				if (made.shown == 0 || made.alone == 0) && l.Kind != notShown {
					t.Errorf("%s: not shown to be false: %s: %s", c.Name, l.Kind, l.Text)
				}
			}
			kinds[l.Kind] = kinds[l.Kind].plus(made)
			sets[c.Set] = sets[c.Set].plus(made)
		}
		for _, h := range c.Honest {
			kept := stating(good, h.Text) != nil
			sets[c.Set] = sets[c.Set].plus(ofSummary{honest: 1, kept: count(kept)})
			if !kept {
				t.Logf("%s: true, and rejected: %s", c.Name, h.Text)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		t.Logf("%-32s %+v", name, kinds[name])
	}
	t.Logf("by set %+v; %d bytes beside each of %d", sets, bytes/statements, statements)
	var all ofSummary
	for _, of := range sets {
		all = all.plus(of)
	}
	if all.made < 250 || len(languages) < 20 {
		t.Errorf("%d statements in %d languages, want 250 in 20", all.made, len(languages))
	}
	if 10*all.kept < 9*all.honest {
		t.Errorf("%d of %d true statements kept, want 90%%", all.kept, all.honest)
	}
}

// checkLie reports a lie that nothing shows to be one, or whose quote is none.
func (c *liedAbout) checkLie(t *testing.T, l *lie) {
	t.Helper()
	text := squeezed(strings.Join(c.x.texts, "\n"))
	if l.Refuted+l.Claims == "" || !strings.Contains(text, squeezed(l.Refuted)) ||
		!strings.Contains(text, squeezed(l.Quote)) {
		t.Errorf("%s: nothing shows that it is false, or its quote is none: %s", c.Name, l.Text)
	}
}

func (k ofSummary) plus(by ofSummary) ofSummary {
	return ofSummary{k.made + by.made, k.rejected + by.rejected, k.shown + by.shown,
		k.alone + by.alone, k.honest + by.honest, k.kept + by.kept}
}

// checked returns the grounded ones of false and true statements about a conversation as a verifier
// sees them.
func (c *liedAbout) checked(lies []lie, honest []Statement) ([]Statement, []Other) {
	var all []Statement
	for _, l := range lies {
		all = append(all, l.Statement)
	}
	good, _ := c.x.Ground(c.x.Locate(append(all, honest...)))
	seen := NewConversation(c.msgs, same)
	good, _ = seen.Passages(good)
	return good, seen.Others(good)
}

// stating returns the statement with a text, nil if there is none.
func stating(statements []Statement, text string) *Statement {
	for i := range statements {
		if statements[i].Text == normal.OneLine(text) {
			return &statements[i]
		}
	}
	return nil
}

// shownFalse reports whether a verifier that sees a statement sees what refutes it.
func (l *lie) shownFalse(s *Statement, others []Other) bool {
	if l.Claims != "" && s.Writer != l.Claims {
		return true
	}
	holds := func(text string) bool {
		return l.Refuted != "" && strings.Contains(squeezed(text), squeezed(l.Refuted))
	}
	return holds(s.Passage) || holds(s.Related.Text) ||
		slices.ContainsFunc(others, func(p Other) bool { return holds(p.Text) })
}

// squeezed returns text without spaces, so that a call's arguments match however they are written.
func squeezed(text string) string {
	return strings.ReplaceAll(normal.Plain(normal.OneLine(text)), " ", "")
}
