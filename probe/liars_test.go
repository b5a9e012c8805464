package probe

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/internal/fakeupstream"
	"killick/internal/recorded"
	"killick/probe/normal"
	"killick/probe/value"
	"killick/view"
)

// conversation is a conversation of the study.
type conversation struct {
	name string
	msgs []view.Message
	x    *Index
}

func indexedConversations(t testing.TB) (all []conversation) {
	for _, w := range writtenConversations(t) {
		all = append(all, conversation{w.Name, w.msgs, NewIndex(w.msgs, 1)})
	}
	return all
}

// recordedConversations returns ten recorded conversations without their leading instructions,
// spread evenly over all that are long enough.
func recordedConversations(t testing.TB) (all []conversation) {
	if testing.Short() {
		t.Skip("reads ten recorded conversations")
	}
	var long []conversation
	for _, r := range recorded.Conversations(t) {
		msgs := r.Parse(t)
		for len(msgs) > 0 && msgs[0].Role().Instructs() {
			msgs = msgs[1:]
		}
		if len(msgs) >= 30 {
			long = append(long, conversation{name: r.ID, msgs: msgs})
		}
	}
	for i := range min(10, len(long)) {
		one := long[i*len(long)/10]
		one.x = NewIndex(one.msgs, 1)
		all = append(all, one)
	}
	return all
}

// liars are misbehaviours whose statements are not grounded: they have no true quote, or one beside
// words that the conversation never used.
var liars = []fakeupstream.Scripted{
	{Kind: fakeupstream.Nonsense}, {Kind: fakeupstream.Nonsense, Variant: "quoted"},
	{Kind: fakeupstream.Foreign}, {Kind: fakeupstream.Foreign, Variant: "quoted"},
	{Kind: fakeupstream.Inventing}, {Kind: fakeupstream.Inventing, Variant: "quoted"},
	{Kind: fakeupstream.Granting}, {Kind: fakeupstream.Granting, Variant: "quoted"},
}

func statementsOf(all []fakeupstream.Statement) []Statement {
	own := make([]Statement, len(all))
	for i, s := range all {
		own[i] = Statement{Section: s.Section, Text: s.Text, Messages: s.Messages, Quote: s.Quote}
	}
	return own
}

// state returns a scripted model's statements about the conversation. first is the number of
// its first message, 0 in append, where statements name no messages.
func (c *conversation) state(script fakeupstream.Scripted, first int) []Statement {
	return statementsOf(script.State(c.msgs, first))
}

// liesOf returns what a liar adds to the honest statements about a conversation.
func (c *conversation) liesOf(liar fakeupstream.Scripted, first int) []Statement {
	return c.state(liar, first)[len(c.state(fakeupstream.Scripted{}, first)):]
}

func TestLiarsOverWrittenConversations(t *testing.T)  { studyLiars(t, indexedConversations(t)) }
func TestLiarsOverRecordedConversations(t *testing.T) { studyLiars(t, recordedConversations(t)) }

// No ungrounded statement reaches a record, whatever a verifier says: here none is asked. A few
// grants beside a true quote use words of a long conversation, and are left to the verifier.
func studyLiars(t *testing.T, studied []conversation) {
	for _, liar := range liars {
		made, kept, supported := 0, 0, 0
		reasons := map[Reason]int{}
		for _, c := range studied {
			for i, first := range []int{1, 0} { // standalone, append
				liar.Seed, liar.Most = uint64(i*7), 12
				lies := c.liesOf(liar, first)
				good, dropped := c.x.Ground(c.x.Locate(lies))
				made += len(lies)
				kept += len(good)
				supported += len(verifiedBy(good, fakeupstream.Faithful))
				for _, s := range good {
					if liar.Kind == fakeupstream.Granting && liar.Variant != "" {
						continue // in the conversation's words: left to the verifier
					}
					t.Errorf("%s %s, %s: kept: %s", liar.Kind, liar.Variant, c.name, s.Text)
				}
				for _, d := range dropped {
					reasons[d.Reason]++
				}
			}
		}
		t.Logf("%s %s: %d of %d grounded, %d supported by an honest verifier; dropped as %v",
			liar.Kind, liar.Variant, kept, made, supported, reasons)
		if made < 100 || 50*kept > made || supported > 0 {
			t.Errorf("%s %s: %d of %d grounded, %d supported; want at most 2%% of 100 and more, "+
				"and none", liar.Kind, liar.Variant, kept, made, supported)
		}
	}
}

// Grounding cannot detect false statements in the conversation's own words beside a true quote: a
// model has to verify them. An honest verifier supports at most two in a hundred.
func TestFalseStatementsBesideTrueQuotesOfWrittenConversations(t *testing.T) {
	var lies [][]Statement
	for _, w := range writtenConversations(t) {
		honest := NewIndex(w.msgs, 1).Locate(w.Honest)
		var beside []Statement // about one thing, beside a quote about another
		for i, s := range honest {
			for _, by := range []int{1, 4} {
				other := honest[(i+by)%len(honest)]
				s.Quote, s.Messages = other.Quote, other.Messages
				beside = append(beside, s)
			}
		}
		lies = append(lies, beside)
	}
	studyFalse(t, indexedConversations(t), lies)
}

func TestFalseStatementsBesideTrueQuotesOfRecordedConversations(t *testing.T) {
	studied := recordedConversations(t)
	studyFalse(t, studied, make([][]Statement, len(studied)))
}

// studyFalse adds the opposites of true statements, and true statements beside quotes about
// something else.
func studyFalse(t *testing.T, studied []conversation, more [][]Statement) {
	made, grounded, verified, approved := 0, 0, 0, 0
	for n, c := range studied {
		honest := c.state(fakeupstream.Scripted{}, 1)
		opposites := c.state(fakeupstream.Scripted{Kind: fakeupstream.Contradicting}, 1)
		lies := more[n]
		for i := range opposites {
			if opposites[i].Text != honest[i].Text {
				lies = append(lies, opposites[i])
			}
		}
		for i := range honest { // about one thing, beside a quote about another
			other := honest[(i+1)%len(honest)]
			if other.Text != honest[i].Text && len(lies) < len(more[n])+40 {
				lies = append(lies, Statement{Section: honest[i].Section, Text: honest[i].Text,
					Quote: other.Quote, Messages: other.Messages})
			}
		}
		made += len(lies)
		kept, _ := c.x.Ground(lies)
		grounded += len(kept)
		verified += len(verifiedBy(kept, fakeupstream.Faithful))
		approved += len(verifiedBy(kept, fakeupstream.Approving))
	}
	t.Logf("%d false statements: %d grounded, %d supported by an honest verifier, "+
		"%d by one that approves all", made, grounded, verified, approved)
	if made < 100 || 50*verified > made {
		t.Errorf("an honest verifier supports %d of %d false statements, "+
			"want at most 2%% of 100 and more", verified, made)
	}
}

// verifiedBy returns the statements that a verifier supports.
func verifiedBy(statements []Statement, kind fakeupstream.Kind) []Statement {
	kept, _ := Verified(statements, answersOf(statements, kind))
	return kept
}

// answersOf returns a verifier's answers.
func answersOf(statements []Statement, kind fakeupstream.Kind) (answers []Support) {
	asked := make([]fakeupstream.Statement, len(statements))
	for i, s := range statements {
		asked[i] = fakeupstream.Statement{Section: s.Section, Text: s.Text,
			Messages: s.Messages, Quote: s.Quote}
	}
	for _, v := range (&fakeupstream.Scripted{Kind: kind}).Verify(asked) {
		answers = append(answers, Support(v))
	}
	return answers
}

// A wrong value beside a true quote is detected without a model: another digit, or the same file in
// another folder.
func TestAlteredValues(t *testing.T) {
	made := 0
	for _, w := range writtenConversations(t) {
		x := NewIndex(w.msgs, 1)
		all := strings.Join(x.texts, "\n")
		for _, s := range x.Locate(w.Honest) {
			for _, altered := range alterations(s.Text) {
				isFalse := func(v value.Value) bool { return !strings.Contains(all, v.Text) }
				if !slices.ContainsFunc(value.In(altered), isFalse) {
					continue // it is another true value
				}
				made++
				s.Text = altered
				if kept, _ := x.Ground([]Statement{s}); len(kept) > 0 {
					t.Errorf("%s: kept with another value: %s", w.Name, altered)
				}
			}
		}
	}
	t.Logf("%d altered values, none kept", made)
	if made < 100 {
		t.Errorf("%d altered values, want at least 100", made)
	}
}

// alterations returns text with one of its typed values altered.
func alterations(text string) (all []string) {
	for _, v := range value.In(text) {
		at := strings.Index(text, v.Text)
		if at < 0 {
			continue
		}
		for i := range len(v.Text) {
			if c := v.Text[i]; normal.IsDigit(c) {
				for _, by := range []byte{1, 4} {
					altered := []byte(text)
					altered[at+i] = '0' + (c-'0'+by)%10
					if altered[at+i] != '0' {
						all = append(all, string(altered))
					}
				}
			}
		}
		if v.Kind == value.Path {
			all = append(all, fmt.Sprintf("%sghost/%s", text[:at], text[at:]))
		}
	}
	return all
}

// Faithful statements of a scripted model, word for word or with their clauses reordered, are kept
// in recorded conversations, too.
func TestHonestStatementsOverRecordedConversations(t *testing.T) {
	for _, variant := range []string{"", "paraphrased"} {
		for _, first := range []int{1, 0} {
			stated, kept := 0, 0
			reasons := map[Reason]int{}
			for _, c := range recordedConversations(t) {
				honest := c.state(fakeupstream.Scripted{Variant: variant}, first)
				good, dropped := c.x.Ground(c.x.Locate(honest))
				stated += len(honest)
				kept += len(good)
				for _, d := range dropped {
					reasons[d.Reason]++
					if testing.Verbose() && len(d.Statement.Text) < 150 {
						t.Logf("%s: %q / %q", d.Reason, d.Statement.Text, d.Statement.Quote)
					}
				}
			}
			t.Logf("%q, numbers %v: %d of %d kept; dropped as %v",
				variant, first > 0, kept, stated, reasons)
			if stated < 100 || 10*kept < 9*stated {
				t.Errorf("%q: %d of %d faithful statements kept, want 90%%", variant, kept, stated)
			}
		}
	}
}

// A summary of another conversation of the same kind: with its own quotes, only what both
// conversations contain word for word is kept; beside a true quote of this one, little.
func TestForeignSummariesOfTheSameKind(t *testing.T) {
	studied := recordedConversations(t)
	for _, beside := range []bool{false, true} {
		made, kept, shared, supported := 0, 0, 0, 0
		for i, c := range studied {
			own := c.state(fakeupstream.Scripted{}, 1)
			foreign := studied[(i+1)%len(studied)].state(fakeupstream.Scripted{}, 0)
			if len(own) == 0 {
				continue
			}
			for n := range foreign {
				if quote := normal.OneLine(foreign[n].Quote); slices.ContainsFunc(c.x.texts,
					func(text string) bool { return strings.Contains(text, quote) }) {
					shared++ // both conversations contain the quote
					foreign[n].Text = ""
				}
				if beside {
					by := own[n%len(own)]
					foreign[n].Quote, foreign[n].Messages = by.Quote, by.Messages
				}
			}
			good, _ := c.x.Ground(c.x.Locate(foreign))
			made += len(foreign)
			kept += len(good)
			supported += len(verifiedBy(good, fakeupstream.Faithful))
		}
		made -= shared
		t.Logf("beside a true quote %v: %d of %d foreign statements grounded, "+
			"%d supported by an honest verifier", beside, kept, made, supported)
		if made < 100 || !beside && kept > 0 || 50*supported > made {
			t.Errorf("beside a true quote %v: %d of %d foreign statements grounded, %d supported",
				beside, kept, made, supported)
		}
	}
}
