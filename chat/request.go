package chat

import "errors"

// The errors of Parse. Bodies with such an error are forwarded unchanged: the upstream decides.
var (
	ErrNotJSON    = errors.New("the body is not one JSON object")
	ErrNoMessages = errors.New("the body has no messages array of objects")
	ErrTwice      = errors.New("a member that must be read unambiguously is given twice")
)

// Request is a view of the body of a chat request. It refers to the bytes that it was parsed from,
// which must not change. It is not safe for concurrent use.
type Request struct {
	raw      []byte
	fields   []field // the members beside the messages
	array    span    // of the messages, brackets included
	messages []Message
	at       []int // where in raw each message starts

	// Called once, at the first message behind the leading instructions: see [Parser].
	resume func(r *Request, at, end int) int
	memory *Memory
}

// field is one member of the body.
type field struct{ key, value span }

// Parse validates body in one pass and returns the view of it. It fails with
// ErrNotJSON, ErrTooDeep, ErrNoMessages or ErrTwice.
func Parse(body []byte) (*Request, error) {
	r := &Request{raw: body}
	if err := r.parse(); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Request) parse() error {
	i := space(r.raw, 0)
	if i >= len(r.raw) || r.raw[i] != '{' {
		return ErrNotJSON
	}
	end, err := walkObject(r.raw, i, r.readField)
	return r.finish(end, err)
}

// readField reads one member of the body.
func (r *Request) readField(key span, at int) (int, error) {
	if key.of(r.raw).Is("messages") {
		if r.array.end != 0 {
			return at, ErrTwice
		}
		return r.readMessages(at)
	}
	end, err := skip(r.raw, at)
	r.fields = append(r.fields, field{key, span{at, end}})
	return end, err
}

func (r *Request) readMessages(at int) (int, error) {
	if at >= len(r.raw) || r.raw[at] != '[' {
		// The view does not read it; skip reports whether it is JSON.
		if end, err := skip(r.raw, at); err != nil {
			return end, err
		}
		return at, ErrNoMessages
	}
	end, err := walkArray(r.raw, at, r.readMessage)
	r.array = span{at, end}
	return end, err
}

func (r *Request) readMessage(at int) (int, error) {
	m, end, err := parseMessage(r.raw, at)
	if err == nil {
		r.messages = append(r.messages, m)
		r.at = append(r.at, at)
	}
	if err == nil && r.resume != nil && !m.role.Instructs() {
		resume := r.resume
		r.resume = nil
		end = resume(r, at, end)
	}
	return end, err
}

// finish checks the result of a walk over the body that ended at end.
func (r *Request) finish(end int, err error) error {
	if err == nil && space(r.raw, end) != len(r.raw) {
		err = errSyntax
	}
	switch {
	case errors.Is(err, errSyntax):
		return ErrNotJSON
	case err != nil:
		return err
	case r.array.end == 0:
		return ErrNoMessages
	}
	return nil
}

// Raw returns the client's body.
func (r *Request) Raw() []byte { return r.raw }

// Messages returns the messages in their order. The slice belongs to r.
func (r *Request) Messages() []Message { return r.messages }

// Field returns a member of the body by its name, nil if there is none. Of duplicates the last
// counts.
func (r *Request) Field(name string) Value {
	if name == "messages" {
		return r.array.of(r.raw)
	}
	for i := len(r.fields) - 1; i >= 0; i-- {
		if r.fields[i].key.of(r.raw).Is(name) {
			return r.fields[i].value.of(r.raw)
		}
	}
	return nil
}

// Model returns the model asked for, "" if the body names none.
func (r *Request) Model() string { return r.Field("model").Text() }

// Stream reports whether the request asks for a stream of events.
func (r *Request) Stream() bool { return string(r.Field("stream")) == "true" }
