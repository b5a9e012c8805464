package proxy

import (
	"net/http"
	"strconv"
	"time"

	"killick/compaction"
	"killick/messages"
	"killick/proxy/class"
	"killick/proxy/fault"
	"killick/rawjson"
)

// This file answers POST /v1/compress. With it, a gateway has Killick compact the messages of a
// request that the gateway sends to a model itself. Request and answer have the structure that
// gateways already use: https://docs.litellm.ai/docs/proxy/headroom

// compressMessages is the format of messages that are in blocks, as the Messages API has them.
var compressMessages = class.Formats[class.Messages]

// compress answers a request to compact its messages. If nothing is compacted, for whatever reason,
// the answer has the messages as received: after an error, a gateway might reject its client's
// request.
func (x *exchange) compress() {
	x.setMode(x.proxy.opt.Mode)
	raw, ok := x.read()
	if !ok {
		return
	}
	readable, ok := x.decode(raw)
	if !ok {
		return
	}
	list := rawjson.Value(x.sent.plain).Get("messages")
	if messages.HoldsBlocks(list) {
		x.wire = compressMessages
	}
	if readable && x.mode != ModeOff && x.proxy.opt.Compactor != nil && x.identify() {
		x.outcome = x.compact(x.sent.plain, Request{Who: x.sender.who,
			Observe: x.mode == ModeObserve})
	}
	switch {
	case !readable:
		x.fail(&fault.Fault{Status: http.StatusBadRequest, Kind: "unreadable",
			Message: "Killick cannot read this request: " + string(x.outcome.Reason) +
				". Send it without Content-Encoding, or as gzip, br, zstd or deflate."})
		return
	case list.Kind() != rawjson.Array, x.outcome.Reason == class.NotJSON:
		x.fail(&fault.Fault{Status: http.StatusBadRequest, Kind: "no_messages",
			Message: "Killick cannot read this request: want an object with \"messages\", a list " +
				"as in chat completions or the Messages API, and the \"model\" that gets them."})
		return
	case x.clientGone():
		x.fail(fault.ClientGone())
		return
	}
	if x.mode == ModeOn && x.outcome.Changed() {
		list, x.sent.changed = rawjson.Value(x.outcome.Body).Get("messages"), true
		x.action = actionLabel(&x.outcome)
	}
	x.added = time.Since(x.ready)
	x.reply.Report = x.report
	raws, sent := x.tokens()
	fault.WriteJSON(x.reply, http.StatusOK,
		compressed(list, raws, sent, x.outcome.Actions(), x.sent.changed))
	x.proxy.close(&x.outcome, true)
}

// compressed returns the answer with a list of messages. Tokens that were not counted are left out.
func compressed(
	list rawjson.Value, before, after int, actions []compaction.Action, changed bool,
) []byte {
	b := make([]byte, 0, len(list)+256)
	b = append(append(b, `{"messages":`...), list...)
	if before > 0 {
		for _, number := range []struct {
			name string
			n    int
		}{{"tokens_before", before}, {"tokens_after", after}, {"tokens_saved", before - after}} {
			b = strconv.AppendInt(append(b, `,"`+number.name+`":`...), int64(number.n), 10)
		}
		b = strconv.AppendFloat(append(b, `,"compression_ratio":`...),
			float64(after)/float64(before), 'f', 4, 64)
	}
	b = append(b, `,"transforms_applied":[`...)
	for i, action := range actions {
		if changed {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, `"`+string(action)+`"`...)
		}
	}
	return append(b, `],"ccr_hashes":[]}`...)
}
