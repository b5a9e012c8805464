package checkpoint

import (
	"killick/packed"
	"killick/rawjson"
)

// ProviderSummary is a summary of the folded turns that the provider's API wrote. It is one
// message, which must be sent as received and before all others. The turns that are not folded
// follow it directly, unchanged, so that their signed parts stay valid. The rest of the
// replacement, records and kept messages, follows these turns, where the conversation ended when
// the form was made.
type ProviderSummary struct {
	Raw      []byte // the message
	Tokens   int    // of the message and of the introduction of the rest
	Origin   string // the upstream that wrote it; it is not sent to another
	Place    int    // the rest of the replacement is sent before this message
	Unsigned int    // signed parts of messages before this one were left out before
}

// tokens returns the tokens that the summary adds to a request.
func (p *ProviderSummary) tokens() int {
	if p == nil {
		return 0
	}
	return p.Tokens
}

// fits reports whether the summary can be sent with a form that folds this many of a conversation's
// messages.
func (p *ProviderSummary) fits(fold, messages int) bool {
	end, err := rawjson.Skip(p.Raw, 0)
	return err == nil && end == len(p.Raw) && rawjson.Value(p.Raw).Kind() == rawjson.Object &&
		p.Tokens > 0 && fold > 0 && fold < p.Place && p.Place <= messages && p.Unsigned >= 0
}

func (p *ProviderSummary) encode(w *packed.Writer) {
	w.Bytes(p.Raw)
	w.Int(p.Tokens)
	w.Text(p.Origin)
	w.Int(p.Place)
	w.Int(p.Unsigned)
}

func readProvider(r *packed.Reader) *ProviderSummary {
	return &ProviderSummary{
		Raw: r.Bytes(), Tokens: r.Int(), Origin: r.Text(), Place: r.Int(), Unsigned: r.Int(),
	}
}
