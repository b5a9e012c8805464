package converse

import (
	"bytes"

	"killick/rawjson"
	"killick/view"
	"killick/view/marks"
)

// Cache points say where the prompt cache is written and read. Source:
// https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html. A request may have
// four; those of an hour must precede those of five minutes, in the order tools, system, messages
// (strands-agents/harness-sdk#3758); and a point finds what was written at most about 20 blocks
// before it.
const (
	maxMarks = 4
	maxGap   = 15 // blocks
	markName = "cachePoint"
)

// Mark implements [view.Format].
func (format) Mark(r *view.Request, pieces []view.Piece) []view.Piece {
	marking := marks.Marking{
		Most: maxMarks, MaxGap: maxGap, Moves: true,
		Used: marks.Count(markName, r.Field("toolConfig").Get("tools"), r.Field("system")),
		Read: readMarks, Blocks: countBlocks, With: withMark,
	}
	return marking.Place(r, pieces)
}

// readMarks returns the first and the last cache point of a message and the number of them.
func readMarks(m *view.Message) (first, last rawjson.Value, n int) {
	for k := range blocks(m) {
		if k.kind != mark {
			continue
		}
		last = k.data.Of(m.Raw[k.start:k.end])
		if n++; n == 1 {
			first = last
		}
	}
	return first, last, n
}

// countBlocks returns the number of blocks of a message that is not a result.
func countBlocks(m *view.Message) (n int) {
	for k := range blocks(m) {
		if k.kind != mark {
			n++
		}
	}
	return n
}

// withMark returns a user message or a result with a cache point at its end, nil if it cannot have
// one.
func withMark(m, _ *view.Message, point rawjson.Value) []byte {
	if m.Is(view.Fixed|view.Unknown) || m.Role() == view.Assistant || countBlocks(m) == 0 {
		return nil
	}
	at := len(m.Raw)
	if !isRun(m) {
		at = int(m.Fields().Content.End) - 1
	}
	out := append(make([]byte, 0, len(m.Raw)+len(point)+20), bytes.TrimRight(m.Raw[:at],
		" \t\r\n")...)
	out = append(append(append(out, `,{"`+markName+`":`...), point...), '}')
	return append(out, m.Raw[at:]...)
}
