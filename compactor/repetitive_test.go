package compactor

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"killick/chat"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/view"
)

// repetitive is a conversation of an agent that polls, works through lists, follows a procedure
// that it fetches again, reads files twice and takes screenshots. The person repeats themselves.
func repetitive(seed uint64, turns int) (msgs []string) {
	r := rand.New(rand.NewPCG(seed, 1))
	tickets := []string{"T-100"}
	use := func(name, arguments, output string) {
		id := fmt.Sprint("c", len(msgs))
		msgs = append(msgs, chattest.Call(id, name, arguments), chattest.Result(id, output))
	}
	say := func(role view.Role, text string) { msgs = append(msgs, chattest.Says(role, text)) }
	text := func(about string, lines int) string {
		return strings.Repeat("A line about "+about+".\n", lines)
	}
	say(view.User, "Settle the tickets.")
	for n := range turns {
		switch r.IntN(8) {
		case 0:
			use("get_quote", `{"symbol":"GLX"}`, fmt.Sprintf(`{"bid":%d,"depth":%q}`, r.IntN(4),
				text("depth", 20)))
		case 1:
			about := fmt.Sprint("procedure ", r.IntN(3))
			use("get_procedure", chattest.Object("id", about), text(about, 30+r.IntN(2)))
		case 2:
			var rows []string
			for range 4 + r.IntN(30) {
				ticket := fmt.Sprint("T-", 100+r.IntN(400))
				tickets = append(tickets, ticket)
				rows = append(rows, fmt.Sprintf(`{"id":%q,"n":%d,"title":"A broken oven"}`,
					ticket, r.IntN(9999)))
			}
			use("search", fmt.Sprintf(`{"page":%d}`, n),
				`{"tickets":[`+strings.Join(rows, ",")+`]}`)
		case 3:
			ticket := tickets[r.IntN(len(tickets))]
			use("get_ticket", chattest.Object("id", ticket), text(ticket, r.IntN(40)))
		case 4:
			path := fmt.Sprintf("f%d.go", r.IntN(3))
			use([]string{"read_file", "edit_file"}[r.IntN(4)/3], chattest.Object("path", path),
				text(path, 30))
		case 5:
			use("screenshot", "{}", "See below.")
			if r.IntN(2) == 0 {
				msgs = append(msgs, chattest.UserParts(chattest.Image))
			} else {
				msgs = append(msgs, chattest.UserParts(
					chattest.Part("Attached image(s) from tool result:"), chattest.Image))
			}
		default:
			say(view.Assistant, fmt.Sprint("That is ticket ", n, "."))
			say(view.User, []string{"Go on.", "Next one.", text("rule", 1+r.IntN(60)),
				fmt.Sprint("Use code ", n, ".")}[r.IntN(4)])
		}
	}
	return msgs
}

// What is forwarded follows from the messages alone, however much of the conversation a process
// has seen: every turn, one in five, or all at once.
func TestRepetitiveConversationsAreDecidedByTheirMessages(t *testing.T) {
	all := policies()
	pinning := all["truncating"]
	pinning.Pin = []string{"tool:get_procedure", "Use code 1"}
	all["pinning"] = pinning
	all["auto"] = settings.Policy{Auto: true}
	for name, policy := range all {
		for seed := range randomSeeds(2) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				t.Parallel()
				followed(t, policy, repetitive(seed, randomTurns(80)))
			})
		}
	}
}

// followed compares what processes forward that see each turn of a conversation, some and one.
func followed(t *testing.T, policy settings.Policy, msgs []string) {
	newEngine := func() *Engine {
		return New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
	}
	often, seldom, number := newEngine(), newEngine(), 0
	var parsers [2]view.Parser
	turns(t, msgs, func(n int) {
		in := body(msgs[:n])
		whole := newEngine().Compact(t.Context(), parse(t, in), "ann")
		number++
		for i, e := range []*Engine{often, seldom} {
			if i == 1 && number%5 != 0 {
				continue
			}
			req, err := parsers[i].Parse(chat.Format, "ann", in)
			if err != nil {
				t.Fatal(err)
			}
			res := e.Compact(t.Context(), req, "ann")
			if len(res.FailOpens) > 0 {
				t.Fatalf("turn %d: %+v", n, res.FailOpens)
			}
			if !bytes.Equal(res.Body, whole.Body) {
				t.Fatalf("turn %d of process %d: %d bytes, at once %d", n, i, len(res.Body),
					len(whole.Body))
			}
		}
	})
}
