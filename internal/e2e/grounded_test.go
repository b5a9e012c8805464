package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"killick/internal/config"
	"killick/internal/config/load"
	"killick/internal/groundcheck"
	"killick/internal/recorded"
	"killick/internal/replayreport"
	"killick/replay"
)

// groundings are the settings at which conversations are folded, and one turn in how
// many is sent: a client may as well send no others.
var groundings = []struct {
	name  string
	turns int
	set   func(*config.Config)
}{
	{"20000 to 8000", 1, func(c *config.Config) {
		between(20000, 8000)(c)
		c.Compaction.IndexTokens, c.Compaction.WorkingSet = 2000, 2000
	}},
	{"12000 to 4000", 2, between(12000, 4000)},
	{"32000 to 16000", 2, between(32000, 16000)},
	{"saver", 2, saver},
}

// saver sets what the profile does.
func saver(c *config.Config) {
	s, err := load.Config(load.Sources{Env: []string{"KILLICK_COMPACTION_PROFILE=saver"}})
	if err != nil {
		panic(err)
	}
	c.Compaction = s.Compaction
}

// Every line of every record that recorded conversations are folded to is derived
// again from the client's request, by a checker that shares no code with the writer. With
// KILLICK_RECORDED=all each conversation is compacted with every setting, else some with each.
func TestEveryLineIsGrounded(t *testing.T) {
	settings, step := groundings, 8
	switch {
	case raceEnabled:
		settings, step = groundings[:1], 16
	case testing.Short():
		settings, step = groundings[:1], 4
	}
	recorded.Files(t, "*.jsonl") // skips all of it where there are none
	var found grounding
	for i, s := range settings {
		t.Run(s.name, func(t *testing.T) {
			all := recorded.Some(t, i%step, step)
			c := balanced()
			s.set(&c)
			forward, closeStore, err := replayreport.Strategy("", c).Open(time.Now)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = closeStore() })
			for n := range all {
				t.Run(all[n].ID, func(t *testing.T) {
					t.Parallel()
					found.add(t, checkFolds(t, &all[n], s.turns, forward))
				})
			}
		})
	}
	found.log(t)
	if found.folds == 0 {
		t.Error("nothing was folded")
	}
}

// The check can fail: of a record that holds, one word or number changed in any line
// is found. All lines are changed with KILLICK_RECORDED=all, else every fourth.
func TestChangedRecordsAreNotGrounded(t *testing.T) {
	if raceEnabled {
		t.Skip("nothing runs at once in it: the race detector has nothing to find")
	}
	all := recorded.Conversations(t)
	n := slices.IndexFunc(all, func(c recorded.Conversation) bool {
		return len(c.Messages) > 150 && len(c.Messages) < 300 && strings.HasPrefix(c.ID, "entire-")
	})
	if n < 0 {
		t.Skip("no conversation of 150 to 300 messages was recorded")
	}
	c := balanced()
	between(12000, 4000)(&c)
	c.Compaction.WorkingSet = 1500
	forward, closeStore, err := replayreport.Strategy("", c).Open(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = closeStore() })
	raw := all[n].Body(`"model":"gpt-4o"`, len(all[n].Messages))
	sent := forward(raw).Body
	report := groundcheck.Check(raw, sent)
	for _, f := range report.Faults {
		t.Errorf("unchanged: %v", f)
	}
	faults := len(report.Faults)
	changed, step := 0, 4
	switch {
	case recorded.All():
		step = 1
	case testing.Short():
		step = 10
	}
	for i, body := range changedRecords(t, sent) {
		if i%step != 0 {
			continue
		}
		changed++
		if len(groundcheck.Check(raw, body.sent).Faults) <= faults {
			t.Errorf("not found: %s", body.what)
		}
	}
	t.Logf("%s: %d lines changed", all[n].ID, changed)
	if changed == 0 {
		t.Error("no record was changed")
	}
}

// changedRecord is a request with one change in a record.
type changedRecord struct {
	sent []byte
	what string
}

var (
	anyNumber = regexp.MustCompile(`\d+`)
	anyWord   = regexp.MustCompile(`[A-Za-z]{4,}`)
)

// changedRecords returns a request once for each number that is another and each word
// that is misspelt in the records, of a line the first number and one word.
func changedRecords(t *testing.T, sent []byte) (all []changedRecord) {
	var request struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(sent, &request); err != nil {
		t.Fatal(err)
	}
	for at, raw := range request.Messages {
		var m struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		}
		if json.Unmarshal(raw, &m) != nil ||
			!strings.HasPrefix(m.Content, "[Record of earlier turns") {
			continue
		}
		lines := strings.Split(m.Content, "\n")
		for i, line := range lines {
			if strings.HasPrefix(line, "(What these messages held") {
				continue // a handle, not a fact
			}
			for _, changed := range changedLines(line, i) {
				m.Content = strings.Join(slices.Concat(lines[:i], []string{changed}, lines[i+1:]),
					"\n")
				request.Messages[at], _ = json.Marshal(m)
				body, _ := json.Marshal(request)
				all = append(all, changedRecord{body, changed})
			}
		}
		request.Messages[at] = raw
	}
	return all
}

func changedLines(line string, seed int) (changed []string) {
	if at := anyNumber.FindStringIndex(line); at != nil {
		changed = append(changed, line[:at[0]]+"9"+line[at[0]:])
	}
	if found := anyWord.FindAllStringIndex(line, -1); len(found) > 0 {
		at := found[seed*7%len(found)][0] + 1
		letter := "z"
		if line[at] == 'z' {
			letter = "y"
		}
		changed = append(changed, line[:at]+letter+line[at+1:])
	}
	return changed
}

// checkFolds sends one turn in so many of a conversation and checks what is forwarded
// whenever its records are others than before.
func checkFolds(t *testing.T, c *recorded.Conversation, every int,
	forward replay.Forwarder) *grounding {
	g := &grounding{}
	whole := c.Body(`"model":"gpt-4o"`, len(c.Messages))
	var before []byte
	turn := 0
	for n := 1; n <= len(c.Messages); n++ {
		if n < len(c.Messages) && !c.FromAssistant(n) {
			continue
		}
		if turn++; turn%every != 0 && n < len(c.Messages) {
			continue
		}
		raw := whole
		if n < len(c.Messages) {
			raw = c.Body(`"model":"gpt-4o"`, n)
		}
		sent := forward(raw).Body
		records := recordsIn(t, sent)
		if len(records) == 0 || bytes.Equal(records, before) {
			continue
		}
		before = records
		report := groundcheck.Check(raw, sent)
		g.folds++
		g.report.Add(report)
		for _, f := range report.Faults {
			g.note(fmt.Sprintf("%s, %d messages: %s", t.Name(), n, f), f.Rule)
		}
	}
	return g
}

// recordsIn returns the records among the messages of a body.
func recordsIn(t *testing.T, body []byte) (records []byte) {
	if !bytes.Contains(body, []byte("[Record of earlier turns")) {
		return nil
	}
	var request struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(body, &request); err != nil {
		t.Fatal(err)
	}
	for _, m := range request.Messages {
		if bytes.Contains(m, []byte("[Record of earlier turns")) {
			records = append(records, m...)
		}
	}
	return records
}

// grounding is what checks of several conversations found.
type grounding struct {
	mu     sync.Mutex
	folds  int
	report groundcheck.Report
	faults map[string][]string // by rule: the first of each fault, with the place where it is
	rules  map[string]int
}

// note keeps a fault, once for all the folds that repeat it.
func (g *grounding) note(fault, rule string) {
	if g.faults == nil {
		g.faults, g.rules = map[string][]string{}, map[string]int{}
	}
	g.rules[rule]++
	_, what, _ := strings.Cut(fault, ": ")
	_, what, _ = strings.Cut(what, ": ")
	if !slices.ContainsFunc(g.faults[rule], func(f string) bool {
		return strings.HasSuffix(f, what)
	}) {
		g.faults[rule] = append(g.faults[rule], fault)
	}
}

func (g *grounding) add(t *testing.T, o *grounding) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.folds += o.folds
	o.report.Faults = nil // they are noted
	g.report.Add(o.report)
	for rule, faults := range o.faults {
		for _, f := range faults {
			t.Error(f)
			g.note(f, rule)
		}
		g.rules[rule] += o.rules[rule] - len(faults)
	}
}

// log reports the counts by kind of line, and the faults by rule.
func (g *grounding) log(t *testing.T) {
	t.Logf("%d folds, %d records", g.folds, g.report.Records)
	for _, kind := range slices.Sorted(maps.Keys(g.report.Counts)) {
		t.Logf("%8d %s", g.report.Counts[kind], kind)
	}
	rules := slices.SortedFunc(maps.Keys(g.rules), func(a, b string) int {
		return cmp.Compare(g.rules[b], g.rules[a])
	})
	for _, rule := range rules {
		t.Errorf("%8d faults, %d of them different: %s", g.rules[rule], len(g.faults[rule]), rule)
	}
}
