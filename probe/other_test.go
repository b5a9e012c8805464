package probe

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func same(text string) string { return text }

// laterOf returns the later passages of statements, as "number writer: text".
func laterOf(t *testing.T, statements []Statement, lines ...string) (shown []string) {
	t.Helper()
	msgs := parse(t, lines...)
	msgs = append(parse(t, slices.Repeat([]string{"tool: "}, 10)...), msgs...)
	x := NewIndex(msgs, 1)
	for i := range statements {
		s := &statements[i]
		if *s = x.Locate(statements[i : i+1])[0]; len(s.Messages) == 0 {
			t.Fatalf("%q is in no message", s.Quote)
		}
		s.Writer, s.At = x.writerOf(s.Messages, s.Quote), s.Messages[0]
	}
	for _, p := range NewConversation(msgs, same).Others(statements) {
		shown = append(shown, fmt.Sprintf("%d %s: %s", p.Message, p.Writer, p.Text))
	}
	return shown
}

func TestOtherPassages(t *testing.T) {
	filler := strings.Repeat("so it went on and on ", 40)
	reminder := "<system-reminder>\nThe gardener wrote roses.md\n</system-reminder>"
	for _, test := range []struct {
		name       string
		statement  Statement
		lines      []string
		want, hide []string
	}{
		{"the user takes it back in other words, in the message after many",
			Statement{Text: "The hedge is privet.", Quote: "the hedge is privet"},
			append([]string{"assistant: Then the hedge is privet.", "user: No, the other one."},
				slices.Repeat([]string{"assistant: " + filler}, 60)...),
			[]string{"12 user: No, the other one."}, []string{"11 assistant"}},
		{"the assistant does, in a word of the statement, in the middle of a long text",
			Statement{Text: "The hedge is privet.", Quote: "the hedge is privet"},
			append([]string{"assistant: Then the hedge is privet.",
				"assistant: " + filler + "The hedges are yew now. " + filler},
				slices.Repeat([]string{"assistant: " + filler}, 60)...),
			[]string{"12 assistant: …", "The hedges are yew now."}, nil},
		{"later in its own message",
			Statement{Text: "The hedge is privet.", Quote: "the hedge is privet"},
			[]string{"assistant: Then the hedge is privet. " + filler + "No hedge, after all."},
			[]string{"11 assistant: …", "No hedge, after all."}, nil},
		{"the same call gives something else",
			Statement{Text: "The pump is dead.", Quote: "status 7: dead"},
			[]string{"call probe {\"pump\":1}", "tool: status 7: dead",
				"call probe {\"pump\":2}", "tool: status 7: dead", "call probe {\"pump\":1}",
				"tool: running"},
			[]string{"16 tool: running"}, nil},
		{"a file that a call named is deleted",
			Statement{Text: "It is written.", Quote: "saved it at once"},
			append([]string{`call write_file {"path":"plan/beds.txt","content":"saved it at once"}`,
				"tool: ok", "assistant: " + filler,
				`call bash {"command":"rm plan/beds.txt"}`, "tool: ok"},
				slices.Repeat([]string{"assistant: " + filler}, 9)...),
			[]string{"14 assistant", "rm plan/beds.txt"}, nil},
		{"what a client adds is the client's",
			Statement{Text: "The roses are red.", Quote: "the roses are red"},
			[]string{"assistant: Indeed the roses are red.", "user: " + reminder},
			[]string{"12 client: <system-reminder>"}, []string{"12 user"}},
		{"what the user typed while a call ran is theirs",
			Statement{Text: "The roses are red.", Quote: "the roses are red"},
			[]string{"assistant: Indeed the roses are red.", `call look {"at":"beds"}`,
				"tool: beds\n\n<system-reminder>\n" + midTurn +
					"Not any more.\n</system-reminder>"},
			[]string{"13 in a tool's result, as the user's: Not any more."}, nil},
		{"of the user's message only what they typed",
			Statement{Text: "The roses are red.", Quote: "the roses are red"},
			[]string{"assistant: Indeed the roses are red.", "user: Go on.\n" + reminder},
			[]string{"12 user: Go on."}, []string{"gardener"}},
		{"denied far before, in its own message",
			Statement{Text: "The hedge is privet.", Quote: "the hedge is privet"},
			[]string{"user: Hello. " + filler + "This is not so: " + filler[:500] +
				"the hedge is privet. " + filler}, []string{"11 user: …", "This is not so"}, nil},
		{"of what a person speaks, said before",
			Statement{Text: "The hedge is privet.", Quote: "the hedge is privet"},
			[]string{"user: I speak of the north.", "assistant: " + filler, "assistant: " + filler,
				"assistant: Then the hedge is privet."},
			[]string{"11 user: I speak of the north."}, []string{"12 ", "13 ", "14 "}},
		{"the newest with a value, and the result of its call",
			Statement{Text: "Pump QX-4471 was ordered today.", Quote: "ordered pump QX-4471 today"},
			[]string{"tool: ordered pump QX-4471 today", "tool: the pump was ordered, QX-1111",
				"call cancel {\"id\":\"QX-4471\"}", "tool: refused",
				"tool: another pump was ordered today", "tool: and one more pump ordered today"},
			[]string{"13 assistant: cancel", "14 tool: refused"}, nil},
		{"nothing is later", Statement{Text: "The roses are red.", Quote: "the roses are red"},
			[]string{"user: Hello.", "assistant: Indeed the roses are red."},
			[]string{"11 user: Hello."}, []string{"12 "}},
	} {
		got := strings.Join(laterOf(t, []Statement{test.statement}, test.lines...), "\n")
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in:\n%s", test.name, want, got)
			}
		}
		for _, hide := range test.hide {
			if strings.Contains(got, hide) {
				t.Errorf("%s: %q is in:\n%s", test.name, hide, got)
			}
		}
	}
}

// However long a conversation is, the room is not exceeded, the newest of the user's messages are
// shown, and the same passages are chosen each time.
func TestOtherPassagesAreBounded(t *testing.T) {
	var lines []string
	for i := range 120 {
		lines = append(lines,
			fmt.Sprintf("user: Move bed %d to the north. %s", i, strings.Repeat("Please. ", 90)),
			fmt.Sprintf("assistant: Bed %d is in the north, by the wall. %s", i,
				strings.Repeat("The wall is old. ", 200)))
	}
	var statements []Statement
	for i := range MaxStatements {
		statements = append(statements, Statement{Text: fmt.Sprintf("Bed %d is in the north.", i),
			Quote: fmt.Sprintf("Bed %d is in the north, by the wall.", i)})
	}
	first := laterOf(t, statements, lines...)
	size := 0
	for _, p := range first {
		size += len(p)
	}
	if most := maxLater + maxOwn + maxEarlier; size > most || size < maxLater {
		t.Errorf("%d passages of %d bytes, want up to %d", len(first), size, most)
	}
	if !slices.ContainsFunc(first, func(p string) bool {
		return strings.HasPrefix(p, "249 user: Move bed 119 to the north.")
	}) {
		t.Errorf("the user's last message is not among %d", len(first))
	}
	for range 3 {
		if again := laterOf(t, statements, lines...); !slices.Equal(again, first) {
			t.Fatal("other passages are chosen the second time")
		}
	}
}

// A credential is removed before a message is cut, so that no part of it is left.
func TestOtherPassagesHoldNoCredential(t *testing.T) {
	secret := strings.Repeat("hunter2-\n", 120)
	msgs := parse(t, "assistant: The gate is open today.", "user: "+secret+" is the gate's key",
		"assistant: The gate "+secret+" is shut.")
	redact := func(s string) string { return strings.ReplaceAll(s, secret, "[removed]") }
	later := NewConversation(msgs, redact).Others([]Statement{
		{Text: "The gate is open.", Quote: "gate is open", At: 1}})
	for _, p := range later {
		if strings.Contains(p.Text, "hunter2") {
			t.Errorf("message %d is shown as %q", p.Message, p.Text)
		}
	}
	if len(later) != 2 {
		t.Errorf("%d passages, want 2: %+v", len(later), later)
	}
}

// A statement under state or open is dropped if only results have its quote, and the same calls
// give other results now; one under open or next if its item of the todo list is done.
func TestOutdated(t *testing.T) {
	x := NewIndex(parse(t,
		`call status {"of":"pump"}`, "tool: pump 1 is broken", // 1, 2
		"assistant: I see that pump 1 is broken.",            // 3
		`call status {"of":"well"}`, "tool: the well is dry", // 4, 5
		`call status {"of":"pump"}`, "tool: pump 1 is running", // 6, 7
		`call status {"of":"tank"}`, "tool: the tank is full", // 8, 9
		`call status {"of":"tank"}`, "tool: the tank is full, as before", // 10, 11
		`call bash {"command":"cat gate.txt"}`, "tool: the gate is shut", // 12, 13
		`call bash {"command":"cat gate.txt"}`, // 14, 15
		"tool: Exit code 1\ncat: gate.txt: Permission denied",
		`call TodoWrite {"todos":[{"content":"Prune the roses","status":"pending"},`+
			`{"content":"Water the beds","status":"pending"}]}`, "tool: ok", // 16, 17
		"assistant: I am to Prune the roses.", // 18
		`call TodoWrite {"todos":[{"content":"Prune the roses","status":"completed"},`+
			`{"content":"Water the beds","status":"in_progress"}]}`, "tool: ok", // 19, 20
	), 1)
	for _, test := range []struct {
		section, text, quote string
		at                   []int
		want                 Reason
	}{
		{"state", "Pump 1 is broken.", "pump 1 is broken", []int{2}, Outdated},
		{"open", "Pump 1 is broken.", "pump 1 is broken", []int{2}, Outdated},
		{"failed", "Pump 1 is broken.", "pump 1 is broken", []int{2}, ""},
		{"state", "Pump 1 is broken.", "pump 1 is broken", []int{2, 3}, ""},
		{"state", "Pump 1 is running.", "pump 1 is running", []int{7}, ""},
		{"state", "The well is dry.", "the well is dry", []int{5}, ""},
		{"state", "The tank is full.", "the tank is full", []int{9}, ""},
		{"state", "The gate is shut.", "the gate is shut", []int{13}, ""},
		{"next", "Prune the roses.", "Prune the roses", []int{16}, Outdated},
		{"open", "Prune the roses.", "Prune the roses", []int{16, 19}, Outdated},
		{"completed", "Prune the roses.", "Prune the roses", []int{19}, ""},
		{"next", "Prune the roses.", "Prune the roses", []int{16, 18}, ""},
		{"next", "Water the beds.", "Water the beds", []int{16}, ""},
	} {
		s := Statement{Section: test.section, Text: test.text, Quote: test.quote, Messages: test.at}
		_, dropped := x.Ground([]Statement{s})
		got := Reason("")
		if len(dropped) > 0 {
			got = dropped[0].Reason
		}
		if got != test.want {
			t.Errorf("%s %v: %s: %q, want %q", test.section, test.at, test.text, got, test.want)
		}
	}
}

// Of a quote that stands in several messages, the first one counts: its passage is shown, and what
// is written after it is later, whichever messages a model names.
func TestTheFirstMessageWithAQuoteCounts(t *testing.T) {
	msgs := parse(t, "user: Plant the hedge of privet by the wall.",
		"user: I have changed my mind, it is to be yew.",
		"assistant: You said hedge of privet before, so I dug it out.")
	x := NewIndex(msgs, 1)
	kept, _ := x.Ground([]Statement{{Section: "decision", Text: "Plant a hedge of privet.",
		Quote: "hedge of privet", Messages: []int{3, 2, 1}}})
	if len(kept) != 1 || kept[0].At != 1 || !slices.Equal(kept[0].Messages, []int{1, 3}) {
		t.Fatalf("kept %+v, want one of messages 1 and 3", kept)
	}
	c := NewConversation(msgs, same)
	kept, _ = c.Passages(kept)
	later := c.Others(kept)
	if !strings.HasPrefix(kept[0].Passage, "Plant the hedge") || len(later) == 0 ||
		later[0].Text != "I have changed my mind, it is to be yew." {
		t.Errorf("passage %q, later %+v", kept[0].Passage, later)
	}
}
