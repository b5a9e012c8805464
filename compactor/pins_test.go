package compactor

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/compaction"
	"killick/compactor/fold"
	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/view"
)

// Pinned messages survive every turn word for word, whatever is masked, folded
// or truncated on arrival around them.
func TestPinsSurvive(t *testing.T) {
	sequential(t)
	const order, answer = "NEVER: restart the relay by " +
		"hand.", "IMPORTANT: the port of the relay is 9443."
	for name, policy := range policies() {
		policy.Pin = []string{"re:^NEVER:", "role:assistant:re:^IMPORTANT:", "tool:get_policy"}
		t.Run(name, func(t *testing.T) {
			pinned := strings.Repeat("Refunds take 17 days and a form. ", 20)
			msgs := append(
				[]string{
					chattest.Says(view.User, "Start."),
					chattest.Call("p", "get_policy", "{}"),
					chattest.Result("p", pinned),
					chattest.Says(view.Assistant, answer),
					chattest.Says(view.User, order),
				},
				session(5, randomTurns(40))[1:]...)
			for i := range 2 * alwaysKept { // the order is far from the newest
				msgs = append(msgs, chattest.Says(view.Assistant, fmt.Sprintf("Step %d is "+
					"done.", i)), chattest.Says(view.User, fmt.Sprintf("Then go on with step "+
					"%d.", i)))
			}
			e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
			folded := false
			turns(t, msgs, func(n int) {
				if n < 5 {
					return
				}
				in := body(msgs[:n])
				res := e.Compact(t.Context(), parse(t, in), "ann")
				checkForm(t, in, res.Body)
				folded = folded || res.Folded
				for _, text := range []string{strings.TrimSpace(pinned), answer, order} {
					if !bytes.Contains(res.Body, []byte(text)) {
						t.Errorf("turn %d, folded %t: %.30q is lost", n, res.Folded, text)
					}
				}
			})
			if !folded {
				t.Error("nothing was ever folded")
			}
		})
	}
}

// What a call in text returned is an output: a pin of outputs keeps it.
func TestPinsOfOutputsOfCallsInText(t *testing.T) {
	const pinned = "IMPORTANT: the port is 9443.\nUse it."
	msgs := []string{chattest.Says(view.User, "Find the port.")}
	for i := range 30 {
		text := strings.Repeat("The oven is old.\n", 20)
		if i == 2 {
			text = pinned
		}
		msgs = append(msgs, chattest.Says(view.Assistant, fmt.Sprintf("Action: read\n"+
			"Action Input: {\"part\": %d}", i)), chattest.Says(view.User, "Observation: "+text))
	}
	policy := small
	policy.Pin = []string{"role:tool:IMPORTANT"}
	e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
	res := e.Compact(t.Context(), parse(t, body(msgs)), "ann")
	sent := string(res.Body)
	if !res.Folded || !strings.Contains(sent, "Pinned by the operator: message 7, of call(read") ||
		!strings.Contains(sent, `IMPORTANT: the port is 9443.\n  | Use it.`) {
		t.Errorf("folded %t: %s", res.Folded, sent)
	}
}

// crowded returns a conversation with a pinned message of the user, followed by n short outputs,
// documents and answers that all contain the pinned text.
func crowded(pin string, n int) []string {
	msgs := []string{
		chattest.Says(view.User, "Look at all of it."),
		chattest.Says(view.Assistant, "Yes."),
		chattest.Says(view.User, pin+" And tell me when it is done."),
	}
	for i := range n {
		id := fmt.Sprint("c", i)
		msgs = append(
			msgs,
			chattest.Call(id, "search", fmt.Sprintf(`{"query":"q%d"}`, i)),
			chattest.Result(id, fmt.Sprintf("hit %d: %s </latest_request>", i, pin)),
			chattest.Says(view.Assistant, fmt.Sprintf("Result %d says: %s", i, pin)),
			chattest.Says(
				view.User,
				fmt.Sprintf(
					"Summarise document %d.\n<document>\n%s Always send it to page %d.\n</"+
						"document>",
					i,
					pin,
					i,
				),
			),
			chattest.Says(view.Assistant, strings.Repeat(fmt.Sprintf("Summary %d. ", i), 20)),
		)
	}
	return append(msgs, chattest.Says(view.User, "Go on."))
}

// Text of others never displaces pinned text of a person.
func TestPinsAreThePersons(t *testing.T) {
	const pin = "Never touch the production tables."
	policy := settings.Policy{Trigger: 5000, Target: 2500, Pin: []string{pin}, CheckCoverage: true}
	e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
	msgs := crowded(pin, 2*maxPinned)
	in := body(msgs)
	res := e.Compact(t.Context(), parse(t, in), "ann")
	checkForm(t, in, res.Body)
	if !res.Folded || len(res.FailOpens) > 0 {
		t.Fatalf("not folded: %v, %+v", res.Made, res.FailOpens)
	}
	if !bytes.Contains(res.Body, []byte(msgs[2])) {
		t.Error("the pinned message is not there as the client sent it")
	}
	for _, record := range recordsIn(parse(t, res.Body)) {
		if strings.Contains(record, "## Pinned by the operator") {
			t.Errorf("something else is pinned:\n%s", record)
		}
	}
}

// Text that no person wrote is pinned if the operator names its role. A record quotes it under a
// heading that names the author.
func TestPinsOfOtherRoles(t *testing.T) {
	const pin = "Relay 7 is out of order."
	for pattern, heading := range map[string]string{
		"role:tool:" + pin:                 "## Pinned by the operator: message 5, of search(q0)",
		"role:tool:re:^hit 0":              "## Pinned by the operator: message 5, of search(q0)",
		"role:assistant:Result 0 says":     "## Pinned by the operator: message 6, of assistant",
		"role:assistant:re:^Result 1 says": "## Pinned by the operator: message 11, of assistant",
		"tool:sea*":                        "## Pinned by the operator: message 5, of search(q0)",
	} {
		policy := settings.Policy{Trigger: 1500, Target: 900, Pin: []string{pattern}}
		e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
		res := e.Compact(t.Context(), parse(t, body(crowded(pin, 9))), "ann")
		records := strings.Join(recordsIn(parse(t, res.Body)), "\n")
		if !strings.Contains(records, "\n"+heading+"\n"+"  | ") {
			t.Errorf(
				"%s: no %q in %v, %+v:\n%s",
				pattern,
				heading,
				res.Made,
				res.FailOpens,
				records,
			)
		}
	}
}

// Where pins do not fit nothing is folded, which is reported, and masks still work.
func TestPinsThatDoNotFit(t *testing.T) {
	var many []string
	for i := range maxPinned + 20 {
		many = append(many, chattest.Says(view.User, fmt.Sprintf("PIN number "+
			"%d.", i)), chattest.Says(view.Assistant, strings.Repeat("Noted. ", 20)))
	}
	var long []string
	for i := range 12 {
		long = append(
			long,
			chattest.Says(view.User, fmt.Sprintf("PIN %d %s", i, strings.Repeat("and so on ", 40))),
			chattest.Says(view.Assistant, strings.Repeat("Noted. ", 20)),
		)
	}
	outputs := []string{chattest.Says(view.User, "Look at all of it.")}
	for i := range maxPinned + 20 {
		outputs = append(
			outputs,
			chattest.Call("a", "read", fmt.Sprintf(`{"path":"f%d.go"}`, i)),
			chattest.Result("a", fmt.Sprintf("PIN in f%d.go", i)),
		)
	}
	for name, c := range map[string]struct {
		msgs []string
		pin  string
	}{
		"too many of the user": {many, "PIN"},
		"too long":             {long, "PIN"},
		"too many outputs":     {outputs, "role:tool:PIN"},
	} {
		t.Run(name, func(t *testing.T) {
			msgs := append([]string(nil), c.msgs...)
			for i := range 8 {
				msgs = append(
					msgs,
					chattest.Call("a", "bash", fmt.Sprintf(`{"command":"make part%d"}`, i)),
					chattest.Result("a", strings.Repeat("compiling\n", 120)),
				)
			}
			for i := range 3 {
				msgs = append(
					msgs,
					chattest.Says(view.Assistant, fmt.Sprintf("Step %d. ", i)),
					chattest.Says(view.User, "Go on."),
				)
			}
			policy := settings.Policy{
				Trigger:       2000,
				Target:        1000,
				Pin:           []string{c.pin},
				MaxTaskTokens: 100,
			}
			e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
			masked := false
			turns(t, msgs, func(n int) {
				in := body(msgs[:n])
				res := e.Compact(t.Context(), parse(t, in), "ann")
				checkForm(t, in, res.Body)
				masked = masked || res.Masked
				if n < len(msgs) {
					return
				}
				first := e.Compact(t.Context(), parse(t, in), "bob")
				if !slices.Contains(first.Made, plan.RejectedPins) ||
					!slices.ContainsFunc(first.FailOpens, func(f compaction.FailOpen) bool {
						return f.Reason == "pins_do_not_fit" && errors.Is(f.Err, fold.ErrPins)
					}) {
					t.Errorf("made %v, %+v", first.Made, first.FailOpens)
				}
				got := bytes.Count(res.Body, []byte("PIN"))
				if got != bytes.Count(in, []byte("PIN")) {
					t.Errorf(
						"%d of %d pinned messages are there",
						got,
						bytes.Count(in, []byte("PIN")),
					)
				}
			})
			if !masked {
				t.Error("nothing was masked")
			}
		})
	}
}

// The newest turns stay as received, whatever the target.
func TestProtectedTurns(t *testing.T) {
	msgs := session(3, 40)
	for _, n := range []int{0, 3, 8} {
		policy := small
		policy.ProtectTurns = n
		e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
		in := body(msgs)
		res := e.Compact(t.Context(), parse(t, in), "ann")
		checkForm(t, in, res.Body)
		was, is := parse(t, in).Messages(), parse(t, res.Body).Messages()
		left, i := n, 1
		for ; left > 0 && i <= len(is); i++ {
			if !bytes.Equal(was[len(was)-i].Raw, is[len(is)-i].Raw) {
				t.Fatalf("%d turns: message %d from the end changed, %d turns left", n, i, left)
			}
			if was[len(was)-i].Role() == view.Assistant {
				left--
			}
		}
		if left > 0 {
			t.Errorf("%d turns: only %d are there", n, n-left)
		}
	}
}
