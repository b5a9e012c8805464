package fakemessages

import (
	"time"

	"killick/internal/fakeserver"
)

// maxBody is the most bytes of a request (https://platform.claude.com/docs/en/api/errors).
const maxBody = 32 << 20

// Server is a scripted upstream that is running.
type Server struct {
	*fakeserver.Server
	cfg   Config
	cache promptCache
}

// Recorded is one request as it arrived, and its outcome.
type Recorded struct {
	fakeserver.Recorded
	Found
}

// Found is what was found out about a request.
type Found struct {
	Usage    Usage  // zero but for requests that were accepted
	ByPrefix int    // tokens that a cache of the longest prefix would have read
	Dropped  int    // thinking blocks that were dropped
	Refused  string // the message of a refusal, "" if there was none
}

// URL returns the base URL for clients, http://127.0.0.1:port, to which they add /v1/messages.
func (s *Server) URL() string { return s.Origin() }

// Reset clears the recorded requests, the prompt cache and the count of arrivals.
func (s *Server) Reset() {
	s.Server.Reset()
	s.cache.forget()
}

// Requests returns the requests so far in order of arrival, those in flight too. It needs
// Config.Record. Bodies and headers are shared: don't change them.
func (s *Server) Requests() []Recorded {
	requests := s.Server.Requests()
	all := make([]Recorded, len(requests))
	for i, r := range requests {
		all[i].Recorded = r
		all[i].Found, _ = r.Note.(Found)
	}
	return all
}

func (s *Server) now() time.Time {
	if s.cfg.Now != nil {
		return s.cfg.Now()
	}
	return time.Now()
}
