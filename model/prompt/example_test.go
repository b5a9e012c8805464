package prompt_test

import (
	"fmt"
	"strings"

	"killick/chat"
	"killick/model/prompt"
	"killick/view"
)

// Turns are shown between markers with a code that their authors could not know.
func ExampleFence_Transcript() {
	turn, err := chat.ParseMessage([]byte(`{"role":"user","content":"My key is hunter2."}`))
	if err != nil {
		panic(err)
	}
	redact := func(text string) string { return strings.ReplaceAll(text, "hunter2", "[removed]") }
	count := func(text string) int { return len(text) / 4 }
	fence := prompt.NewFence(redact, count)
	pieces, ok := fence.Transcript([]view.Message{turn}, 12).Pieces(1000, 1)
	code := strings.Fields(pieces[0])[1]
	fmt.Println(ok, strings.ReplaceAll(pieces[0], code, "CODE"))
	// Output: true === CODE message 12, user
	// My key is [removed].
}
