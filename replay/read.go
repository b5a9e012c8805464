package replay

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"killick/chat"
	"killick/rawjson"
	"killick/replay/aschat"
	"killick/replay/sessions"
)

// DefaultModel is the model of conversations that do not name one.
const DefaultModel = "gpt-5.1"

// Read reads the conversations of one file: a sequence of JSON values, each of which is
//
//   - a transcript: an object with "messages" and perhaps "id", "tools", "model";
//   - the body of a request. In a log of requests, a body that begins with the messages of an
//     earlier one replaces it, so a conversation is what its longest request contained;
//   - an array of messages, or an array of any of these;
//   - a line of a session file of Claude Code or Codex, if the first value is one.
//
// Requests of the Messages and the Responses API are read as chat.
//
// name is the name of the file. It is used in errors and in the names of conversations without an
// id.
func Read(name string, from io.Reader) ([]*Transcript, error) {
	r := &reader{name: name, ends: map[string]int{}, within: map[string]bool{}}
	err := eachValue(name, from, wantedInput, func(line int, v rawjson.Value) error {
		if r.line == 0 {
			r.session = sessions.For(v)
		}
		r.line = line
		if r.session != nil && v.Kind() == rawjson.Object {
			r.session.Add(v)
			return nil
		}
		return r.value(v)
	})
	if r.session != nil && (err == nil || errors.Is(err, errCutOff)) {
		return fromSession(name, r.session, err != nil)
	}
	if err != nil {
		return nil, err
	}
	if len(r.all) == 0 {
		return nil, fmt.Errorf("%s: %w; want %s", name, ErrNoConversation, wantedInput)
	}
	return r.transcripts(), nil
}

// eachValue calls use with each JSON value of a file and the line where it begins. Errors name the
// file and the line; wanted is what the file should hold.
func eachValue(
	name string, from io.Reader, wanted string, use func(line int, v rawjson.Value) error,
) error {
	buffered := withoutMark(from)
	if start, _ := buffered.Peek(4); compressed(start) {
		return fmt.Errorf("%s: it is compressed; decompress it first, as by gunzip -c FILE | "+
			"killick replay -", name)
	}
	lines := &lineCounter{from: buffered}
	values := json.NewDecoder(lines)
	for {
		var value json.RawMessage
		err := values.Decode(&value)
		if errors.Is(err, io.EOF) {
			return nil
		}
		var syntax *json.SyntaxError
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("%s:%d: %w", name, lines.at(values.InputOffset()), errCutOff)
		case errors.As(err, &syntax):
			return fmt.Errorf("%s:%d: not JSON: %w; want %s", name, lines.at(syntax.Offset), syntax,
				wanted)
		case err != nil:
			if at, ok := errors.AsType[*fs.PathError](err); ok {
				err = at.Err // name is its path
			}
			return fmt.Errorf("reading %s: %w", name, err)
		}
		line := lines.at(values.InputOffset() - int64(len(value)))
		if err := use(line, rawjson.Value(value)); err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
}

// withoutMark returns a file without the byte order mark that some editors write at its start.
func withoutMark(from io.Reader) *bufio.Reader {
	const mark = "\ufeff"
	b := bufio.NewReader(from)
	if start, _ := b.Peek(len(mark)); string(start) == mark {
		_, _ = b.Discard(len(mark))
	}
	return b
}

// compressed reports whether a file begins as those of gzip or zstd.
func compressed(start []byte) bool {
	return bytes.HasPrefix(start, []byte("\x1f\x8b")) ||
		bytes.HasPrefix(start, []byte("\x28\xb5\x2f\xfd"))
}

// ErrNoConversation says that a file is empty.
var ErrNoConversation = errors.New("no conversation in it")

var errCutOff = errors.New("the JSON that follows has no end; is the file cut off?")

const wantedInput = "transcripts or bodies of requests, one per line, an array of messages, or a " +
	"session file of Claude Code or Codex"

// reader collects the conversations of one file.
type reader struct {
	name    string
	session *sessions.Reader // nil if the file is no session file
	line    int
	all     []*logged
	ends    map[string]int  // conversations without an id, by a hash of all their messages
	within  map[string]bool // hashes of all prefixes of these conversations
}

// logged is a conversation as read so far.
type logged struct {
	Transcript
	line int
}

var errShape = errors.New(`neither a conversation nor a message; want an object with "messages", ` +
	`"input" or "contents", an array of messages, or a session file of Claude Code or Codex`)

// value reads one value of the file.
func (r *reader) value(v rawjson.Value) error {
	switch v.Kind() {
	case rawjson.Object:
		return r.object(v)
	case rawjson.Array:
		for first := range v.Elements() {
			if first.Kind() == rawjson.Object && aschat.FormatOf(first) == nil &&
				first.Get("messages") == nil {
				return r.array(v)
			}
			break
		}
		for element := range v.Elements() {
			if err := r.value(element); err != nil {
				return err
			}
		}
		return nil
	}
	return errShape
}

// array reads the messages of one conversation.
func (r *reader) array(v rawjson.Value) error {
	list := "messages"
	if aschat.HoldsItems(v) {
		list = "input"
	}
	body := fmt.Appendf(nil, `{%q:%s}`, list, v)
	if aschat.FormatOf(body) == chat.Format {
		return r.add("", nil, v)
	}
	return r.object(body)
}

// object reads a transcript or a body. Of a transcript, only the members in ofRequests are part of
// its requests.
func (r *reader) object(v rawjson.Value) error {
	format := aschat.FormatOf(v)
	if format == nil {
		return errShape
	}
	v, err := aschat.Convert(v, format)
	if err != nil {
		return err
	}
	id, err := idOf(v.Get("id"))
	if err != nil {
		return err
	}
	var fields []byte
	for key, member := range v.Members() {
		switch name := key.Text(); {
		case name == "messages", id != "" && !ofRequests[name]:
			continue
		}
		if len(fields) > 0 {
			fields = append(fields, ',')
		}
		fields = append(append(append(fields, key...), ':'), member...)
	}
	return r.add(id, fields, v.Get("messages"))
}

// idOf returns an id as text. An absent one, null and "" are no id.
func idOf(v rawjson.Value) (string, error) {
	switch v.Kind() {
	case rawjson.Number, rawjson.Bool:
		return string(v), nil
	case rawjson.Object, rawjson.Array:
		return "", errors.New(`"id" is neither a text nor a number; write one, or remove it`)
	}
	return v.Text(), nil
}

// ofRequests has the members of a transcript that are members of its requests.
var ofRequests = map[string]bool{"model": true, "tools": true, "functions": true,
	"response_format": true}

// add adds a conversation, or a longer request of a known one.
func (r *reader) add(id string, fields []byte, array rawjson.Value) error {
	next := &logged{Transcript: Transcript{ID: id, File: r.name, Fields: fields}, line: r.line}
	for raw := range array.Elements() {
		m, err := chat.ParseMessage(raw)
		switch {
		case raw.Kind() != rawjson.Object:
			err = errors.New("not an object")
		case err == nil && m.Role() == "":
			err = errors.New("no role")
		}
		if err != nil {
			return fmt.Errorf("message %d: %w", len(next.Messages), err)
		}
		next.Messages = append(next.Messages, m)
	}
	if id != "" {
		r.all = append(r.all, next)
		return nil
	}
	r.follow(next)
	return nil
}

// follow replaces the request that next continues, or adds next as a conversation.
func (r *reader) follow(next *logged) {
	at := len(r.all)
	var beginning []byte
	var beginnings []string
	for i := range next.Messages {
		sum := sha256.Sum256(next.Messages[i].AppendCanonical(beginning))
		beginning = append(beginning[:0], sum[:]...)
		beginnings = append(beginnings, string(beginning))
		if earlier, ok := r.ends[string(beginning)]; ok {
			at = earlier
		}
	}
	whole := string(beginning)
	if r.within[whole] {
		return // sent again, or logged out of order
	}
	for _, b := range beginnings {
		r.within[b] = true
		delete(r.ends, b)
	}
	r.ends[whole] = at
	if at < len(r.all) {
		next.line = r.all[at].line
		r.all[at] = next
		return
	}
	r.all = append(r.all, next)
}

// transcripts returns the conversations, each with a name.
func (r *reader) transcripts() (all []*Transcript) {
	for _, l := range r.all {
		if l.ID == "" {
			l.ID = l.File
			if len(r.all) > 1 {
				l.ID += ":" + strconv.Itoa(l.line)
			}
		}
		all = append(all, &l.Transcript)
	}
	return all
}

// SetModel sets the model of a conversation's requests. If model is empty, it is the model that
// they name, or DefaultModel.
func (t *Transcript) SetModel(model string) {
	fields := rawjson.Value("{" + string(t.Fields) + "}")
	if named := fields.Get("model"); named != nil && model == "" {
		return
	}
	model = cmp.Or(model, DefaultModel)
	kept := append([]byte(`"model":`), rawjson.AppendQuoted(nil, model)...)
	for key, member := range fields.Members() {
		if !key.Is("model") {
			kept = append(append(append(append(kept, ','), key...), ':'), member...)
		}
	}
	t.Fields = kept
}

// lineCounter counts the lines read through it.
type lineCounter struct {
	from   io.Reader
	offset int64
	breaks []int64 // offsets after the line feeds that at has not counted yet
	line   int     // line feeds counted so far
}

func (c *lineCounter) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	for at := 0; ; {
		i := bytes.IndexByte(b[at:n], '\n')
		if i < 0 {
			break
		}
		at += i + 1
		c.breaks = append(c.breaks, c.offset+int64(at))
	}
	c.offset += int64(n)
	return n, err
}

// at returns the line number of an offset. Offsets must not decrease from call to call.
func (c *lineCounter) at(offset int64) int {
	for len(c.breaks) > 0 && c.breaks[0] <= offset {
		c.breaks = c.breaks[1:]
		c.line++
	}
	return c.line + 1
}
