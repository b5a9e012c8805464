package endpoint

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Target is where a request goes, and with which credentials.
type Target struct {
	URL    *url.URL
	Header http.Header // credentials, and other headers that the API requires
	Model  string
	// Format is the name of the wire format there. If empty, chat completions.
	Format string
	// Own means that the key is the operator's, shared by all conversations.
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
		// The address may contain a key, so the error does not quote it.
		return Target{}, fmt.Errorf("%w: %w", ErrRejected, errAddress)
	}
	if model == "" && !strings.Contains(u.Path, "/deployments/") {
		return Target{}, fmt.Errorf("%w: %w", ErrRejected, errNoModel)
	}
	return Target{URL: u, Header: header, Model: model, Own: own}, nil
}

// name is the key for what is learned about a target's endpoint and model: a hash, since clients
// choose the names of models, of any length. Query and credential do not matter.
func (t Target) name() [sha256.Size]byte {
	return sha256.Sum256([]byte(t.URL.Scheme + "://" + t.URL.Host + t.URL.Path + " " + t.Model))
}
