package history_test

import (
	"fmt"
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
// whether an agent reads a file again and again or many times at once.
func TestManyStubs(t *testing.T) {
	const stub = "[File a.go: unchanged since last read]"
	call := func(i int) string {
		return fmt.Sprintf(`{"id":"c%d","type":"function","function":{"name":"Read",`+
			`"arguments":"{\"file_path\":\"a.go\"}"}}`, i)
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
	for name, conversation := range map[string]func(n int) []string{
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
	} {
		allocations := func(n int) float64 {
			req, err := chat.Parse(chattest.Body(append(start, conversation(n)...)))
			if err != nil {
				t.Fatal(err)
			}
			v := layout.New(req, byBytes{})
			v.Split()
			return testing.AllocsPerRun(1, func() {
				history.Filled(v, &checkpoint.Checkpoint{}, 1<<30, byBytes{})
			})
		}
		if few, many := allocations(50), allocations(200); many > 6*few {
			t.Errorf("%s: %v allocations for 50 stubs, %v for 200", name, few, many)
		}
	}
}
