package fakeserver

import (
	"net/http"
	"time"
)

// Recorded is one request as it arrived, and its outcome. While Done and Broken are unset it is
// still being answered.
type Recorded struct {
	N       int // as Config.Fault counts
	Arrived time.Time
	Method  string
	Path    string // as on the wire, escapes included
	Query   string // without the question mark
	Header  http.Header
	Body    []byte // as received, content encoding included

	Status int // 0 if nothing was answered
	Note   any // what the handler noted, nil if nothing
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
func (s *Server) keep(x *Exchange) *Recorded {
	r := x.Request
	record := &Recorded{
		N: x.N, Arrived: time.Now(), Method: r.Method, Path: r.URL.EscapedPath(),
		Query: r.URL.RawQuery, Header: r.Header.Clone(), Body: x.Body,
	}
	if s.cfg.Record {
		s.mu.Lock()
		s.records = append(s.records, record)
		s.mu.Unlock()
	}
	return record
}

// Note records what the handler found out about the request.
func (x *Exchange) Note(note any) {
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	x.record.Note = note
}

// end records how the answer ended.
func (x *Exchange) end() {
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	x.record.Status, x.record.Ended = x.status, time.Now()
	x.record.Done, x.record.Broken = x.done, !x.done
}
