package model

import (
	"net/http"
	"strings"

	"killick/model/endpoint"
	"killick/view"
)

// Call is one conversation's way to a model.
type Call struct {
	// Prefix is the raw body that was last forwarded for this conversation: with
	// it, the call is made in append. If nil, it is standalone. It is not changed.
	Prefix []byte
	// URL is where that body was sent, query included. In standalone calls it is
	// used where Options.BaseURL is empty: then it must be the full address of the
	// chat completions.
	URL string
	// Header holds the credential headers to ask with. It stays in memory and is
	// never logged. Standalone calls with an Options.APIKey ignore it.
	Header http.Header
	// Key tells conversations apart for Limits; it is compared and forgotten, so
	// it should be a hash. Calls without one share one allowance.
	Key string
}

// target returns where the call goes. prefix is the view of call.Prefix, nil without
// one.
func (c *Client) target(call Call, prefix *view.Request) (endpoint.Target, error) {
	if prefix != nil {
		return endpoint.NewTarget(call.URL, prefix.Model(), call.Header, false)
	}
	address, header := call.URL, call.Header
	if c.opt.BaseURL != "" {
		address = strings.TrimRight(c.opt.BaseURL, "/") + "/chat/completions"
	}
	if c.opt.APIKey != "" {
		header = http.Header{"Authorization": {"Bearer " + c.opt.APIKey}}
	}
	return endpoint.NewTarget(address, c.opt.Name, header, c.opt.APIKey != "")
}
