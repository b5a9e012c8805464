package responses

import (
	"fmt"
	"strings"
	"testing"

	"killick/tokenizer"
	"killick/transcript"
)

// The effect and the status of every type of call are read like those of an agent's functions.
func TestTranscriptOfCalls(t *testing.T) {
	for _, tt := range []struct {
		name        string
		call, reply string
		want        string // effect, command, paths, status, exit code
	}{
		{"function", callRead, readA, "1 \"\" [a.go:1:] 0 -1"},
		{"custom", callCustom, custom, "2 \"\" [b.go:2:add] 0 -1"},
		{"local shell", callLocal, local, "4 \"go test ./...\" [] 0 -1"},
		{"local shell that exited", callLocal,
			strings.Replace(local, `\"ok\"`, `\"ok\",\"metadata\":{\"exit_code\":1}`, 1),
			"4 \"go test ./...\" [] 2 1"},
		{"shell", callShell, shell, "4 \"ls; pwd\" [] 2 2"},
		{"shell that went well", callShell, strings.Replace(shell, ":2", ":0", 1),
			"4 \"ls; pwd\" [] 1 0"},
		{"shell that took too long", callShell,
			strings.Replace(shell, `"exit","exit_code":2`, `"timeout"`, 1),
			"4 \"ls; pwd\" [] 2 -1"},
		{"patch that failed", callPatch, patched, "2 \"\" [a.go:2:update] 2 -1"},
		{"patch", callPatch, strings.Replace(patched, "failed", "completed", 1),
			"2 \"\" [a.go:2:update] 1 -1"},
		{"patch that deletes", strings.Replace(callPatch, "update_file", "delete_file", 1),
			strings.Replace(patched, "failed", "completed", 1), "2 \"\" [a.go:3:delete] 1 -1"},
		{"screen", callScreen, screen, "0 \"\" [] 0 -1"},
		{"actions on the screen",
			strings.Replace(callScreen, `"action":{"type":"screenshot"}`,
				`"actions":[{"type":"click","x":1}]`, 1), screen, "0 \"\" [] 0 -1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := parse(t, reasoning, said, tt.call, tt.reply)
			calls := transcript.ReadAll(r.Messages()).Calls
			if len(calls) != 1 || calls[0].Result != 1 {
				t.Fatalf("calls %+v", calls)
			}
			c := calls[0]
			paths := []string{}
			for _, p := range c.Paths {
				paths = append(paths, fmt.Sprintf("%s:%d:%s", p.Name, p.Effect, p.Patch))
			}
			got := fmt.Sprintf("%d %q %s %d %d", c.Effect, c.Command, paths, c.Status, c.Exit)
			if got != tt.want || len(c.Args) == 0 {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
	read := transcript.ReadAll(parse(t, userText, reasoning, said, callRead, readA).Messages())
	if at := read.LastWords(0, 3); at != 1 {
		t.Errorf("the model's words are in message %d, want 1", at)
	}
	read = transcript.ReadAll(parse(t, userText, reasoning, callRead, readA).Messages())
	if at := read.LastWords(0, 3); at != -1 {
		t.Errorf("words in message %d, where there is only reasoning", at)
	}
}

// A turn has the same token count as in another format: encrypted content and images do not count
// as the text that represents them in JSON.
func TestTokensOfTurns(t *testing.T) {
	model := tokenizer.New(tokenizer.Options{}).For("gpt-5")
	count := func(items ...string) int {
		return model.Message(&parse(t, items...).Messages()[0])
	}
	frame := count(`{"role":"assistant","content":""}`)
	if sum := count(said) + count(callRead) - frame; count(said, callRead) != sum {
		t.Errorf("a turn of two items has %d tokens, want %d", count(said, callRead), sum)
	}
	sealed := strings.Replace(reasoning, "gAAA", strings.Repeat("gAAA", 4000), 1)
	if n := count(sealed, said) - count(said); n != (4000*3-650)/4 {
		t.Errorf("16,000 bytes of encrypted reasoning have %d tokens", n)
	}
	if n := count(reasoning, said) - count(said); n != 0 {
		t.Errorf("an empty seal has %d tokens", n)
	}
	plain := `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"` +
		strings.Repeat("hm ", 100) + `"}]}`
	if n := count(plain, said) - count(said); n < 100 || n > 220 {
		t.Errorf("100 words of a summary have %d tokens", n)
	}
	large := strings.Replace(picture, "iVBORw0KGgo=", strings.Repeat("iVBO", 100_000), 1)
	if n := count(large); n > 3000 {
		t.Errorf("an image of 300 KB has %d tokens", n)
	}
}
