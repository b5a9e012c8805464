package probe

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"killick/internal/fakeupstream"
	"killick/probe/normal"
	"killick/view"
)

// takenBack is a conversation in which later messages take back what earlier ones say.
type takenBack struct {
	Name, Language string
	Later          bool // written after the rules that choose passages
	Working        bool // the assistant takes it back while it works, in other words
	Messages       []string
	Lies           []struct { // what was taken back, stated as if it were so
		Statement
		Refuted string // the later words
	}
	Honest []struct { // what still holds
		Statement
		Confirmed string // later words that say so, if there are any
	}
}

func conversationsTakenBack(t testing.TB) (all []takenBack) {
	t.Helper()
	files, err := filepath.Glob("testdata/takenback/*.json")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d conversations, %v; want at least 8", len(files), err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c takenBack
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, c)
	}
	return all
}

// among returns messages with others between their turns, about the same number before each.
func among(msgs, others []view.Message) (all []view.Message) {
	between, asked := view.Groups(others), 0
	for i := range msgs {
		if msgs[i].Role() == view.User {
			asked++
		}
	}
	next := 0
	for i := range msgs {
		if msgs[i].Role() == view.User {
			next++
			for _, o := range between[(next-1)*len(between)/asked : next*len(between)/asked] {
				all = append(all, others[o.Start:o.End]...)
			}
		}
		all = append(all, msgs[i])
	}
	return all
}

// Of what a later message takes back: how often a verifier is shown that message, in short
// conversations, in long ones of many topics, and among the messages of a recorded one. What still
// holds is grounded as before, and the words that confirm it are shown.
func TestTakenBackLater(t *testing.T) {
	var topics []view.Message
	var stated []Statement
	for _, w := range writtenConversations(t) {
		topics = append(topics, w.msgs...)
		stated = append(stated, w.Honest[:5]...)
	}
	t.Run("short", func(t *testing.T) { studyTakenBack(t, nil, nil, 90) })
	t.Run("long", func(t *testing.T) { studyTakenBack(t, topics, stated, 85) })
	t.Run("recorded", func(t *testing.T) {
		longest := conversation{}
		for _, c := range recordedConversations(t) {
			if len(c.msgs) > len(longest.msgs) {
				longest = c
			}
		}
		studyTakenBack(t, longest.msgs, longest.state(fakeupstream.Scripted{}, 0), 85)
	})
}

// ofTakenBack counts statements about what was taken back, and about what still holds.
type ofTakenBack struct {
	made, grounded, outdated int
	before, shown            int // refuted by the passage of the quote, by a later one
	honest, kept             int
	confirmable, confirmed   int // by later words
	statements, bytes        int // what a verifier sees: statements, and bytes of later passages
}

// studyTakenBack studies the conversations among other messages, together with statements about
// these. least is the least share, in hundredths, of what is to be shown.
func studyTakenBack(t *testing.T, others []view.Message, stated []Statement, least int) {
	var all [3]ofTakenBack
	for _, c := range conversationsTakenBack(t) {
		of := &all[0]
		switch {
		case c.Working:
			of = &all[2]
		case c.Later:
			of = &all[1]
		}
		c.try(t, of, among(parse(t, c.Messages...), others), stated)
	}
	for i, of := range all {
		t.Logf("%s: %+v", []string{"written before the rules", "after", "while it works"}[i], of)
		if 10*of.kept < 9*of.honest || 100*of.shown < least*of.grounded ||
			100*of.confirmed < least*of.confirmable {
			t.Errorf("want 90%% of honest statements kept, %d%% of the rest shown", least)
		}
	}
	if made, honest := all[0].made+all[1].made, all[0].honest+all[1].honest; made < 40 ||
		honest < 35 {
		t.Errorf("%d and %d statements", made, honest)
	}
}

// try checks the statements about a conversation as the program does.
func (c *takenBack) try(t *testing.T, of *ofTakenBack, msgs []view.Message, stated []Statement) {
	t.Helper()
	var all []Statement
	for _, l := range c.Lies {
		all = append(all, l.Statement)
	}
	for _, h := range c.Honest {
		all = append(all, h.Statement)
	}
	all = append(all, stated...)
	x := NewIndex(msgs, 1)
	good, dropped := x.Ground(x.Locate(all[:min(len(all), MaxStatements)]))
	shown := NewConversation(msgs, same)
	good, _ = shown.Passages(good)
	later := shown.Others(good)
	of.statements += len(good)
	for _, p := range later {
		of.bytes += len(p.Text)
	}
	text := normal.Plain(strings.Join(x.texts, "\n"))
	// held returns the statement with a text, and whether a later passage holds words.
	held := func(s Statement, words string) (found *Statement, shown bool) {
		words = normal.Plain(normal.OneLine(words))
		if !strings.Contains(text, words) {
			t.Errorf("%s: %q is not in the conversation", c.Name, words)
		}
		at := slices.IndexFunc(good, func(g Statement) bool {
			return g.Text == normal.OneLine(s.Text)
		})
		if at < 0 {
			return nil, false
		}
		shown = slices.ContainsFunc(later, func(p Other) bool {
			return p.Message >= good[at].At && strings.Contains(p.Text, words)
		})
		if !shown {
			t.Logf("%s: not shown: %s / %s", c.Name, s.Text, words)
		}
		return &good[at], shown
	}
	for _, l := range c.Lies {
		of.made++
		s, shown := held(l.Statement, l.Refuted)
		of.shown += count(shown)
		if s != nil {
			of.grounded++
			of.before += count(strings.Contains(s.Passage, normal.OneLine(l.Refuted)))
		}
		of.outdated += count(slices.ContainsFunc(dropped, func(d Drop) bool {
			return d.Reason == Outdated && d.Statement.Text == normal.OneLine(l.Text)
		}))
	}
	for _, h := range c.Honest {
		of.honest++
		s, shown := held(h.Statement, h.Confirmed)
		if of.kept += count(s != nil); s != nil && h.Confirmed != "" {
			of.confirmable++
			of.confirmed += count(shown)
		}
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
