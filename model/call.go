package model

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"killick/chat"
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

// endpoint is where a call goes and as whom.
type endpoint struct {
	url    *url.URL
	header http.Header // credentials
	model  string
	own    bool // a key of the operator's, shared by all conversations
}

// name tells endpoints apart for what is learnt about them. It holds no query
// and no credential.
func (e endpoint) name() string {
	return e.url.Scheme + "://" + e.url.Host + e.url.Path + " " + e.model
}

// endpoint returns where the call goes. prefix is the view of call.Prefix, nil
// without one.
func (c *Client) endpoint(call Call, prefix *chat.Request) (endpoint, error) {
	e := endpoint{header: call.Header}
	address := call.URL
	if prefix != nil {
		e.model = prefix.Model()
	} else {
		e.model = c.opt.Name
		if c.opt.BaseURL != "" {
			address = strings.TrimRight(c.opt.BaseURL, "/") + "/chat/completions"
		}
		if c.opt.APIKey != "" {
			e.header = http.Header{"Authorization": {"Bearer " + c.opt.APIKey}}
			e.own = true
		}
	}
	var err error
	if e.url, err = url.Parse(address); err != nil || e.url.Host == "" {
		// What was wrong with it is not said: the address may hold a key.
		return e, fmt.Errorf("%w: the address to ask at is no URL with a host", ErrRejected)
	}
	if e.model == "" && !strings.Contains(e.url.Path, "/deployments/") {
		return e, fmt.Errorf("%w: no model is named, neither by the options nor by the body to append to", ErrRejected)
	}
	return e, nil
}
