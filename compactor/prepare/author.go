package prepare

import (
	"context"

	"killick/probe"
	"killick/view"
)

// Author asks a model about one conversation. Its results are not trusted: statements are
// grounded in the turns, verified and quizzed before they are used. It is called from a
// background goroutine, after the request that it belongs to, and released afterwards.
type Author interface {
	// Write asks for statements about turns; soFar is the record of the turns before them.
	// sent is the body that was last forwarded for the conversation, nil if there is none
	// to append to.
	Write(ctx context.Context, sent []byte, turns Turns, soFar string) (Written, error)
	// Verify asks whether each statement follows from its quote and its writer, and still holds
	// beside other passages. The model sees the checks and nothing else.
	Verify(ctx context.Context, sent []byte, checks probe.Checks) ([]probe.Support, error)
	// Ask asks for at most most questions about the turns.
	Ask(ctx context.Context, sent []byte, turns Turns, most int) ([]probe.Question, error)
	// Answer asks for answers to the questions. The model sees two texts, marked as such: a
	// model's narrative, and the record with the messages that stay.
	Answer(ctx context.Context, sent []byte, narrative, record string,
		asked []probe.Question) ([]string, error)
	// Grade asks how well answers agree with the expected ones if they are worded differently.
	Grade(ctx context.Context, sent []byte, answers []probe.Answered) ([]float64, error)
}

// Summarizer asks an API that writes summaries itself for one of a conversation. It is called like
// an Author.
type Summarizer interface {
	// Summarize asks for a summary of the body that was last forwarded, without its last kept
	// messages.
	Summarize(ctx context.Context, sent []byte, kept int) (ProviderSummary, error)
}

// ProviderSummary is a summary written by the provider's API.
type ProviderSummary struct {
	Message []byte // replaces the summarised messages, unchanged; in the format of the request
	Text    string // of the summary
}

// Writers write for the next record of a conversation. If both are nil, only rules write it.
type Writers struct {
	Author     Author
	Summarizer Summarizer // of the provider; if not nil, it is used instead of Author
}

// Turns are consecutive messages of a conversation, with the number of the first.
type Turns struct {
	Messages []view.Message
	First    int
}

// Written is a model's answer to Write.
type Written struct {
	Statements []probe.Statement
	Form       string // structured: the first answer was valid; corrected: the second was
}
