package chat

import "errors"

// What Parse returns for bodies that it gives no view of. All of them are
// forwarded as they came: the upstream is the judge.
var (
	ErrNotJSON    = errors.New("the body is not one JSON object")
	ErrNoMessages = errors.New("the body has no messages array of objects")
	ErrTwice      = errors.New("a member that must be read unambiguously is given twice")
)

// Request is a view of the body of a chat request. It refers to the bytes it
// was parsed from, which must not change afterwards. It is not safe for
// concurrent use.
type Request struct {
	raw      []byte
	array    span // of the messages, brackets included
	messages []Message
	at       []int // where in raw each message starts
}

// Parse validates body in one pass and returns the view of it. It fails with
// ErrNotJSON, ErrTooDeep, ErrNoMessages or ErrTwice, wrapped or not.
func Parse(body []byte) (*Request, error) {
	r := &Request{raw: body}
	i := space(body, 0)
	if i >= len(body) || body[i] != '{' {
		return nil, ErrNotJSON
	}
	end, err := walkObject(body, i, func(key span, at int) (int, error) {
		if !key.of(body).Is("messages") {
			return skip(body, at)
		}
		if r.array.end != 0 {
			return at, ErrTwice
		}
		return r.parseMessages(at)
	})
	if err == nil && space(body, end) != len(body) {
		err = errSyntax
	}
	switch {
	case errors.Is(err, errSyntax):
		return nil, ErrNotJSON
	case err != nil:
		return nil, err
	case r.array.end == 0:
		return nil, ErrNoMessages
	}
	return r, nil
}

func (r *Request) parseMessages(at int) (int, error) {
	if at >= len(r.raw) || r.raw[at] != '[' {
		// Whatever it is, it is not ours to read; whether it is JSON, skip tells.
		if end, err := skip(r.raw, at); err != nil {
			return end, err
		}
		return at, ErrNoMessages
	}
	end, err := walkArray(r.raw, at, func(at int) (int, error) {
		m, end, err := parseMessage(r.raw, at)
		if err == nil {
			r.messages = append(r.messages, m)
			r.at = append(r.at, at)
		}
		return end, err
	})
	r.array = span{at, end}
	return end, err
}

// Raw returns the body as it came.
func (r *Request) Raw() []byte { return r.raw }

// Messages returns the messages in their order. The slice belongs to r.
func (r *Request) Messages() []Message { return r.messages }

// Field returns a member of the body by its name, nil if there is none.
func (r *Request) Field(name string) Value {
	var found Value
	_, _ = walkObject(r.raw, space(r.raw, 0), func(key span, at int) (int, error) {
		if at == r.array.start {
			if name == "messages" {
				found = r.array.of(r.raw)
			}
			return r.array.end, nil
		}
		end, err := skip(r.raw, at)
		if err == nil && key.of(r.raw).Is(name) {
			found = span{at, end}.of(r.raw)
		}
		return end, err
	})
	return found
}

// Model returns the model asked for, "" if the body names none.
func (r *Request) Model() string { return r.Field("model").Text() }

// Stream tells whether the reply is asked for as a stream of events.
func (r *Request) Stream() bool { return string(r.Field("stream")) == "true" }
