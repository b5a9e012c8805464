package endpoint

import (
	"net/http"

	"killick/rawjson"
	"killick/view"
)

// protocol is how the requests of one wire format are written and its replies read. It has no
// state.
type protocol interface {
	// appended writes a request behind the client's own, [Request.Prefix].
	appended(r *Request, as dialect) written
	// standalone writes a request of its own.
	standalone(r *Request, as dialect) written
	// read reads a reply, which is JSON. An error is a [rejection] or errNoAnswer.
	read(reply rawjson.Value) (Reply, error)
	// setHeader adds the headers without which the API takes no request.
	setHeader(h http.Header)
	// setKey adds a key of the operator's.
	setKey(h http.Header, key string)
}

// KeyHeader returns the headers that carry a key of the operator's in a format.
func KeyHeader(format, key string) http.Header {
	h := http.Header{}
	if p := protocols[format]; p != nil {
		p.setKey(h, key)
	}
	return h
}

// setBearer adds a key as most APIs take it.
func setBearer(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }

// protocols are those of the formats that models are asked in, by the names of the formats.
var protocols = map[string]protocol{
	formatChat:  chatCompletions{},
	"messages":  messagesAPI{},
	"responses": responsesAPI{},
}

// formatChat is the name of the format that endpoints speak unless another is named.
const formatChat = "chat"

// written is a request as it goes out.
type written struct {
	body      []byte
	formatted bool // a response format of ours is in it
	bounded   bool // a bound of ours is in it
	// The bound has no other name, or takes the place of the client's, which then is the one that
	// the endpoint takes.
	lastBound bool
}

// write writes a request in a dialect.
func (r *Request) write(as dialect) written {
	p := protocols[r.format()]
	if r.Prefix != nil {
		return p.appended(r, as)
	}
	return p.standalone(r, as)
}

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

// behind returns the client's body with other members and messages behind its own.
func (r *Request) behind(set map[string]rawjson.Value, messages [][]byte) []byte {
	pieces := []view.Piece{{From: 0, To: len(r.Prefix.Messages())}}
	for _, raw := range messages {
		pieces = append(pieces, view.Piece{Raw: raw})
	}
	return rawjson.WithMembers(r.Prefix.Splice(pieces), set)
}

// turns returns the messages of a request behind a client's own: where turns must alternate, a
// turn of the model's stands before ours.
func (r *Request) turns(as dialect) []Message {
	if !as.strict {
		return r.Messages
	}
	return append([]Message{Assistant(filler)}, r.Messages...)
}

// filler is the turn of the model's before our instruction where turns must alternate.
const filler = "One moment."

// opening returns the rules and the messages of a standalone request: apart, or where templates
// have no place for rules, in one.
func (r *Request) opening(as dialect) (rules string, messages []Message) {
	if !as.strict || r.Rules == "" {
		return r.Rules, r.Messages
	}
	messages = append([]Message(nil), r.Messages...)
	messages[0].Text = r.Rules + "\n\n" + messages[0].Text
	return "", messages
}
