package view_test

import (
	"strings"
	"testing"
	"time"

	"killick/chat"
	"killick/messages"
	"killick/responses"
	"killick/view"
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
		if got := r.Retention(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// Leading parts differ if and only if the part before the messages in a provider's cache differs.
func TestLeadingParts(t *testing.T) {
	leading := func(f view.Format, body string) uint64 {
		r, err := view.Parse(f, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return r.Leading()
	}
	const system = `"system":[{"type":"text","text":"x-anthropic-billing-header: cch=%;"},` +
		`{"type":"text","text":"Be brief."}],`
	base := `{"model":"m",` + system + `"tools":[{"name":"a"}],"messages":[` +
		`{"role":"user","content":"hi"}]}`
	of := func(old, new string) uint64 {
		return leading(messages.Format, strings.Replace(base, old, new, 1))
	}
	same := of("", "")
	for name, got := range map[string]uint64{
		"another message": of("hi", "ho"), "a billing line": of("%", "1f3a"),
	} {
		if got != same {
			t.Errorf("%s counts as another leading part", name)
		}
	}
	for name, got := range map[string]uint64{
		"another model": of(`"m"`, `"n"`), "another tool": of(`"a"`, `"b"`),
		"another instruction": of("brief", "short"),
	} {
		if got == same {
			t.Errorf("%s counts as the same leading part", name)
		}
	}
	one := leading(
		chat.Format,
		`{"messages":[{"role":"system","content":"a"},{"role":"user","content":"b"}]}`,
	)
	two := leading(
		chat.Format,
		`{"messages":[{"role":"system","content":"c"},{"role":"user","content":"b"}]}`,
	)
	if one == two {
		t.Error("another system message counts as the same leading part")
	}
}
