package transcript

import (
	"strings"

	"killick/chat"
)

// compactionRequests are how agents ask their model to summarise the conversation,
// in its last user message. A summary of what we made of the conversation would be
// a summary of a summary.
var compactionRequests = []string{
	"Your task is to create a detailed summary of the conversation so far",  // Claude Code 2.1
	"CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.",              // Claude Code 2.1, before the same
	"You are performing a CONTEXT CHECKPOINT COMPACTION",                    // Codex
	"Provide a detailed prompt for continuing our conversation above",       // opencode
	"First, reason in your scratchpad. Then, generate the <state_snapshot>", // gemini-cli, qwen-code
}

// IsCompactionRequest reports whether the last of the messages asks for a summary of
// all of them, as agents do when they compact by themselves.
func IsCompactionRequest(msgs []chat.Message) bool {
	if len(msgs) == 0 || msgs[len(msgs)-1].Role() != chat.User {
		return false
	}
	m := readMessage(&msgs[len(msgs)-1])
	text := strings.TrimSpace(m.Text)
	for _, start := range compactionRequests {
		if strings.HasPrefix(text, start) || strings.HasPrefix(m.Words(), start) {
			return true
		}
	}
	return false
}
