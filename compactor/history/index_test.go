package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/chat"
	"killick/compactor/layout"
	"killick/internal/chattest"
	"killick/series"
	"killick/view"
)

// The index that is remembered of a conversation is that of the conversation as it was sent now:
// with no call that the client took back or changed, and with all that are new.
func TestIndexFollowsTheConversation(t *testing.T) {
	const stub = "[File a.go: unchanged since last read]"
	two := `{"role":"assistant","content":null,"tool_calls":[{"id":"b","type":"function",` +
		`"function":{"name":"Edit","arguments":"{\"file_path\":\"b.go\"}"}},` +
		`{"id":"c","type":"function","function":{"name":"Bash",` +
		`"arguments":"{\"command\":\"make\"}"}}]}`
	all := []string{chattest.Says(view.User, "Look at it."),
		chattest.Call("a", "Read", `{"file_path":"a.go"}`), chattest.Result("a", "a line"),
		two, chattest.Result("b", "done"), chattest.Result("c", "ok"),
		chattest.Call("d", "Read", `{"file_path":"a.go"}`), chattest.Result("d", stub),
		chattest.Says(view.User, stub), chattest.Call("e", "Read", `{"file_path":"c.go"}`),
		chattest.Result("e", "a line")}
	edited := func(i int, message string) []string {
		msgs := slices.Clone(all)
		msgs[i] = message
		return msgs
	}
	for name, turns := range map[string][]struct {
		msgs []string
		want string // the calls: their messages and what they do; the stubs
	}{
		"it grows": {{all[:2], "1ri []"}, {all[:6], "1ri 3w 3 []"}, {all, "1ri 3w 3 6ri 9ri [7]"}},
		"turns are taken back": {{all, "1ri 3w 3 6ri 9ri [7]"}, {all[:7], "1ri 3w 3 6ri []"},
			{all[:3], "1ri []"}, {all[:1], "[]"}, {all, "1ri 3w 3 6ri 9ri [7]"}},
		"a stub is taken back": {{all[:8], "1ri 3w 3 6ri [7]"}, {all[:7], "1ri 3w 3 6ri []"}},
		"a result is edited": {{all, "1ri 3w 3 6ri 9ri [7]"},
			{edited(7, chattest.Result("d", "a line")), "1ri 3w 3 6ri 9ri []"}},
		"calls are edited": {{all, "1ri 3w 3 6ri 9ri [7]"},
			{edited(3, chattest.Says(view.Assistant, "Done.")), "1ri 6ri 9ri [7]"}},
		"the newest is edited": {{all[:8], "1ri 3w 3 6ri [7]"},
			{edited(7, chattest.Result("d", "a line"))[:8], "1ri 3w 3 6ri []"}},
	} {
		parser := view.Parser{MinBytes: 1}
		for n, turn := range turns {
			req, err := parser.Parse(chat.Format, "ann", chattest.Body(turn.msgs))
			if err != nil {
				t.Fatal(err)
			}
			index := index(layout.New(req, chattest.Counter{}))
			var got strings.Builder
			for _, c := range index.all.Items() {
				fmt.Fprint(&got, c.message)
				for i, does := range []bool{c.reads, c.writes, c.inspects} {
					if does {
						got.WriteByte("rwi"[i])
					}
				}
				got.WriteByte(' ')
			}
			fmt.Fprint(&got, index.stubs.Items())
			if got.String() != turn.want {
				t.Errorf("%s, turn %d: %s, want %s", name, n, got.String(), turn.want)
			}
		}
	}
}

// The last messages come first, and the calls of one message in their order. A search ends when it
// found what it looked for.
func TestCallsBeforeAMessage(t *testing.T) {
	list := make([]call, 0, 5)
	for key, message := range []int{1, 1, 3, 5, 5} {
		list = append(list, call{message: message, key: uint64(key)})
	}
	known := calls{all: series.New(list)}
	for before, want := range map[int]string{1: "", 2: "0 1 ", 4: "2 0 1 ", 5: "2 0 1 ",
		9: "3 4 2 0 1 "} {
		whole, found := "", ""
		for c := range known.last(before) {
			whole += fmt.Sprint(c.key, " ")
		}
		for c := range known.last(before) {
			found += fmt.Sprint(c.key, " ")
			if c.key == 2 {
				break
			}
		}
		upTo, _, _ := strings.Cut(want, "0")
		if whole != want || strings.Contains(want, "2") && found != upTo {
			t.Errorf("before %d: %s, and %s up to 2; want %s", before, whole, found, want)
		}
	}
}
