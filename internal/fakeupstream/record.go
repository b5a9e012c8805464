package fakeupstream

import (
	"net/http"
	"time"

	"killick/chat"
)

// Recorded is one request as it arrived, and what came of it. While Done and
// Broken are unset it is still being answered.
type Recorded struct {
	N       int // as Config.Fault counts
	Arrived time.Time
	Method  string
	Path    string // as on the wire, escapes included
	Query   string // without the question mark
	Header  http.Header
	Body    []byte // as it came, content encoding included

	Status int        // 0 if nothing was answered
	Usage  chat.Usage // zero but for chat requests that were accepted
	Ended  time.Time
	Done   bool // answered to the end
	Broken bool // ended before: the client left, or a fault cut it
}

// Requests returns the requests so far in order of arrival, those in flight
// too. It needs Config.Record. Bodies and headers are shared: don't change them.
func (s *Server) Requests() []Recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Recorded, len(s.records))
	for i, r := range s.records {
		all[i] = *r
	}
	return all
}

// keep records the arrival of a request. Without Config.Record the record
// lives as long as the request.
func (s *Server) keep(x *exchange) *Recorded {
	record := &Recorded{
		N: x.n, Arrived: time.Now(), Method: x.r.Method,
		Path: x.r.URL.EscapedPath(), Query: x.r.URL.RawQuery, Header: x.r.Header.Clone(),
		Body: x.body,
	}
	if s.cfg.Record {
		s.mu.Lock()
		s.records = append(s.records, record)
		s.mu.Unlock()
	}
	return record
}

// setUsage records what the request cost.
func (x *exchange) setUsage(u chat.Usage) {
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	x.record.Usage = u
}

// end records how the answer ended.
func (x *exchange) end() {
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	x.record.Status, x.record.Ended = x.status, time.Now()
	x.record.Done, x.record.Broken = x.done, !x.done
}
