package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// conversation is an agent's: a system prompt, a task, then turns of a call and its output. No
// message of it occurs in another conversation.
type conversation struct {
	head string   // of the body, up to the first turn
	turn []string // each begins with a comma
}

// newConversation returns the conversation with a number. Each of its turns has about turnBytes
// bytes.
func newConversation(model string, number, turns, turnBytes int) *conversation {
	random := rand.New(rand.NewPCG(3, uint64(number)))
	c := &conversation{head: fmt.Sprintf(`{"model":%q,"temperature":0.20,`+
		`"messages":[{"role":"system","content":"You are agent %d."},`+
		`{"role":"user","content":"Task %[2]d: %[3]s"}`, model, number, piece(random, 100))}
	for i := range turns {
		id := fmt.Sprintf("call_%d_%d", number, i)
		output := turnBytes - 270
		if output < 0 {
			c.turn = append(c.turn,
				fmt.Sprintf(`,{"role":"assistant","content":"%s `+
					`%s"},{"role":"user","content":"%s"}`,
					id, piece(random, turnBytes/2-50), piece(random, turnBytes/2-50)))
			continue
		}
		c.turn = append(c.turn,
			fmt.Sprintf(`,{"role":"assistant","content":"Step `+
				`%d.","tool_calls":[{"id":%q,"type":"function","function":`+
				`{"name":"read_file","arguments":"{\"path\":\"src/file_%d_%d.go\"}"}}]},`+
				`{"role":"tool","tool_call_id":%[2]q,"content":"%[5]s: %[6]s"}`,
				i, id, number, i, id, piece(random, output)))
	}
	return c
}

// body returns the request with the first turns.
func (c *conversation) body(turns int) string {
	return c.head + strings.Join(c.turn[:turns], "") + "]}"
}

// freshTurn is the approximate size of the turns of a fresh conversation.
const freshTurn = 2 << 10

// fresh returns a request of about size bytes that shares nothing with earlier ones.
func fresh(model string, number, size int) string {
	turns := max(1, size/freshTurn)
	return newConversation(model, number, turns, (size-300)/turns).body(turns)
}
