package endpoint

import "net/http"

// protocols are the protocols by the names of their formats.
var protocols = map[string]protocol{
	formatChat:  chatCompletions{},
	"messages":  messagesAPI{},
	"responses": responsesAPI{},
}

// KeyHeader returns the headers with an operator's key in a format.
func KeyHeader(format, key string) http.Header {
	h := http.Header{}
	if p := protocols[format]; p != nil {
		p.setKey(h, key)
	}
	return h
}

// write writes a request in a dialect.
func (r *Request) write(as dialect) written {
	p := protocols[r.format()]
	if r.Prefix != nil {
		return p.appended(r, as)
	}
	return p.standalone(r, as)
}
