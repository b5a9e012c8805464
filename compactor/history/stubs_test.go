package history_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"killick/chat"
	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/internal/chattest"
	"killick/view"
)

// byBytes counts a token for every four bytes.
type byBytes struct{}

func (byBytes) Message(m *view.Message) int { return len(m.Raw) / 4 }
func (byBytes) Overhead(*view.Request) int  { return 3 }
func (byBytes) Text(s string) int           { return len(s) / 4 }
func (byBytes) Ratio([]byte) float64        { return 1 }

// What it takes to look for the content of stubs grows with their number and not with its square,
// whether an agent reads a file again and again or many times at once, or other lines each time, or
// other files, and in whatever order the results come.
func TestManyStubs(t *testing.T) {
	const stub = "[File a.go: unchanged since last read]"
	arguments := map[string]string{
		"the same": `"{\"file_path\":\"a.go\"}"`,
		"lines":    `"{\"file_path\":\"a.go\",\"limit\":%d}"`,
		"files":    `"{\"file_path\":\"a%d.go\"}"`,
	}
	for what, args := range arguments {
		call := func(i int) string {
			return fmt.Sprintf(`{"id":"c%d","type":"function","function":{"name":"Read",`+
				`"arguments":%s}}`, i, strings.ReplaceAll(args, "%d", fmt.Sprint(i)))
		}
		calls := func(first, n int) string {
			list := call(first)
			for i := 1; i < n; i++ {
				list += "," + call(first+i)
			}
			return `{"role":"assistant","content":null,"tool_calls":[` + list + `]}`
		}
		start := []string{chattest.Says(view.User, "Read a.go."), calls(0, 1),
			chattest.Result("c0", "a line of a.go")}
		for order, conversation := range map[string]func(n int) []string{
			"one after another": func(n int) (all []string) {
				for i := range n {
					all = append(all, calls(i+1, 1), chattest.Result(fmt.Sprint("c", i+1), stub))
				}
				return all
			},
			"at once": func(n int) []string {
				all := []string{calls(1, n)}
				for i := range n {
					all = append(all, chattest.Result(fmt.Sprint("c", i+1), stub))
				}
				return all
			},
			"backwards": func(n int) []string {
				all := []string{calls(1, n)}
				for i := range n {
					all = append(all, chattest.Result(fmt.Sprint("c", n-i), stub))
				}
				return all
			},
		} {
			allocated := func(n int) uint64 {
				req, err := chat.Parse(chattest.Body(append(start, conversation(n)...)))
				if err != nil {
					t.Fatal(err)
				}
				v := layout.New(req, byBytes{})
				v.Split()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				history.Filled(v, &checkpoint.Checkpoint{}, 1<<30, byBytes{})
				runtime.ReadMemStats(&after)
				return after.TotalAlloc - before.TotalAlloc
			}
			if few, many := allocated(200), allocated(800); many > 6*few {
				t.Errorf("%s, %s: %d bytes for 200 stubs, %d for 800", what, order, few, many)
			}
		}
	}
}

// However many stubs refer to one content, it is placed, or found to be too long, once.
func TestOneContentOfManyStubs(t *testing.T) {
	const size, stubs = 100_000, 100
	list, results := "", []string(nil)
	for i := range stubs {
		list += fmt.Sprintf(`,{"id":"d%d","type":"function","function":{"name":"Read",`+
			`"arguments":"{\"file_path\":\"a.go\",\"limit\":%d}"}}`, i, i)
		results = append(results, chattest.Result(fmt.Sprint("d", i),
			"[File a.go: unchanged since last read]"))
	}
	req, err := chat.Parse(chattest.Body(append([]string{chattest.Says(view.User, "Read a.go."),
		`{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"Read",` +
			`"arguments":"{\"file_path\":\"a.go\"}"}}]}`,
		chattest.Result("c", strings.Repeat("a line of it ", size/13)),
		`{"role":"assistant","tool_calls":[` + list[1:] + `]}`}, results...)))
	if err != nil {
		t.Fatal(err)
	}
	v := layout.New(req, byBytes{})
	v.Split()
	for window, want := range map[int]int{1 << 30: 1, 1000: 0} {
		cp := &checkpoint.Checkpoint{Masks: []checkpoint.Mask{{Index: 2}}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		filled := history.Filled(v, cp, window, byBytes{})
		runtime.ReadMemStats(&after)
		if len(filled) != want {
			t.Errorf("%d stubs have a content of one in a window of %d, want %d", len(filled),
				window, want)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 10*size {
			t.Errorf("took %d bytes for one content of %d", took, size)
		}
	}
}

// counting counts the messages that are counted.
type counting struct {
	byBytes
	messages *int
}

func (c counting) Message(m *view.Message) int {
	*c.messages++
	return c.byBytes.Message(m)
}

// A form that is replaced later in a long conversation fills only the stubs before that.
func TestStubsAreFilledAsFarAsAsked(t *testing.T) {
	const files = 40
	var messages []string
	cp := &checkpoint.Checkpoint{}
	for i := range 2 * files {
		result := strings.Repeat("a line of it ", 50)
		if i >= files {
			result = "[File a.go: unchanged since last read]"
		} else {
			cp.Masks = append(cp.Masks, checkpoint.Mask{Index: len(messages) + 2})
		}
		messages = append(messages, chattest.Says(view.User, "Read it."),
			fmt.Sprintf(`{"role":"assistant","tool_calls":[{"id":"c%d","type":"function",`+
				`"function":{"name":"Read","arguments":"{\"file_path\":\"%d.go\"}"}}]}`,
				i, i%files),
			chattest.Result(fmt.Sprint("c", i), result))
	}
	req, err := chat.Parse(chattest.Body(messages))
	if err != nil {
		t.Fatal(err)
	}
	v := layout.New(req, byBytes{})
	v.Split()
	counted := 0
	f := history.NewFilling(v, cp, 1<<30, counting{messages: &counted})
	few := f.MoreBefore(3 * (files + 10))
	if counted != 10 || few <= 0 {
		t.Errorf("%d stubs were filled with %d tokens, want 10", counted, few)
	}
	all := f.MoreBefore(len(messages))
	if counted != files || all != 4*few || f.MoreBefore(3*(files+10)) != few {
		t.Errorf("%d stubs were filled with %d tokens, want %d with %d", counted, all, files, 4*few)
	}
	if filled := history.Filled(v, cp, 1<<30, byBytes{}); len(filled) != files {
		t.Errorf("%d stubs are filled, want %d", len(filled), files)
	}
}
