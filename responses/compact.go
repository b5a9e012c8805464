package responses

import (
	"crypto/rand"
	"encoding/hex"
	"strconv"

	"killick/rawjson"
	"killick/view"
)

// Compaction is the content of an answer to POST /v1/responses/compact, without the user's
// messages.
type Compaction struct {
	Record  string // of the conversation, as a model reads it
	Created int64  // in seconds since 1970
	Input   int    // tokens of the request
	Output  int    // tokens of the record
}

// Answer returns the documented answer to a request for compaction: all messages of the user,
// followed by one compaction item, whose content is the record, sealed for the credential who.
// Source: openai-go v3.96.0, CompactedResponse.
//
// r is the client's own request, before Unseal: a record in it is not a message of the user, and is
// covered by the new record. A request with state or items of the server (see
// [view.Rules]) cannot be answered: a part of the conversation is not in it.
func (s *Sealer) Answer(r *view.Request, who string, c Compaction) []byte {
	b := []byte(`{"id":"resp_` + newID() + `","object":"response.compaction","created_at":`)
	b = append(strconv.AppendInt(b, c.Created, 10), `,"output":[`...)
	messages := r.Messages()
	for i := range messages {
		if messages[i].Role() == view.User {
			b = append(appendReturned(b, &messages[i]), ',')
		}
	}
	b = append(append(b, s.item(who, c.Record)...), `],"usage":`...)
	return append(c.appendUsage(b), '}')
}

// item returns a compaction item.
func (s *Sealer) item(who, record string) []byte {
	b := []byte(`{"id":"cmp_` + newID() + `","type":"compaction","encrypted_content":`)
	return append(rawjson.AppendQuoted(b, s.seal(who, record)), '}')
}

// appendUsage writes the usage of an answer.
func (c *Compaction) appendUsage(b []byte) []byte {
	b = append(b, `{"input_tokens":`...)
	b = strconv.AppendInt(b, int64(c.Input), 10)
	b = append(b, `,"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},`+
		`"output_tokens":`...)
	b = strconv.AppendInt(b, int64(c.Output), 10)
	b = append(b, `,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":`...)
	return append(strconv.AppendInt(b, int64(c.Input+c.Output), 10), '}')
}

// appendReturned writes a message of the user as the server returns it: an item with an id and a
// status, whose content is a list of parts. The parts keep their bytes.
func appendReturned(dst []byte, m *view.Message) []byte {
	dst = append(dst, `{"id":`...)
	if id := m.Field("id"); id.Kind() == rawjson.String {
		dst = append(dst, id...)
	} else {
		dst = append(dst, `"msg_`+newID()+`"`...)
	}
	dst = append(dst, `,"type":"message","role":"user","status":"completed","content":`...)
	switch content := m.Content(); content.Kind() {
	case rawjson.Array:
		dst = append(dst, content...)
	case rawjson.String:
		dst = append(append(dst, `[{"type":"input_text","text":`...), content...)
		dst = append(dst, `}]`...)
	default:
		dst = append(dst, `[]`...)
	}
	return append(dst, '}')
}

// newID returns the random part of an id.
func newID() string {
	var id [24]byte
	rand.Read(id[:])
	return hex.EncodeToString(id[:])
}
