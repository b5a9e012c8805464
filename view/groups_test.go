package view_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"killick/internal/chattest"
	"killick/view"
)

// However a conversation is split into turns, and wherever it is resumed, its groups are the same.
func TestGroupsAreThoseOfTheWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var msgs []view.Message
		for i := range 1 + rng.IntN(20) {
			raw := `{"role":"user","content":"x"}`
			switch rng.IntN(4) {
			case 0:
				raw = fmt.Sprintf(`{"role":"tool","tool_call_id":"%d","content":""}`, rng.IntN(4))
			case 1:
				raw = fmt.Sprintf(`{"role":"assistant","tool_calls":[{"id":"%d"},{"id":"%d"}]}`,
					rng.IntN(4), rng.IntN(4))
			case 2:
				raw = fmt.Sprintf(`{"role":"assistant","tool_calls":[{"id":"%d"}]}`, i%4)
			}
			msgs = append(msgs, *chattest.Message(t, raw))
		}
		want := view.Groups(msgs)
		var g view.Grouping
		for g.Messages() < len(msgs) {
			before := slices.Clone(g.Groups)
			grown := g.Extend(msgs[:g.Messages()+1+rng.IntN(len(msgs)-g.Messages())], view.Rules{})
			if !slices.Equal(before, g.Groups) {
				t.Fatal("extending a grouping changed it")
			}
			g = grown
		}
		if !slices.Equal(g.Groups, want) {
			t.Fatalf("turn by turn %v, at once %v", g.Groups, want)
		}
		for n := range msgs {
			first := g.First(n)
			if first.Messages() > n {
				t.Fatalf("%d of %d messages are grouped", first.Messages(), n)
			}
			if got := first.Extend(msgs, view.Rules{}); !slices.Equal(got.Groups, want) {
				t.Fatalf("taken up at %d of %d: %v, at once %v", n, len(msgs), got.Groups, want)
			}
		}
	}
}

// A result without a call of its own stays with the results before it.
func TestRepeatedResultsStayWithTheirTurn(t *testing.T) {
	msgs := chattest.Messages(t,
		`{"role":"user","content":"x"}`,
		`{"role":"assistant","tool_calls":[{"id":"1"},{"id":"2"}]}`,
		`{"role":"tool","tool_call_id":"1"}`, `{"role":"tool","tool_call_id":"2"}`,
		`{"role":"tool","tool_call_id":"1"}`, `{"role":"tool","tool_call_id":"2"}`,
		`{"role":"user","content":"y"}`, `{"role":"tool","tool_call_id":"1"}`,
	)
	want := []view.Group{
		{Start: 0, End: 1},
		{Start: 1, End: 6},
		{Start: 6, End: 7},
		{Start: 7, End: 8},
	}
	if got := view.Groups(msgs); !slices.Equal(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
}

// A call that the model went on without is not waited for, unless its result may come later. One of
// the last turn protects itself: the model has not answered it. A result that comes late after all
// joins what is between it and its call.
func TestCallsThatTheModelWentOnWithout(t *testing.T) {
	msgs := chattest.Messages(t,
		`{"role":"user","content":"x"}`,
		`{"role":"assistant","tool_calls":[{"id":"1"},{"id":"2"}]}`,
		`{"role":"tool","tool_call_id":"2"}`,
		`{"role":"user","content":"stop"}`,
		`{"role":"assistant","content":"well"}`,
		`{"role":"user","content":"go on"}`,
		`{"role":"tool","tool_call_id":"1"}`,
	)
	for n, want := range []view.Group{
		{Start: 1, End: 3, Open: true}, {Start: 1, End: 3, Open: true},
		{Start: 1, End: 7, Late: true},
	} {
		n := 4 + n*3/2 // 4, 5 and 7 messages
		g := view.Grouping{}.Extend(msgs[:n], view.Rules{})
		if g.Groups[1] != want {
			t.Errorf("of %d messages: %v, want %v", n, g.Groups[1], want)
		}
		late := n
		if want.Open {
			late = want.Start
		}
		if got := g.FirstOpen(view.Rules{}); got != n {
			t.Errorf("of %d messages, the first open one is %d", n, got)
		}
		if got := g.FirstOpen(view.Rules{LateResults: true}); got != late {
			t.Errorf("of %d messages, the first open one is %d, want %d", n, got, late)
		}
	}
}
