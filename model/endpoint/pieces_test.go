package endpoint

import (
	"strings"
	"testing"
	"time"

	"killick/internal/cputime"
	"killick/rawjson"
)

// The work for an answer in many pieces does not grow with the square of their number.
func TestAnswersInManyPieces(t *testing.T) {
	const n = maxAnswerBytes / 40
	list := func(piece string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(piece+",", n), ",") + "]"
	}
	text := list(`{"type":"text","text":"abcdefgh"}`)
	output := list(`{"type":"output_text","text":"abcdefgh"}`)
	for name, c := range map[string]struct {
		p     protocol
		reply string
	}{
		"chat":      {chatCompletions{}, `{"choices":[{"message":{"content":` + text + `}}]}`},
		"messages":  {messagesAPI{}, `{"content":` + text + `}`},
		"responses": {responsesAPI{}, `{"output":[{"type":"message","content":` + output + `}]}`},
		"items": {responsesAPI{}, `{"output":` + list(`{"type":"message","content":[{"type":`+
			`"output_text","text":"abcdefgh"}]}`) + `}`},
	} {
		start := cputime.Used()
		got, err := c.p.read(rawjson.Value(c.reply))
		took := cputime.Used() - start
		if took > 2*time.Second || err != nil || got.Text != strings.Repeat("abcdefgh", n) {
			t.Errorf("%s: %d bytes after %s, %v", name, len(got.Text), took, err)
		}
	}
}
