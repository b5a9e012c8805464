package model

import (
	"net/http"
	"strings"

	"killick/chat"
	"killick/model/endpoint"
	"killick/view"
)

// Call says how one conversation calls a model.
type Call struct {
	// Prefix is the raw body that was last forwarded for this conversation: with it, the call is
	// appended to that conversation. If nil, the call is standalone. It is not modified.
	Prefix []byte
	// URL is where that body was sent, including the query. Standalone calls use it if
	// Options.BaseURL is empty: then it must be the full address for requests.
	URL string
	// Format is the wire format of Prefix and of URL. If nil, chat completions.
	Format view.Format
	// Header holds the credential headers of the call, and those that select the API
	// version. It is never stored or logged. Standalone calls with an Options.APIKey ignore
	// it.
	Header http.Header
	// Key identifies conversations for Limits; it should be a hash. Calls without one share
	// one allowance.
	Key string
}

// format returns the wire format of the call's own prefix and URL.
func (c *Call) format() view.Format {
	if c.Format == nil {
		return chat.Format
	}
	return c.Format
}

// target returns where the call goes. prefix is the view of call.Prefix, nil without
// one.
func (c *Client) target(call Call, prefix *view.Request) (endpoint.Target, error) {
	address, name, format := call.URL, c.opt.Name, call.format().Name()
	header, own := call.Header, false
	if prefix != nil {
		name = prefix.Model()
	} else {
		if c.opt.BaseURL != "" {
			address = strings.TrimRight(c.opt.BaseURL, "/") + "/chat/completions"
			format = chat.Format.Name()
		}
		if c.opt.APIKey != "" {
			header, own = endpoint.KeyHeader(format, c.opt.APIKey), true
		}
	}
	target, err := endpoint.NewTarget(address, name, header, own)
	target.Format = format
	return target, err
}
