package truncate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"killick/chat"
	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/internal/cputime"
	"killick/view"
)

// readAgain is a conversation in which a file is read several times, with so many bytes
// in between.
func readAgain(times, between int, line string) []string {
	content := strings.Repeat(line+" of the file\n", 60)
	msgs := []string{chattest.Says(view.User, "Look at it. "+strings.Repeat("And think. ", 200))}
	for i := range times {
		call := chattest.Call(fmt.Sprint("r", i), "read", `{"path":"a.go"}`)
		msgs = append(msgs,
			strings.Replace(call, "null", chattest.Quote(strings.Repeat("x", between)), 1),
			chattest.Result(fmt.Sprint("r", i), content))
	}
	return msgs
}

// pass returns a conversation after a pass, with what the pass hides.
func pass(t *testing.T, req *view.Request, limit int) (*layout.View, []checkpoint.Original) {
	t.Helper()
	v := layout.New(req, chattest.Counter{})
	v.Split()
	p := Pass{
		Policy: &settings.Policy{}, Limit: limit, Count: chattest.Counter{},
		RefOf: func([]byte) string { return "h" },
	}
	p.Apply(v)
	return v, p.Originals
}

func TestARepeatIsSentOnce(t *testing.T) {
	for _, c := range []struct {
		name           string
		times, between int
		want           string // of the outputs: whole or short
	}{
		{"the second is short, the third comes whole", 3, 10, "whole short whole"},
		{"and so on", 5, 10, "whole short whole short whole"},
		{"what stands too far back is sent again", 2, 4 * maxDistance, "whole whole"},
	} {
		var parser view.Parser
		msgs := readAgain(c.times, c.between, "a line")
		var before [][]byte
		originals := 0
		for n := 3; n <= len(msgs); n += 2 {
			req, err := parser.Parse(chat.Format, "ann", chattest.Body(msgs[:n]))
			if err != nil {
				t.Fatal(err)
			}
			v, hidden := pass(t, req, 500)
			originals += len(hidden)
			var got []string
			var sent [][]byte
			for i := range v.Messages {
				m := &v.Messages[i]
				if sent = append(sent, m.Raw); !m.Role().Result() {
					continue
				}
				short := strings.HasPrefix(m.Text(), "[Word for word")
				got = append(got, map[bool]string{true: "short", false: "whole"}[short])
			}
			if !slices.EqualFunc(before, sent[:len(before)], slices.Equal) {
				t.Errorf("%s: what was sent of %d messages changed later", c.name, len(before))
			}
			before = sent
			if n == len(msgs) && strings.Join(got, " ") != c.want {
				t.Errorf("%s: got %s, want %s", c.name, got, c.want)
			}
		}
		if short := strings.Count(c.want, "short"); short != originals {
			t.Errorf("%s: %d originals are to be kept, want %d", c.name, originals, short)
		}
	}
}

// A repeat of an output that is shown in part cannot refer to it.
func TestARepeatOfAnOversizedOutputIsTruncatedLikeIt(t *testing.T) {
	msgs := readAgain(2, 10, strings.Repeat("a long line ", 100))
	v, _ := pass(t, chattest.Request(t, chattest.Body(msgs)), 300)
	if len(v.Truncated) != 2 {
		t.Errorf("%d outputs are truncated, want both", len(v.Truncated))
	}
	for i := range v.Messages {
		if strings.Contains(v.Messages[i].Text(), "Word for word") {
			t.Error("it refers to an output that is not whole")
		}
	}
}

// A cache breakpoint that moves from the newest output to the next must not make one of
// them another.
func TestARepeatIsOneWhateverIsMarked(t *testing.T) {
	plain := chattest.Message(t, `{"role":"tool","content":[{"type":"text","text":"x"}]}`)
	marked := chattest.Message(t, `{"role":"tool","content":[`+
		`{"type":"text","cache_control":{"type":"ephemeral"},"text":"x"}]}`)
	if outputOf(plain) != outputOf(marked) {
		t.Error("the mark is taken for content")
	}
}

// What is within the first tokens of the turns stays whole, what ends after them does not.
func TestShortConversationsStayWhole(t *testing.T) {
	req := chattest.Request(t, chattest.Body(readAgain(2, 10, strings.Repeat("a long line ", 100))))
	v := layout.New(req, chattest.Counter{})
	first := v.Before[3] // the task, a call, its output
	for after, want := range map[int]int{0: 2, first - 1: 2, first: 1, v.Before[5]: 0} {
		v := layout.New(req, chattest.Counter{})
		v.Split()
		p := Pass{
			Policy: &settings.Policy{}, Limit: 300, After: after, Count: chattest.Counter{},
			RefOf: func([]byte) string { return "h" },
		}
		p.Apply(v)
		if len(v.Truncated) != want {
			t.Errorf("after %d tokens %d outputs are truncated, want %d", after,
				len(v.Truncated), want)
		}
	}
}

// The output of another call may be the same: the repeat says where it is.
func TestARepeatNamesTheCallThatReturnedIt(t *testing.T) {
	content := strings.Repeat("replicas: 1\n", 120)
	msgs := []string{chattest.Says(view.User, strings.Repeat("Compare them. ", 200))}
	for i, file := range []string{"a.yaml", "b.yaml", "b.yaml", "b.yaml"} {
		id := fmt.Sprint("r", i)
		msgs = append(msgs, chattest.Call(id, "read", chattest.Object("path", file)),
			chattest.Result(id, content))
	}
	v, _ := pass(t, chattest.Request(t, chattest.Body(msgs)), 500)
	for i, want := range map[int]string{4: " as read(a.yaml) returned shortly before: ",
		8: " as the same call returned shortly before: "} {
		if got := v.Messages[i].Text(); !strings.Contains(got, want) {
			t.Errorf("message %d: %s; want %q", i, got, want)
		}
	}
}

// Each repeat takes as long in a long conversation as in a short one.
func TestManyRepeatsAreReadInLinearTime(t *testing.T) {
	req := chattest.Request(t, chattest.Body(readAgain(15_000, 10, "a line")))
	start := cputime.Used()
	v, _ := pass(t, req, 400)
	if took := cputime.Used() - start; len(v.Truncated) < 7_000 || took > 5*time.Second {
		t.Errorf("%d repeats took %v", len(v.Truncated), took)
	}
}
