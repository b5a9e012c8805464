package view

import (
	"errors"

	"killick/rawjson"
)

// The errors of Parse. Bodies with such an error are forwarded unchanged: the upstream decides.
var (
	ErrNotJSON    = errors.New("the body is not one JSON object")
	ErrNoMessages = errors.New("the body has no list of messages that are objects")
	ErrDuplicate  = errors.New("a member that must be read unambiguously is given twice")
	ErrTooLarge   = errors.New("the body is larger than 2 GiB")
	ErrTooMany    = errors.New("the body has more than 100,000 messages")
)

// Request is a view of the body of a request. It refers to the bytes of the body, which must not
// change. It is not safe for concurrent use.
type Request struct {
	format Format
	raw    []byte
	fields []field      // the members beside the messages
	outer  []field      // those around a request that is within a member of the body
	within bool         // that member was read
	array  rawjson.Span // of the messages, brackets included
	list   List

	model string // that of the path, in formats whose bodies name none

	// resume is called once, at the first message after the leading instructions: see [Parser].
	resume func(r *Request, at, end int) int
	memory *Memory
}

// field is one member of the body.
type field struct{ key, value rawjson.Span }

// Parse validates body in one pass and returns the view of it. It fails with ErrNotJSON,
// ErrNoMessages, ErrDuplicate, ErrTooLarge, ErrTooMany or [rawjson.ErrTooDeep].
func Parse(f Format, body []byte) (*Request, error) {
	r := &Request{format: f, raw: body}
	if err := r.parse(); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Request) parse() error {
	if len(r.raw) > rawjson.MaxBytes {
		return ErrTooLarge
	}
	r.list.Body = r.raw
	i := rawjson.Space(r.raw, 0)
	if i >= len(r.raw) || r.raw[i] != '{' {
		return ErrNotJSON
	}
	read := r.readField
	if r.format.Within() != "" {
		read = r.readOuter
	}
	end, err := rawjson.WalkObject(r.raw, i, read)
	return r.finish(end, err)
}

// readOuter reads one member of a body that has the request in one of its members.
func (r *Request) readOuter(key rawjson.Span, at int) (int, error) {
	if key.Of(r.raw).Is(r.format.Within()) {
		if r.within {
			return at, ErrDuplicate
		}
		if r.within = true; at < len(r.raw) && r.raw[at] == '{' {
			return rawjson.WalkObject(r.raw, at, r.readField)
		}
	}
	end, err := rawjson.Skip(r.raw, at)
	r.outer = append(r.outer, field{key, rawjson.SpanOf(at, end)})
	return end, err
}

// readField reads one member of the request.
func (r *Request) readField(key rawjson.Span, at int) (int, error) {
	if key.Of(r.raw).Is(r.format.List()) {
		if r.array.End != 0 {
			return at, ErrDuplicate
		}
		return r.readMessages(at)
	}
	end, err := rawjson.Skip(r.raw, at)
	r.fields = append(r.fields, field{key, rawjson.SpanOf(at, end)})
	return end, err
}

func (r *Request) readMessages(at int) (int, error) {
	if at >= len(r.raw) || r.raw[at] != '[' {
		// The view does not read it; Skip reports whether it is JSON.
		if end, err := rawjson.Skip(r.raw, at); err != nil {
			return end, err
		}
		return at, ErrNoMessages
	}
	end, err := rawjson.WalkArray(r.raw, at, r.readElement)
	r.array = rawjson.SpanOf(at, end)
	return end, err
}

func (r *Request) readElement(at int) (int, error) {
	end, err := r.list.read(r.format, at)
	if err == nil && r.resume != nil {
		if last := len(r.list.Messages) - 1; !r.list.Messages[last].Role().Instructs() {
			resume := r.resume
			r.resume = nil
			if end = resume(r, at, end); r.list.full {
				err = ErrTooMany
			}
		}
	}
	return end, err
}

// finish returns the error of a walk over the body that ended at end.
func (r *Request) finish(end int, err error) error {
	if err == nil && rawjson.Space(r.raw, end) != len(r.raw) {
		err = rawjson.ErrSyntax
	}
	switch {
	case errors.Is(err, rawjson.ErrSyntax):
		return ErrNotJSON
	case err != nil:
		return err
	case r.array.End == 0:
		return ErrNoMessages
	}
	return nil
}

// Format returns the format of the request.
func (r *Request) Format() Format { return r.format }

// Raw returns the client's body.
func (r *Request) Raw() []byte { return r.raw }

// Messages returns the messages in their order. The slice belongs to r.
func (r *Request) Messages() []Message { return r.list.Messages }

// Field returns a member of the request by its name, nil if there is none. Of duplicates the last
// counts.
func (r *Request) Field(name string) rawjson.Value {
	if name == r.format.List() {
		return r.array.Of(r.raw)
	}
	return r.member(r.fields, name)
}

// member returns the last member of a name.
func (r *Request) member(fields []field, name string) rawjson.Value {
	for i := len(fields) - 1; i >= 0; i-- {
		if fields[i].key.Of(r.raw).Is(name) {
			return fields[i].value.Of(r.raw)
		}
	}
	return nil
}

// modelField returns the member of the body that names the model, nil if there is none.
func (r *Request) modelField() rawjson.Value {
	if r.format.Within() != "" {
		return r.member(r.outer, "model")
	}
	return r.Field("model")
}

// Model returns the model asked for, "" if neither the body nor the path names one.
func (r *Request) Model() string {
	if r.model != "" {
		return r.model
	}
	return r.modelField().Text()
}

// SetModel sets the model of a request whose path names it.
func (r *Request) SetModel(name string) { r.model = name }

// Stream reports whether the request asks for a stream of events.
func (r *Request) Stream() bool { return string(r.Field("stream")) == "true" }

// Preamble returns the preamble of the request, without instructions among its messages.
func (r *Request) Preamble() Preamble { return r.format.Preamble(r) }

// Limits returns the sizes that the request asks for.
func (r *Request) Limits() Limits { return r.format.Limits(r) }

// Memory returns the memory of the request's conversation, nil if there is none.
func (r *Request) Memory() *Memory { return r.memory }
