package endpoint

import (
	"net/http"

	"killick/rawjson"
	"killick/view"
)

// protocol writes the requests and reads the replies of one wire format. It is stateless.
type protocol interface {
	// appended writes a request that extends the client's own, [Request.Prefix].
	appended(r *Request, as dialect) written
	// standalone writes a separate request.
	standalone(r *Request, as dialect) written
	// read reads a reply, which is JSON. An error is a [rejection] or errNoAnswer.
	read(reply rawjson.Value) (Reply, error)
	// setHeader adds the headers that the API requires.
	setHeader(h http.Header)
	// setKey adds an operator's key.
	setKey(h http.Header, key string)
}

// setBearer adds a key as most APIs expect it.
func setBearer(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }

// formatChat is the name of the default format.
const formatChat = "chat"

// format returns the name of the format that the request is written in.
func (r *Request) format() string {
	switch {
	case r.Prefix != nil:
		return r.Prefix.Format().Name()
	case r.Target.Format == "":
		return formatChat
	}
	return r.Target.Format
}

// appended returns the client's body with members and messages added after its own.
func (r *Request) appended(set map[string]rawjson.Value, messages [][]byte) []byte {
	pieces := []view.Piece{{From: 0, To: len(r.Prefix.Messages())}}
	for _, raw := range messages {
		pieces = append(pieces, view.Piece{Raw: raw})
	}
	return rawjson.WithMembers(r.Prefix.Splice(pieces), set)
}

// turns returns the messages added to a client's own: if turns must alternate, a model turn
// precedes ours.
func (r *Request) turns(as dialect) []Message {
	if !as.strict {
		return r.Messages
	}
	return append([]Message{Assistant(filler)}, r.Messages...)
}

// filler is the model turn before our instruction if turns must alternate.
const filler = "One moment."

// standalone returns the rules and the messages of a standalone request: separately, or combined if
// templates have no system message.
func (r *Request) standalone(as dialect) (rules string, messages []Message) {
	if !as.strict || r.Rules == "" {
		return r.Rules, r.Messages
	}
	messages = append([]Message(nil), r.Messages...)
	messages[0].Text = r.Rules + "\n\n" + messages[0].Text
	return "", messages
}

// summarizer is the protocol of an API that can write summaries.
type summarizer interface {
	// summary writes a request for a summary of all but the last messages of [Request.Prefix].
	summary(r *Request) []byte
	// readSummary reads the reply to it.
	readSummary(reply rawjson.Value) (answer, error)
}
