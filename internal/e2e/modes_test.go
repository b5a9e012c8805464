package e2e

import (
	"bytes"
	"strconv"
	"testing"

	"killick/internal/config"
)

// overTheTrigger returns a request that a trigger of 1000 tokens compacts.
func overTheTrigger() []byte { return sessionBody("somebody", 8) }

// Over the trigger, too, nothing changes for a client or an operator who does not
// want it; one who does shows that the requests of these tests would change.
func TestModesThatChangeNothing(t *testing.T) {
	noLeaks(t)
	over := overTheTrigger()
	for _, c := range []struct {
		operator config.Mode
		client   string
		want     string // the action; "" stands for a compaction
	}{
		{config.ModeOn, "", ""},
		{config.ModeOn, "on", ""},
		{config.ModeOn, "nonsense", ""},
		{config.ModeOn, "observe", "observe"},
		{config.ModeOn, "off", "bypass"},
		{config.ModeObserve, "", "observe"},
		{config.ModeObserve, "on", "observe"},
		{config.ModeObserve, "off", "bypass"},
		{config.ModeOff, "", "bypass"},
		{config.ModeOff, "on", "bypass"},
		{config.ModeOff, "observe", "bypass"},
	} {
		t.Run(string(c.operator)+" and "+c.client, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, anything(), func(config *config.Config) {
				between(1000, 500)(config)
				config.Compaction.Mode = c.operator
			})
			bodies := map[string][]byte{"identity": over}
			for name, encode := range encodings {
				bodies[name] = encode(t, over)
			}
			for encoding, body := range bodies {
				header := []string{"Content-Type", "application/json", "Content-Encoding", encoding}
				if c.client != "" {
					header = append(header, "Killick-Mode", c.client)
				}
				if c.want == "" {
					compacted(t, g, over, passed(t, g, bytes.NewReader(body), header...))
					continue
				}
				f := untouched(t, g, bytes.NewReader(body), body, header...)
				if action := f.header.Get("Killick-Action"); action != c.want {
					t.Errorf("%s: action %q, want %q", encoding, action, c.want)
				}
				if chunkedToo := untouched(t, g, chunked(body), body,
					header...); !chunkedToo.did(c.want) {
					t.Errorf("%s, chunked: action %q, want %q", encoding,
						chunkedToo.header.Get("Killick-Action"), c.want)
				}
			}
		})
	}
}

// compacted checks that a request was changed by the rules: it goes out in
// plain JSON, under headers that say so.
func compacted(t *testing.T, g *gateway, plain []byte, f forwarded) {
	t.Helper()
	seen := g.upstream.Requests()[0]
	if !f.did("mask") && !f.did("summary") || bytes.Equal(f.body, plain) {
		t.Errorf("action %q, want a compaction", f.header.Get("Killick-Action"))
	}
	for _, breach := range breaches(plain, f.body) {
		t.Error(breach)
	}
	if encoding := seen.Header.Values("Content-Encoding"); encoding != nil {
		t.Errorf("a changed body goes out as %q", encoding)
	}
	if length := seen.Header.Get("Content-Length"); length != "" &&
		length != strconv.Itoa(len(f.body)) {
		t.Errorf("Content-Length %s of %d bytes", length, len(f.body))
	}
}
