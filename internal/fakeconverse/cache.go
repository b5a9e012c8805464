package fakeconverse

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
)

// maxPoints is how many cache points a request may have, and lookBack how many blocks before a
// point are searched for what was written.
const (
	maxPoints = 4
	lookBack  = 20
)

// element is what the cache sees of a tool, an instruction or a block of a message: its text, or a
// point.
type element struct {
	text  string
	point *Point
	first bool // of a list, where no point may be
}

// elements returns the prompt in its order.
func (r *Request) elements() (all []element) {
	if r.ToolConfig != nil {
		for i, tool := range r.ToolConfig.Tools {
			all = append(all, element{string(tool.raw), tool.Point, i == 0})
		}
	}
	var system []struct {
		Point *Point `json:"cachePoint"`
	}
	var texts []json.RawMessage
	_ = json.Unmarshal(r.System, &system) // without any, there are none
	_ = json.Unmarshal(r.System, &texts)
	for i := range texts {
		all = append(all, element{string(texts[i]), system[i].Point, i == 0})
	}
	for i := range r.Messages {
		for k := range r.Messages[i].Content {
			b := &r.Messages[i].Content[k]
			all = append(all, element{r.Messages[i].Role + string(b.raw), b.Point, k == 0})
		}
	}
	return all
}

// checkPoints returns the message of a refusal because of cache points.
func (r *Request) checkPoints() string {
	points, short := 0, false
	for _, e := range r.elements() {
		if e.point == nil {
			continue
		}
		switch points++; {
		case e.first:
			return "The cachePoint block cannot be the first block of a list."
		case e.point.Type != "default" || e.point.TTL != "" && e.point.TTL != "5m" &&
			e.point.TTL != "1h":
			return "The format of a cachePoint is invalid."
		case e.point.TTL == "1h" && short:
			return "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control " +
				"block."
		}
		short = short || e.point.TTL != "1h"
	}
	if points > maxPoints {
		return fmt.Sprintf("A maximum of %d blocks with cache_control may be provided. Found %d.",
			maxPoints, points)
	}
	return ""
}

// bytesAToken is how many bytes of the prompt are one token.
const bytesAToken = 4

// usage returns what a request costs, and writes the cache.
func (s *Server) usage(r *Request) Usage {
	var u Usage
	var hash maphash.Hash
	hash.SetSeed(s.seed)
	size, read, written := 0, 0, 0
	var sums, points []uint64 // after each block; at cache points
	var sizes []int
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range r.elements() {
		if e.point == nil {
			_, _ = hash.WriteString(e.text + "\x00")
			size += len(e.text)
			sums, sizes = append(sums, hash.Sum64()), append(sizes, size)
			continue
		}
		for i := len(sums) - 1; i >= max(0, len(sums)-lookBack); i-- {
			if s.cached[sums[i]] {
				read = max(read, sizes[i])
				break
			}
		}
		points, written = append(points, hash.Sum64()), size
	}
	for _, sum := range points {
		s.cached[sum] = true
	}
	for i := range sums { // what a cache of any prefix would have read
		if s.seen[sums[i]] {
			u.ByPrefix = sizes[i] / bytesAToken
		}
		s.seen[sums[i]] = true
	}
	u.CacheRead = read / bytesAToken
	u.CacheWrite = max(written-read, 0) / bytesAToken
	u.Input = size/bytesAToken - u.CacheRead - u.CacheWrite
	return u
}
