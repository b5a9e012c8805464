package fakemessages

import (
	"encoding/json"

	"killick/internal/fakeserver"
)

// deltasOf cuts a text into deltas of a type.
func deltasOf(typ, field, text string) (all []delta) {
	fakeserver.EachPiece(text, func(piece string) {
		all = append(all, delta{"type": typ, field: piece})
	})
	return all
}

// stream answers as server-sent events
// (https://platform.claude.com/docs/en/build-with-claude/streaming).
func (a *answer) stream() {
	if a.req.Frames {
		a.x.StartFrames("application/vnd.amazon.eventstream", Frame)
	} else {
		a.x.StartStream()
	}
	a.events(func(typ string, members map[string]any) {
		members["type"] = typ
		a.x.Event(typ, fakeserver.EncodeJSON(members))
	})
	a.x.EndStream()
}

// events sends the events one by one.
func (a *answer) events(send func(typ string, members map[string]any)) {
	send("message_start", map[string]any{"message": a.message(false)})
	for i, b := range a.blocks {
		start := b.start
		if b.whole {
			start = b.json
		}
		send("content_block_start", map[string]any{"index": i,
			"content_block": json.RawMessage(start)})
		if i == 0 {
			send("ping", map[string]any{})
		}
		for _, d := range b.deltas {
			send("content_block_delta", map[string]any{"index": i, "delta": d})
		}
		send("content_block_stop", map[string]any{"index": i})
	}
	end := a.message(true)
	send("message_delta", map[string]any{"usage": end.Usage,
		"delta": map[string]any{"stop_reason": end.StopReason, "stop_sequence": nil}})
	send("message_stop", map[string]any{})
}
