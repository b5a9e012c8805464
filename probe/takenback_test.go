package probe

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"killick/internal/fakeupstream"
	"killick/view"
)

// takenBack is a conversation in which later messages take back what earlier ones say.
type takenBack struct {
	Name, Language string
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
// conversations, in long ones of many topics, and in recorded ones. Of what still holds, all is
// grounded as before, and the words that confirm it are shown.
func TestTakenBackLater(t *testing.T) {
	var topics []view.Message
	var about []Statement
	for _, w := range writtenConversations(t) {
		topics = append(topics, w.msgs...)
		about = append(about, w.Honest[:5]...)
	}
	t.Run("short", func(t *testing.T) { studyTakenBack(t, nil, nil, 100, 100) })
	t.Run("long", func(t *testing.T) { studyTakenBack(t, topics, nil, 0, 0) })
	t.Run("long, many statements", func(t *testing.T) { studyTakenBack(t, topics, about, 0, 0) })
	t.Run("recorded", func(t *testing.T) {
		longest := conversation{}
		for _, c := range recordedConversations(t) {
			if len(c.msgs) > len(longest.msgs) {
				longest = c
			}
		}
		stated := longest.state(fakeupstream.Scripted{}, 0)
		studyTakenBack(t, longest.msgs, stated, 0, 0)
	})
}

func studyTakenBack(
	t *testing.T, others []view.Message, stated []Statement, leastShown, leastConfirmed int,
) {
	made, grounded, before, shown := 0, 0, 0, 0
	honest, kept, confirmable, confirmed := 0, 0, 0, 0
	passages, size, listed := 0, 0, 0
	for _, c := range conversationsTakenBack(t) {
		msgs := among(parse(t, c.Messages...), others)
		x := NewIndex(msgs, 1)
		var all []Statement
		var lies, truths [][2]string // the words that are looked for, by text
		for _, l := range c.Lies {
			all = append(all, l.Statement)
			lies = append(lies, [2]string{l.Text, l.Refuted})
		}
		for _, h := range c.Honest {
			all = append(all, h.Statement)
			truths = append(truths, [2]string{h.Text, h.Confirmed})
		}
		own := len(all)
		all = append(all, stated...)
		good, dropped := x.Ground(x.Locate(all[:min(len(all), MaxStatements)]))
		for _, d := range dropped {
			if !slices.ContainsFunc(all[:own], func(s Statement) bool {
				return oneLine(s.Text) == d.Statement.Text
			}) {
				continue
			}
			t.Logf("%s: %s: %s", c.Name, d.Reason, d.Statement.Text)
		}
		x.Passages(good, func(s string) string { return s })
		later := LaterPassages(good, msgs, 1, func(s string) string { return s })
		passages += len(later)
		listed += len(good)
		for _, p := range later {
			size += len(p.Text)
		}
		find := func(text string) *Statement {
			for i := range good {
				if good[i].Text == oneLine(text) {
					return &good[i]
				}
			}
			return nil
		}
		inLater := func(s *Statement, words string) bool {
			for _, p := range later {
				if p.Message >= s.At && strings.Contains(p.Text, plain(oneLine(words))) {
					return true
				}
			}
			return false
		}
		text := plain(strings.Join(x.texts, "\n"))
		for _, l := range lies {
			made++
			if !strings.Contains(text, plain(oneLine(l[1]))) {
				t.Errorf("%s: %q is not in the conversation", c.Name, l[1])
			}
			s := find(l[0])
			if s == nil {
				continue
			}
			grounded++
			if strings.Contains(s.Passage, oneLine(l[1])) {
				before++
			}
			if inLater(s, l[1]) {
				shown++
			} else {
				t.Logf("%s: not shown: %s / %s", c.Name, l[0], l[1])
			}
		}
		for _, h := range truths {
			honest++
			s := find(h[0])
			if s == nil {
				continue
			}
			kept++
			if h[1] == "" {
				continue
			}
			if !strings.Contains(text, plain(oneLine(h[1]))) {
				t.Errorf("%s: %q is not in the conversation", c.Name, h[1])
			}
			confirmable++
			if inLater(s, h[1]) {
				confirmed++
			} else {
				t.Logf("%s: not shown to be confirmed: %s / %s", c.Name, h[0], h[1])
			}
		}
	}
	t.Logf("%d taken back, %d grounded, %d refuted by their passage, %d by a later one", made,
		grounded, before, shown)
	t.Logf("%d that hold, %d kept, %d of %d confirmed by a later passage; %d passages of %d "+
		"bytes beside %d statements", honest, kept, confirmed, confirmable, passages, size, listed)
	if made < 20 || honest < 20 || 10*kept < 9*honest {
		t.Errorf("%d lies, %d honest statements, %d kept", made, honest, kept)
	}
	if 100*shown < leastShown*grounded || 100*confirmed < leastConfirmed*confirmable {
		t.Errorf("shown to be taken back %d of %d, confirmed %d of %d", shown, grounded,
			confirmed, confirmable)
	}
}
