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
	sent := 0
	if a.req.Frames {
		a.x.StartFrames("application/vnd.amazon.eventstream", Frame)
	} else {
		a.x.StartStream()
	}
	send := func(typ string, members map[string]any) bool {
		if a.errorAfter > 0 && sent == a.errorAfter {
			a.x.Event("error", a.errorEvent)
			return false
		}
		sent++
		members["type"] = typ
		a.x.Event(typ, fakeserver.EncodeJSON(members))
		return true
	}
	a.events(send)
	a.x.EndStream()
}

// events sends the events one by one until send reports that no more are wanted.
func (a *answer) events(send func(typ string, members map[string]any) bool) {
	if !send("message_start", map[string]any{"message": a.message(false)}) {
		return
	}
	for i, b := range a.blocks {
		start := b.start
		if b.whole {
			start = b.json
		}
		if !send("content_block_start", map[string]any{"index": i,
			"content_block": json.RawMessage(start)}) {
			return
		}
		if i == 0 && !send("ping", map[string]any{}) {
			return
		}
		for _, d := range b.deltas {
			if !send("content_block_delta", map[string]any{"index": i, "delta": d}) {
				return
			}
		}
		if !send("content_block_stop", map[string]any{"index": i}) {
			return
		}
	}
	end := a.message(true)
	if send("message_delta", map[string]any{"usage": end.Usage,
		"delta": map[string]any{"stop_reason": end.StopReason, "stop_sequence": nil}}) {
		send("message_stop", map[string]any{})
	}
}
