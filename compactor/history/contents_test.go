package history

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"killick/chat"
	"killick/compactor/layout"
	"killick/internal/chattest"
	"killick/transcript"
	"killick/view"
)

// nothing counts no tokens.
type nothing struct{}

func (nothing) Message(*view.Message) int  { return 1 }
func (nothing) Overhead(*view.Request) int { return 0 }
func (nothing) Text(string) int            { return 0 }
func (nothing) Ratio([]byte) float64       { return 1 }

// The content that a stub refers to is that of the last call before which is the same, or which
// reads the same file whole.
func TestContentsOfStubs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	results := []string{"a line", "File unchanged since last read", "<tool_use_error>no"}
	found := 0
	for range 300 {
		messages := []string{chattest.Says(view.User, "Read the files.")}
		n := 0
		for range 1 + rng.IntN(8) {
			list, first := "", n
			for range 1 + rng.IntN(4) {
				args := fmt.Sprintf(`{\"file_path\":\"%d.go\"`, rng.IntN(2))
				if rng.IntN(2) == 0 {
					args += fmt.Sprintf(`,\"limit\":%d`, rng.IntN(2))
				}
				list += fmt.Sprintf(`,{"id":"c%d","type":"function","function":{"name":"Read",`+
					`"arguments":"%s}"}}`, n, args)
				n++
			}
			messages = append(messages, `{"role":"assistant","tool_calls":[`+list[1:]+`]}`)
			for _, i := range rng.Perm(n - first) {
				messages = append(messages, chattest.Result(fmt.Sprint("c", first+i),
					results[rng.IntN(len(results))]))
			}
		}
		req, err := chat.Parse(chattest.Body(messages))
		if err != nil {
			t.Fatal(err)
		}
		v := layout.New(req, nothing{})
		v.Split()
		calls := transcript.ReadAll(v.Originals()).Calls
		c := contentsOf(v)
		for i := range calls {
			if !calls[i].Stub {
				continue
			}
			of, want := c.answeredBy(calls[i].Result), -1
			for i := range calls {
				call := &calls[i]
				if call.Result == of.Result {
					break
				}
				if !call.Stub && !call.MayHaveFailed() && (call.Key() == of.Key() ||
					call.Whole() && call.Paths[0].Name == of.Paths[0].Name) {
					want = call.Result
				}
			}
			got := -1
			if call := c.last(of); call != nil {
				got = call.Result
				found++
			}
			if got != want {
				t.Fatalf("message %d refers to %d, want %d, of %q", of.Result, got, want, messages)
			}
		}
	}
	if found == 0 {
		t.Error("no stub refers to anything")
	}
}
