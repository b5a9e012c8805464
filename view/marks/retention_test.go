package marks_test

import (
	"strings"
	"testing"
	"time"

	"killick/chat"
	"killick/messages"
	"killick/responses"
	"killick/view"
	"killick/view/marks"
)

func TestForHowLongARequestAsksToBeCached(t *testing.T) {
	const (
		hour    = `"cache_control":{"type":"ephemeral","ttl":"1h"}`
		day     = 24 * time.Hour
		minutes = `"cache_control":{"type":"ephemeral"}`
	)
	text := func(mark string) string {
		return `{"role":"user","content":[{"type":"text","text":"hi",` + mark + `}]}`
	}
	many := strings.Repeat(`{"role":"user","content":"\"ttl\":\"1h\""},`, 40)
	for name, c := range map[string]struct {
		format view.Format
		body   string
		want   time.Duration
	}{
		"nothing":   {chat.Format, `{"messages":[]}`, 0},
		"in memory": {chat.Format, `{"prompt_cache_retention":"in_memory","messages":[]}`, 0},
		"a day":     {chat.Format, `{"prompt_cache_retention":"24h","messages":[]}`, day},
		"options": {
			responses.Format, `{"prompt_cache_options":{"ttl":"30m"},"input":[]}`, 30 * time.Minute,
		},
		"a mark": {messages.Format, `{"messages":[` + text(hour) + `]}`, time.Hour},
		"the last mark": {
			messages.Format, `{"messages":[` + text(hour) + `,` + text(minutes) + `]}`, 0,
		},
		"an old mark": {
			messages.Format, `{"messages":[` + text(hour) + `,` + many + text(`"x":1`) + `]}`, 0,
		},
		"no mark at all": {messages.Format, `{"messages":[` + many + text(`"x":1`) + `]}`, 0},
		"for the whole": {
			messages.Format, `{` + hour + `,"messages":[` + text(`"x":1`) + `]}`, time.Hour,
		},
	} {
		r, err := view.Parse(c.format, []byte(c.body))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := marks.Retention(r); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
