package prepare

import (
	"context"

	"killick/probe"
	"killick/view"
)

// Author is one conversation's way to a model. What it returns is never trusted:
// statements are grounded in the turns, verified and quizzed before they are used.
// It is called from a goroutine of its own, after the request that it came with, and
// released when that is done.
type Author interface {
	// Write asks for statements about turns; soFar is what is recorded of the turns
	// before them. sent is the body that was last forwarded for the conversation, nil
	// if there is none to append to.
	Write(ctx context.Context, sent []byte, turns Turns, soFar string) (Written, error)
	// Verify asks of each statement whether its quotes support it. It shows the
	// statements and their quotes, and nothing else.
	Verify(ctx context.Context, sent []byte, statements []probe.Statement) ([]probe.Support, error)
	// Ask asks for at most so many questions about the turns.
	Ask(ctx context.Context, sent []byte, turns Turns, most int) ([]probe.Question, error)
	// Answer asks for the answers to the questions from a model's narrative and, marked
	// apart from it, from the record and the messages that stay.
	Answer(ctx context.Context, sent []byte, narrative, record string,
		asked []probe.Question) ([]string, error)
	// Grade asks how well answers in other words agree with what was expected.
	Grade(ctx context.Context, sent []byte, answers []probe.Answered) ([]float64, error)
}

// Summarizer is one conversation's way to an API that writes summaries itself. It is called as an
// Author is.
type Summarizer interface {
	// Summarize asks for a summary of all but the last messages of the body that was last
	// forwarded, as many as are kept.
	Summarize(ctx context.Context, sent []byte, kept int) (ProviderSummary, error)
}

// ProviderSummary is what the provider's API wrote.
type ProviderSummary struct {
	Message []byte // to be sent in place of what it is of, as it is, in the format of the request
	Text    string // what it says
}

// Writers are who may write for the next record of a conversation. Nobody does for those that are
// nil.
type Writers struct {
	Author     Author
	Summarizer Summarizer // of the provider; it writes in place of an Author
}

// Turns are messages of a conversation, and the number of the first.
type Turns struct {
	Messages []view.Message
	First    int
}

// Written is what a model wrote.
type Written struct {
	Statements []probe.Statement
	Form       string // how it was got: structured or corrected
}
