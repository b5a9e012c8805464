package history_test

import (
	"fmt"
	"strings"
	"testing"

	"killick/chat"
	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/internal/chattest"
	"killick/view"
)

// What is remembered of calls counts with the files that they name: limits.memory bounds it.
func TestRememberedPathsCount(t *testing.T) {
	const calls, files = 20, 500
	bytes := func(value string) int64 {
		conversation := []string{chattest.Says(view.User, "Read the files.")}
		for i := range calls {
			var paths strings.Builder
			for k := range files {
				fmt.Fprintf(&paths, `,\"%d\":\"%s\"`, k, fmt.Sprintf(value, i, k))
			}
			conversation = append(conversation, fmt.Sprintf(`{"role":"assistant","tool_calls":[`+
				`{"id":"c%d","type":"function","function":{"name":"Read","arguments":"{%s}"}}]}`,
				i, paths.String()[1:]), chattest.Result(fmt.Sprint("c", i), "ok"))
		}
		var p view.Parser
		req, err := p.Parse(chat.Format, "a client", chattest.Body(conversation))
		if err != nil {
			t.Fatal(err)
		}
		v := layout.New(req, byBytes{})
		v.Split()
		before := p.Bytes()
		history.Refetched(v, &checkpoint.Checkpoint{})
		return p.Bytes() - before
	}
	without, with := bytes("d %d %d.go"), bytes("d/%d/%d.go")
	if least := int64(8 * calls * files); with < without+least {
		t.Errorf("%d bytes with the names of files, %d without; want %d more", with, without, least)
	}
}
