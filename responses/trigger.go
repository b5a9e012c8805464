package responses

import (
	"bytes"
	"strconv"

	"killick/rawjson"
	"killick/view"
)

// triggerType is the type of the item that asks for compaction.
const triggerType = "compaction_trigger"

// WithoutTrigger returns a body without the compaction_trigger that ends its input. asks reports
// whether there is one: the answer must then be one compaction item, and nothing else.
func WithoutTrigger(body []byte) (rest []byte, asks bool) {
	if !bytes.Contains(body, []byte(triggerType)) {
		return body, false
	}
	at, ok := inputOf(body)
	if !ok {
		return body, false
	}
	before, last := int(at.Start)+1, rawjson.Span{} // where the item before the last ends
	_, err := rawjson.WalkArray(body, int(at.Start), func(from int) (int, error) {
		end, err := rawjson.Skip(body, from)
		if last.End != 0 {
			before = int(last.End)
		}
		last = rawjson.SpanOf(from, end)
		return end, err
	})
	if err != nil || last.End == 0 || !last.Of(body).Get("type").Is(triggerType) {
		return body, false
	}
	return append(body[:before:before], body[last.End:]...), true
}

// AnswerTrigger returns the answer to a request that asks for compaction by a trigger (see
// WithoutTrigger): a response with the record as its only item. If the request asks for a stream,
// the answer is a stream of events, and stream is true. Source: openai-go v3.96.0, Response and
// ResponseStreamEventUnion.
func (s *Sealer) AnswerTrigger(
	r *view.Request, who string, c Compaction,
) (answer []byte, stream bool) {
	item := s.item(who, c.Record)
	id := newID()
	response := func(status, output string, usage []byte) []byte {
		b := []byte(`{"id":"resp_` + id + `","object":"response","created_at":`)
		b = strconv.AppendInt(b, c.Created, 10)
		b = append(b, `,"status":"`+status+`","error":null,"incomplete_details":null,`+
			`"instructions":null,"metadata":{},"model":`...)
		b = rawjson.AppendQuoted(b, r.Model())
		b = append(b, `,"output":[`+output+`],"parallel_tool_calls":true,"tool_choice":"auto",`+
			`"tools":[],"usage":`...)
		return append(append(b, usage...), '}')
	}
	done := response("completed", string(item), c.appendUsage(nil))
	if string(r.Field("stream")) != "true" {
		return done, false
	}
	begun := response("in_progress", "", []byte("null"))
	var events []byte
	for n, event := range []struct {
		typ, member string
		value       []byte
	}{
		{"response.created", `"response":`, begun},
		{"response.in_progress", `"response":`, begun},
		{"response.output_item.added", `"output_index":0,"item":`, item},
		{"response.output_item.done", `"output_index":0,"item":`, item},
		{"response.completed", `"response":`, done},
	} {
		events = append(events, "event: "+event.typ+"\ndata: {\"type\":\""+event.typ+
			"\",\"sequence_number\":"+strconv.Itoa(n)+","+event.member...)
		events = append(append(events, event.value...), "}\n\n"...)
	}
	return events, true
}
