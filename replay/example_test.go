package replay_test

import (
	"context"
	"fmt"
	"strings"

	"killick/replay"
	"killick/view"
)

// bytesCounter counts a token for every four bytes.
type bytesCounter struct{}

func (bytesCounter) Message(m *view.Message) int  { return len(m.Raw) / 4 }
func (bytesCounter) Overhead(r *view.Request) int { return 3 }

// A recorded conversation is run through several strategies, turn by turn.
func ExampleRun() {
	messages := `{"role":"user","content":"Sum up the logs."}`
	for i := range 20 {
		messages += fmt.Sprintf(`,{"role":"assistant","tool_calls":[{"id":"%d","type":"function",`+
			`"function":{"name":"read","arguments":"{\"path\":\"logs/%d.txt\"}"}}]}`+
			`,{"role":"tool","tool_call_id":"%d","content":"%s"}`, i, i, i,
			strings.Repeat("a line of the log; ", 50))
	}
	transcripts, err := replay.Read("logs.jsonl",
		strings.NewReader(`{"id":"logs","messages":[`+messages+`]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	results, err := replay.Run(context.Background(), transcripts,
		[]replay.Strategy{replay.Nothing(), replay.HideOutputs()},
		replay.Options{Counter: bytesCounter{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range results[0].Figures {
		saved := 1 - f.Tokens.All.Share()
		fmt.Printf("%d turns, %.0f%% of the tokens saved, %d faults\n",
			f.Turns, 100*saved, f.Validity.Faults())
	}
	// Output:
	// 20 turns, 0% of the tokens saved, 0 faults
	// 20 turns, 20% of the tokens saved, 0 faults
}
