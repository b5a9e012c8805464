package replay

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/chat"
	"killick/replay/billing"
	"killick/view"
)

// outputs returns a task and n calls with outputs of 100 tokens each.
func outputs(n int) []string {
	messages := []string{msg("system", "20 rules"), msg("user", "50 task")}
	for i := range n {
		id := fmt.Sprint("c", i)
		messages = append(messages, call(id, `{}`),
			result(id, fmt.Sprintf("100 output number %d, as long as outputs are", i)))
	}
	return append(messages, msg("assistant", "done"))
}

// forwarded returns what a strategy forwards for all requests, as the texts of the messages without
// their numbers.
func forwarded(t *testing.T, strategy Strategy, messages ...string) (requests []string) {
	t.Helper()
	s := study(t, say{}, messages...)
	_, err := s.Measure(strategy, billing.DefaultProfiles, func(_ int, f Forwarded) error {
		req, err := chat.Parse(f.Body)
		if err != nil {
			return err
		}
		var texts []string
		for i := range req.Messages() {
			m := &req.Messages()[i]
			switch {
			case strings.Contains(m.Text(), "hidden"):
				texts = append(texts, "-")
			case m.Role() == view.Tool:
				var n int
				if _, err := fmt.Sscanf(m.Text(), "100 output number %d", &n); err != nil {
					return err
				}
				texts = append(texts, fmt.Sprint(n))
			case m.Role() != view.Assistant:
				texts = append(texts, string(m.Role()))
			}
		}
		requests = append(requests, strings.Join(texts, " "))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return requests
}

func TestHideOutputs(t *testing.T) {
	got := forwarded(t, HideOutputs(), outputs(13)...)
	want := []string{
		"system user 0 1 2 3 4 5 6 7 8 9",
		"system user - 1 2 3 4 5 6 7 8 9 10",
		"system user - - 2 3 4 5 6 7 8 9 10 11",
		"system user - - - 3 4 5 6 7 8 9 10 11 12",
	}
	if !slices.Equal(got[10:], want) {
		t.Errorf("forwarded\n%s\nwant\n%s", strings.Join(got[10:], "\n"), strings.Join(want, "\n"))
	}
}

// The messages have 20 + 50 tokens, and 110 for each call with its output. A hidden output has 10
// tokens instead of 100. The 28 tokens of framing do not count.
func TestHideInBatches(t *testing.T) {
	got := forwarded(t, HideInBatches(say{}, 70+12*110), outputs(15)...)
	want := []string{
		"system user 0 1 2 3 4 5 6 7 8 9 10 11",
		"system user - - - 3 4 5 6 7 8 9 10 11 12",    // 70 + 13·110 is over; 270 are hidden
		"system user - - - 3 4 5 6 7 8 9 10 11 12 13", // 70 + 14·110 − 270: 1,340 of 1,390
		"system user - - - - - 5 6 7 8 9 10 11 12 13 14",
	}
	if !slices.Equal(got[12:], want) {
		t.Errorf("forwarded\n%s\nwant\n%s", strings.Join(got[12:], "\n"), strings.Join(want, "\n"))
	}
}

// A client that compacts its conversation itself sends a shorter request.
func TestHideInBatchesAfterARestart(t *testing.T) {
	forward, _, err := HideInBatches(say{}, 500).Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	long, short := transcriptOf(t, outputs(20)...), transcriptOf(t, outputs(2)...)
	if f := forward(long.Body(len(long.Messages))); len(f.Actions) != 1 {
		t.Fatalf("%+v, want hidden outputs", f)
	}
	body := short.Body(len(short.Messages))
	if f := forward(body); string(f.Body) != string(body) {
		t.Errorf("forwarded %s, want it unchanged", f.Body)
	}
}

func TestDropOldest(t *testing.T) {
	got := forwarded(t, DropOldest(say{}, 70+3*110), outputs(5)...)
	want := []string{
		"system user", "system user 0", "system user 0 1", "system user 0 1 2",
		"system 1 2 3", // the 50 of the task are not enough; 110 more are dropped
		"system 2 3 4", // 70 − 50 + 3·110
	}
	if !slices.Equal(got, want) {
		t.Errorf("forwarded\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// The newest turn stays, however large it is.
	got = forwarded(t, DropOldest(say{}, 1), outputs(2)...)
	if want := []string{"system user", "system 0", "system 1"}; !slices.Equal(got, want) {
		t.Errorf("forwarded %q, want %q", got, want)
	}
}

// No baseline breaks a rule, except the one that drops turns.
func TestBaselinesAreValid(t *testing.T) {
	s := study(t, say{}, outputs(30)...)
	for _, strategy := range Baselines(say{}, 1500) {
		f := measure(t, s, strategy)
		want := Validity{}
		if strings.HasPrefix(strategy.Name, "drop") {
			want.LostTask, want.LostRequest = f.Validity.LostTask, f.Validity.LostRequest
			if want.LostTask == 0 {
				t.Errorf("%s: no task was lost", strategy.Name)
			}
		}
		if f.Validity != want {
			t.Errorf("%s: %+v", strategy.Name, f.Validity)
		}
		if f.Tokens.All.Sent > f.Tokens.All.Raw || strategy.Name != "nothing" &&
			f.Tokens.All.Sent == f.Tokens.All.Raw {
			t.Errorf("%s: tokens %+v", strategy.Name, f.Tokens.All)
		}
	}
}
