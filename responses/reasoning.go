package responses

import (
	"killick/rawjson"
	"killick/view"
)

// WithoutSigned implements [view.Format]: it leaves out reasoning items. It is for requests that
// were refused with invalid_encrypted_content. Each turn is valid without its reasoning.
func (format) WithoutSigned(m *view.Message) []byte {
	if !m.Is(view.Signed) {
		return m.Raw
	}
	var out []byte
	last := 0 // end of the last item, kept or not
	for at := 0; at < len(m.Raw); {
		it, end, err := readItem(m.Raw, at)
		if err != nil {
			return m.Raw
		}
		if it.typ != reasoningType {
			if out != nil {
				out = append(out, m.Raw[last:at]...) // the comma and the space around it
			}
			out = append(out, it.raw...)
		}
		last = end
		if at = rawjson.Space(m.Raw, end); at < len(m.Raw) {
			at = rawjson.Space(m.Raw, at+1)
		}
	}
	return out
}
