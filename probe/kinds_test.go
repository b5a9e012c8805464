package probe

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"killick/chat"
	"killick/internal/fakeupstream"
	"killick/probe/normal"
	"killick/view"
)

// lie is a false statement in the words of its conversation, beside a true quote.
type lie struct {
	Kind string
	Statement
	Refuted string // the words of the conversation that show that it is false; "" if Claims does
	Claims  string // who it says wrote the quote; "" if it does not
}

// liedAbout is a conversation that was written for the study of kinds of lies, with statements of
// an honest model.
type liedAbout struct {
	Name, Language string
	Set            int // when it was written: see TestFalseStatementsOfSummaries
	Messages       []json.RawMessage
	Lies           []lie
	Honest         []Statement

	msgs []view.Message
	x    *Index
}

func conversationsLiedAbout(t testing.TB, folder string) (all []liedAbout) {
	t.Helper()
	files, err := filepath.Glob("testdata/" + folder + "/*.json")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d conversations, %v; want at least 7", len(files), err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c liedAbout
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		c.msgs = readMessages(t, c.Messages)
		c.x = NewIndex(c.msgs, 1)
		all = append(all, c)
	}
	return all
}

// readMessages reads messages in the form of chat completions, or as lines for parse.
func readMessages(t testing.TB, all []json.RawMessage) (msgs []view.Message) {
	t.Helper()
	var lines []string
	for _, raw := range all {
		var line string
		if json.Unmarshal(raw, &line) == nil {
			lines = append(lines, line)
			continue
		}
		m, err := chat.ParseMessage(raw)
		if err != nil {
			t.Fatal(err)
		}
		msgs = append(msgs, m)
	}
	return append(msgs, parse(t, lines...)...)
}

// ofKind counts the lies of a kind.
type ofKind struct {
	made, grounded int
	verbatim       int // supported by a verifier that supports what a quote says word for word
	agreed         int // supported by one that supports what shares a word with its quote
	shown          int // refuted by what a verifier is shown
	inQuote        int // refuted by the quote alone or by its writer
}

func (k *ofKind) add(by *ofKind) {
	k.made += by.made
	k.grounded += by.grounded
	k.verbatim += by.verbatim
	k.agreed += by.agreed
	k.shown += by.shown
	k.inQuote += by.inQuote
}

// Of each kind of lie: how many are grounded, and of how many a verifier is shown that they are
// false. What it is not shown it cannot find.
func TestFalseStatementsByKind(t *testing.T) {
	kinds, order := map[string]*ofKind{}, []string{}
	for _, c := range conversationsLiedAbout(t, "lies") {
		for _, l := range c.Lies {
			if kinds[l.Kind] == nil {
				kinds[l.Kind] = &ofKind{}
				order = append(order, l.Kind)
			}
			of := c.try(t, l)
			kinds[l.Kind].add(&of)
		}
	}
	var all ofKind
	const row = "%-28s made %3d, grounded %3d; supported: word for word %2d, by a shared word " +
		"%3d; shown to be false %3d, by the quote %3d"
	for _, name := range order {
		k := kinds[name]
		t.Logf(row, name, k.made, k.grounded, k.verbatim, k.agreed, k.shown, k.inQuote)
		all.add(k)
	}
	t.Logf(row, "all", all.made, all.grounded, all.verbatim, all.agreed, all.shown, all.inQuote)
	if len(order) < 20 || all.made < 150 {
		t.Errorf("%d lies of %d kinds, want 150 of 20", all.made, len(order))
	}
	if all.shown < all.grounded {
		t.Errorf("a verifier is shown that %d of %d grounded lies are false, want all",
			all.shown, all.grounded)
	}
	if grounded := kinds["quotation invented"].grounded; grounded > 0 {
		t.Errorf("%d invented quotations are kept", grounded)
	}
}

// try checks a lie as the program does.
func (c *liedAbout) try(t *testing.T, l lie) ofKind {
	t.Helper()
	c.checkLie(t, &l)
	kept, _ := c.x.Ground(c.x.Locate([]Statement{l.Statement}))
	if len(kept) == 0 {
		return ofKind{made: 1}
	}
	seen := NewConversation(c.msgs, same)
	kept, _ = seen.Passages(kept)
	s := &kept[0]
	later := seen.Others(kept)
	inQuote := l.Claims != "" && s.Writer != l.Claims ||
		l.Refuted != "" && strings.Contains(s.Quote, normal.OneLine(l.Refuted))
	shown := inQuote || l.Refuted != "" && strings.Contains(s.Passage, normal.OneLine(l.Refuted))
	if l.Kind == "taken back later" {
		refuted := normal.Plain(normal.OneLine(l.Refuted))
		shown = slices.ContainsFunc(later, func(p Other) bool {
			return p.Message > s.At && strings.Contains(p.Text, refuted)
		})
	}
	if !shown {
		t.Logf("%s: not shown to be false: %s", c.Name, l.Text)
	}
	return ofKind{
		made: 1, grounded: 1, verbatim: len(verifiedBy(kept, fakeupstream.Faithful)),
		agreed: len(verifiedBy(kept, fakeupstream.Agreeing)), shown: count(shown),
		inQuote: count(inQuote),
	}
}

// Honest statements about the same conversations are kept.
func TestHonestStatementsOfManyTrades(t *testing.T) {
	stated, kept := 0, 0
	for _, c := range conversationsLiedAbout(t, "lies") {
		good, dropped := c.x.Ground(c.x.Locate(c.Honest))
		stated, kept = stated+len(c.Honest), kept+len(good)
		for _, d := range dropped {
			t.Logf("%s: %s: %s", c.Name, d.Reason, d.Statement.Text)
		}
	}
	t.Logf("%d of %d kept", kept, stated)
	if stated < 60 || 10*kept < 9*stated {
		t.Errorf("%d of %d honest statements kept, want 90%% of 60 and more", kept, stated)
	}
}

// A verifier that supports everything supports a control, so nothing that it says is used: neither
// in these conversations nor in others.
func TestControlsFindVerifiersThatApproveAll(t *testing.T) {
	grounded := map[string][]Statement{}
	for _, c := range slices.Concat(conversationsLiedAbout(t, "lies"),
		conversationsLiedAbout(t, "summaries")) {
		for _, l := range c.Lies {
			c.Honest = append(c.Honest, l.Statement)
		}
		grounded[c.Name], _ = c.x.Ground(c.x.Locate(c.Honest))
	}
	for _, w := range writtenConversations(t) {
		x := NewIndex(w.msgs, 1)
		grounded[w.Name], _ = x.Ground(x.Locate(w.Honest))
	}
	lists, found := 0, 0
	for name, list := range grounded {
		checks := WithControls(list)
		lists++
		if _, ok := checks.Answers(answersOf(checks.Shown, fakeupstream.Approving)); !ok {
			found++
		} else {
			t.Errorf("%s: a verifier that approves all of %d is believed", name, len(list))
		}
		for _, kind := range []fakeupstream.Kind{fakeupstream.Faithful, fakeupstream.Agreeing} {
			own, ok := checks.Answers(answersOf(checks.Shown, kind))
			if !ok || len(own) != len(list) {
				t.Errorf("%s, %s: %d answers of %d, %v", name, kind, len(own), len(list), ok)
			}
		}
	}
	t.Logf("a verifier that approves all is found in %d of %d lists", found, lists)
}

// Of texts of the assistant and of tools that a model says the user wrote, none is shown as the
// user's, in recorded conversations.
func TestFalseAttributionsInRecordedConversations(t *testing.T) {
	made, kept := 0, 0
	for _, c := range recordedConversations(t) {
		for i := range c.msgs {
			words := strings.Fields(c.x.texts[i])
			if c.msgs[i].Role() == view.User || len(words) < 12 {
				continue
			}
			quote := strings.Join(words[2:10], " ")
			good, _ := c.x.Ground(c.x.Locate([]Statement{{Section: "next", Quote: quote,
				Text: "The user said: " + quote, Messages: []int{i + 1}}}))
			made, kept = made+1, kept+len(good)
			for _, s := range good {
				if strings.Contains(s.Writer, "user") {
					t.Errorf("%s: message %d is shown as the user's", c.name, i+1)
				}
			}
		}
	}
	t.Logf("%d texts said to be the user's, %d grounded, none shown as the user's", made, kept)
	if kept < 500 {
		t.Errorf("%d of %d are grounded, want 500", kept, made)
	}
}
