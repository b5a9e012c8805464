package fakeconverse

import (
	"bytes"
	"hash/maphash"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"killick/internal/fakeserver"
)

// Config is the script. Functions must be safe for concurrent use.
type Config struct {
	// Reply returns what the model answers. If nil, a short text.
	Reply func(*Request) []Block
	// Window is how many tokens of four bytes a request may have, 0 for no limit.
	Window int
	// InStream: a request that is too long is refused in the first frame of the stream.
	InStream bool
	// Separate refuses results beside other blocks, as models of Meta, Mistral and others do.
	Separate bool
	// Binds has the model think, and refuse thinking after other messages than it was made after,
	// as Claude does.
	Binds bool
	// Untooled takes calls without a toolConfig, which recorded conversations do not have.
	Untooled bool
	// Record keeps every request for Requests.
	Record bool
}

// Server is a scripted upstream that is running. Each of its Requests has a [Found] as its note.
type Server struct {
	*fakeserver.Server
	cfg  Config
	seed maphash.Seed

	mu           sync.Mutex
	cached, seen map[uint64]bool // prefixes: written at cache points, and all
}

// URL returns the base URL for clients, to which they add /model/NAME/converse.
func (s *Server) URL() string { return s.Origin() }

// Found is what was found out about a request.
type Found struct {
	Usage
	Refused string // the message of a refusal, "" if there was none
}

// Usage is what a request costs, in tokens.
type Usage struct {
	Input, CacheRead, CacheWrite int
	ByPrefix                     int // what a cache of any prefix would have read
}

// Prompt returns the tokens of the prompt.
func (u Usage) Prompt() int { return u.Input + u.CacheRead + u.CacheWrite }

// output is the tokens of every answer.
const output = 7

func fail(x *fakeserver.Exchange, status int, message string) {
	x.Note(Found{Refused: message})
	x.Answer(status, fakeserver.EncodeJSON(map[string]string{"message": message}))
}

const media = "application/vnd.amazon.eventstream"

func same(event []byte) []byte { return event }

// Frame returns an event, or an exception, in a frame, as Bedrock streams
// (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html).
func Frame(kind, name string, payload any) []byte {
	var b bytes.Buffer
	err := eventstream.NewEncoder().Encode(&b, eventstream.Message{
		Headers: eventstream.Headers{
			{Name: ":" + kind + "-type", Value: eventstream.StringValue(name)},
			{Name: ":content-type", Value: eventstream.StringValue("application/json")},
			{Name: ":message-type", Value: eventstream.StringValue(kind)},
		},
		Payload: fakeserver.EncodeJSON(payload),
	})
	if err != nil {
		panic(err) // a Buffer takes everything
	}
	return b.Bytes()
}
