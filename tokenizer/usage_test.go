package tokenizer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"killick/internal/recorded"
	"killick/tokenizer/internal/corpus"
)

// recordedUsage is what the provider counted of a recorded conversation.
type recordedUsage struct {
	ID       string
	Preamble int `json:"standing_tokens"` // of the system prompt and the tools, by the provider
	Requests []struct {
		Messages           int
		Model              string
		Read, Write, Input int
		Skip               [][2]int // messages that were not sent any more
	}
}

// usages returns the recorded usage with its conversations, in the order of their ids.
func usages(t *testing.T) (all []recordedUsage, of map[string]recorded.Conversation) {
	of = map[string]recorded.Conversation{}
	for _, file := range recorded.Files(t, "*.usage.*.jsonl") {
		lines, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(lines) {
			var u recordedUsage
			if err := json.Unmarshal(line, &u); err != nil {
				t.Fatal(err)
			}
			all = append(all, u)
		}
	}
	for _, c := range recorded.Conversations(t) {
		of[c.ID] = c
	}
	slices.SortFunc(all, func(a, b recordedUsage) int { return strings.Compare(a.ID, b.ID) })
	return all, of
}

// estimated is what is estimated of one request and what the provider counted.
type estimated struct{ factored, ratio, theirs float64 }

// estimate goes through the requests of a conversation as a process would that has seen nothing of
// its model. It learns from the first learn requests.
func (u *recordedUsage) estimate(
	t *testing.T, c *recorded.Conversation, learn int,
) (all []estimated) {
	m := New(Options{}).For(u.Requests[0].Model)
	counts := make([]int, len(c.Messages))
	msgs := c.Parse(t)
	for i := range msgs {
		counts[i] = m.Message(&msgs[i])
	}
	for i, r := range u.Requests {
		sent, ours := recorded.Conversation{}, 0
		for j := range r.Messages {
			skips := func(s [2]int) bool { return s[0] <= j && j < s[1] }
			if !slices.ContainsFunc(r.Skip, skips) {
				sent.Messages = append(sent.Messages, c.Messages[j])
				ours += counts[j]
			}
		}
		body := sent.Body(fmt.Sprintf(`"model":%q`, r.Model), len(sent.Messages))
		// The text of the preamble is not recorded: taken as estimated rightly.
		e := estimated{
			factored: float64(ours)*m.Factor(body) + float64(u.Preamble),
			theirs:   float64(r.Read + r.Write + r.Input),
		}
		e.ratio = m.corrected()
		all = append(all, e)
		if i < learn {
			m.Observe(int(e.factored), int(e.theirs))
		}
	}
	return all
}

// TestEstimatesOverRecordedUsage: how near estimates come to what a provider counted, in the
// conversations that no factor was chosen by.
func TestEstimatesOverRecordedUsage(t *testing.T) {
	corpus.Sequential(t)
	all, of := usages(t)
	for half, name := range []string{"used for choosing", "held out"} {
		var before, after, bound []float64 // a median of each conversation
		under := 0
		requests := 0
		for i := range all {
			u := &all[i]
			c, ok := of[u.ID]
			if i%2 != half || !ok || len(u.Requests) < 12 {
				continue
			}
			var errors, learned []float64
			for j, e := range u.estimate(t, &c, 5) {
				errors = append(errors, e.factored/e.theirs-1)
				if j >= 5 {
					learned = append(learned, e.factored*e.ratio/e.theirs-1)
					requests++
					if e.factored*e.ratio < e.theirs {
						under++
					}
				}
			}
			before = append(before, quantile(errors, 0.5))
			after = append(after, quantile(learned, 0.5))
			bound = append(bound, quantile(learned, 0.1))
		}
		t.Logf("%s, %d conversations: error of the estimate, quantiles 5, 25, 50, 75, 95 of the "+
			"conversations' medians:", name, len(before))
		for _, l := range []struct {
			name string
			of   []float64
		}{{"factor alone", before}, {"after five reports", after}, {"its lowest tenth", bound}} {
			t.Logf("%20s %+.1f%% %+.1f%% %+.1f%% %+.1f%% %+.1f%%", l.name, 100*quantile(l.of, 0.05),
				100*quantile(l.of, 0.25), 100*quantile(l.of, 0.5), 100*quantile(l.of, 0.75),
				100*quantile(l.of, 0.95))
		}
		if worst := max(-quantile(before, 0.25), quantile(before, 0.75)); half == 1 && worst > 0.1 {
			t.Errorf("half of the conversations are estimated more than %.1f%% wrong", 100*worst)
		}
		if worst := max(-quantile(after, 0.25), quantile(after, 0.75)); half == 1 && worst > 0.06 {
			t.Errorf("after five reports half of them are still %.1f%% wrong", 100*worst)
		}
		t.Logf("after five reports, %d of %d requests counted more than estimated", under, requests)
	}
}

func quantile(of []float64, q float64) float64 {
	slices.Sort(of)
	return of[int(q*float64(len(of)-1)+0.5)]
}
