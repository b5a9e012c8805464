package replay

import (
	"fmt"
	"strings"

	"killick/chat"
	"killick/view"
)

// withPreamble returns the conversation with filler tools of about this many tokens, so that a
// strategy sees requests of the size that the client sent. A conversation that has tools or
// instructions is returned unchanged. added is the number of tokens that the filler takes.
func withPreamble(
	t *Transcript, counter Counter, tokens int,
) (_ *Transcript, added int, err error) {
	if tokens <= 0 || len(t.Messages) == 0 {
		return t, 0, nil
	}
	req, err := chat.Parse(t.Body(1))
	if err != nil {
		return nil, 0, fmt.Errorf("%s: conversation %q: %w", t.File, t.ID, err)
	}
	if len(req.Field("tools")) > 0 || len(req.Field("functions")) > 0 ||
		req.Messages()[0].Role().Instructs() {
		return t, 0, nil
	}
	before := counter.Overhead(req)
	cost := func(tools int) (*Transcript, int, error) {
		with := *t
		with.Fields = t.Fields
		if len(with.Fields) > 0 {
			with.Fields = append(append([]byte{}, with.Fields...), ',')
		}
		with.Fields = append(with.Fields, fillerTools(tools)...)
		var req *view.Request
		if req, err = chat.Parse(with.Body(1)); err != nil {
			return nil, 0, fmt.Errorf("conversation %q with tools: %w", t.ID, err)
		}
		return &with, counter.Overhead(req) - before, nil
	}
	_, one, err := cost(1)
	if err != nil {
		return nil, 0, err
	}
	_, nine, err := cost(9)
	if err != nil {
		return nil, 0, err
	}
	each := (nine - one) / 8
	if each <= 0 {
		return t, 0, nil // the counter does not count tools
	}
	return cost(max(1, 1+(tokens-one)/each))
}

// fillerTools returns the member "tools" with n tools.
func fillerTools(n int) []byte {
	const sentence = "Takes part in the work on the repository and returns what it found as text. "
	var b strings.Builder
	b.WriteString(`"tools":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"type":"function","function":{"name":"tool_%03d","description":"%s",`+
			`"parameters":{"type":"object","properties":{"text":{"type":"string"}}}}}`,
			i, strings.TrimSpace(strings.Repeat(sentence, 32)))
	}
	b.WriteByte(']')
	return []byte(b.String())
}
