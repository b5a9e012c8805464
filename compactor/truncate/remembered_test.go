package truncate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"killick/chat"
	"killick/compactor/layout"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/series"
	"killick/view"
)

// half counts half as many tokens as the usual counter.
type half struct{ chattest.Counter }

func (half) Message(m *view.Message) int { return 4 + len(m.Raw)/8 }

// What is remembered of a conversation changes nothing: whatever the client and the settings do
// between two turns, outputs, sizes and sums are those of a conversation that is read for the first
// time.
func TestRememberedOutputsAreThoseOfAFirstReading(t *testing.T) {
	all := []string{chattest.Says(view.User, strings.Repeat("Look at it. ", 200))}
	for i, lines := range []int{20, 500, 500, 20, 300, 400} {
		id := fmt.Sprint("c", i)
		all = append(all, chattest.Call(id, "bash", `{"command":"make"}`),
			chattest.Result(id, strings.Repeat(fmt.Sprintf("%d lines of it\n", lines), lines)))
	}
	replaced := func(i int, text string) []string {
		msgs := slices.Clone(all)
		msgs[i] = text
		return msgs
	}
	usual := Pass{Limit: 1000, Count: chattest.Counter{}}
	high, late, other := usual, usual, usual
	high.Limit, late.After, other.Count = 3000, 4000, half{}
	type turn struct {
		msgs []string
		pass Pass
	}
	for name, turns := range map[string][]turn{
		"it grows":         {{all[:1], usual}, {all[:3], usual}, {all[:7], usual}, {all, usual}},
		"it is sent again": {{all, usual}, {all, usual}},
		"turns are taken back": {{all, usual}, {all[:7], usual}, {all[:5], usual},
			{all, usual}},
		"an output is edited": {{all, usual},
			{replaced(6, chattest.Result("c2", "no output")), usual}},
		"a call is edited": {{all, usual},
			{replaced(5, chattest.Call("c2", "read", `{"path":"a.go"}`)), usual}},
		"the task is edited": {{all, usual},
			{replaced(0, chattest.Says(view.User, "Look.")), usual}},
		"another limit":   {{all, usual}, {all, high}, {all, usual}},
		"another start":   {{all, usual}, {all, late}, {all, usual}},
		"another counter": {{all, usual}, {all, other}, {all, usual}},
	} {
		parser := view.Parser{MinBytes: 1}
		for n, c := range turns {
			body := chattest.Body(c.msgs)
			resumed, err := parser.Parse(chat.Format, "ann", body)
			if err != nil {
				t.Fatal(err)
			}
			got := applied(c.pass, resumed)
			want := applied(c.pass, chattest.Request(t, body))
			same := func(a, b layout.Truncation) bool {
				return a.Original == b.Original && string(a.Message.Raw) == string(b.Message.Raw)
			}
			if !maps.EqualFunc(got.Truncated, want.Truncated, same) {
				t.Errorf("%s, turn %d: truncated %v, want %v", name, n,
					slices.Sorted(maps.Keys(got.Truncated)),
					slices.Sorted(maps.Keys(want.Truncated)))
			}
			sum := 0
			for i := range got.Messages {
				size := c.pass.Count.Message(&got.Messages[i])
				if got.Tokens[i] != size || got.Before[i] != sum {
					t.Errorf("%s, turn %d: message %d has %d tokens after %d, want %d after %d",
						name, n, i, got.Tokens[i], got.Before[i], size, sum)
				}
				sum += size
			}
			if len(c.msgs) == len(all) && len(got.Truncated) == 0 {
				t.Errorf("%s, turn %d: nothing is truncated", name, n)
			}
		}
	}
}

// The short forms count in the memory that a conversation takes, which is limited.
func TestRememberedFormsHaveASize(t *testing.T) {
	m := chattest.Message(t, chattest.Says(view.User, strings.Repeat("x", 5000)))
	r := remembered{short: series.New([]truncated{{0, layout.Truncation{Message: *m}}})}
	if got, least := r.bytes(), int64(len(m.Raw)); got < least {
		t.Errorf("got %d bytes, want at least %d", got, least)
	}
}

// applied returns the conversation after a pass with these settings.
func applied(p Pass, req *view.Request) *layout.View {
	v := layout.New(req, p.Count)
	v.Split()
	p.Policy, p.RefOf = &settings.Policy{}, func([]byte) string { return "h" }
	p.Apply(v)
	return v
}
