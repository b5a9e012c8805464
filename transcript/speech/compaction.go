package speech

import (
	"strings"

	"killick/view"
)

// compactionRequests are the beginnings of the messages by which agents ask their model to
// summarize the conversation. For such a request the model must see the original: otherwise it
// would summarize our summary.
var compactionRequests = []string{
	// Claude Code 2.1.330 and 1.0.128; the first precedes each of the others.
	"CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.",
	"Your task is to create a detailed summary of the conversation so far",
	"Your task is to create a detailed summary of the RECENT portion of the conversation",
	"Your task is to create a detailed summary of this conversation. This summary will be placed " +
		"at the start",

	"You are performing a CONTEXT CHECKPOINT COMPACTION", // Codex 0.169

	"Provide a detailed prompt for continuing our conversation above", // opencode 1.2.27
	"Here is the conversation so far:\n\n<conversation>",              // opencode 1.18.34
	// Copilot CLI 1.0.102 and 1.0.0
	"Please create a detailed summary of the conversation so far. The",

	// qwen-code 0.24.4 and 0.15.10.
	"You are the component that summarizes a conversation when its context window is about to " +
		"overflow.",
	"First, reason in your <analysis> block. Then, produce the <state_snapshot>",
	"First, reason in your scratchpad. Then, generate the <state_snapshot>",
	"Please analyze the conversation history above and generate a comprehensive project summary",

	// gemini-cli 0.61.0.
	"Generate a new <state_snapshot> based on the provided history.",
	"A previous <state_snapshot> exists in the history. You MUST integrate",
	"Critically evaluate the <state_snapshot> you just generated.",

	// Cline 3.0.65 and 2.18.0.
	"Summarize this session for continuation. Be concise and factual.",
	`<explicit_instructions type="summarize_task">`,
	`<explicit_instructions type="condense">`,

	// Continue 1.5.47
	"Please provide a concise summary of our conversation so far, capturing the key context",
	"Provide a detailed summary of our conversation above.", // Crush 0.96
	// deepagents 1.14.1; LangChain 1.5.14
	"You are a conversation summarizer. Your task is to create a concise summary of the " +
		"conversation that captures:",
	"<role>\nContext Extraction Assistant\n</role>\n\n<primary_objective>",
	// Grok Build 1.0.41
	"Your task is to produce a faithful, concise summary of the conversation so far",
	"<summary_request>\nPlease summarize the conversation so far. This summary (everything after",
}

// IsCompactionRequest reports whether the last of the messages asks for a summary of all of them,
// as agents do when they compact a conversation themselves.
func IsCompactionRequest(msgs []view.Message) bool {
	if len(msgs) == 0 || msgs[len(msgs)-1].Role() != view.User {
		return false
	}
	last := &msgs[len(msgs)-1]
	if startsCompaction(Read(last, nil).Words()) {
		return true
	}
	for part := range last.Parts() {
		if startsCompaction(strings.TrimSpace(part.Text.Text())) {
			return true
		}
	}
	return false
}

func startsCompaction(text string) bool {
	for _, start := range compactionRequests {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}
