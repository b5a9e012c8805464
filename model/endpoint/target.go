package endpoint

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Target is where a request goes, and under which credentials.
type Target struct {
	URL    *url.URL
	Header http.Header // credentials, and what else the API asks for
	Model  string
	// Format is the name of the wire format that is spoken there. If empty, chat completions.
	Format string
	// Own says that the key is the operator's, shared by all conversations.
	Own bool
}

var (
	errAddress = errors.New("the address of the endpoint is not a URL with a host")
	errNoModel = errors.New("neither the options nor the body to append to name a model")
)

// NewTarget returns the target at an address. Azure's deployments name their model in the
// address; anywhere else it must be named.
func NewTarget(address, model string, header http.Header, own bool) (Target, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		// The address may hold a key, so the error does not quote it.
		return Target{}, fmt.Errorf("%w: %w", ErrRejected, errAddress)
	}
	if model == "" && !strings.Contains(u.Path, "/deployments/") {
		return Target{}, fmt.Errorf("%w: %w", ErrRejected, errNoModel)
	}
	return Target{URL: u, Header: header, Model: model, Own: own}, nil
}

// name is what is learnt about a target's endpoint and model is kept under. It holds
// no query and no credential.
func (t Target) name() string {
	return t.URL.Scheme + "://" + t.URL.Host + t.URL.Path + " " + t.Model
}
