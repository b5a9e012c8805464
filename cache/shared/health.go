package shared

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/redis/go-redis/v9"
)

// health is whether the shared store is used. After several time-outs in a row, or one connection
// error, it is not used until it answers again.
type health struct {
	up       atomic.Bool
	full     atomic.Bool   // it refuses writes
	cause    atomic.Value  // string: the cause that was logged last
	timeouts atomic.Int32  // in a row
	changed  chan struct{} // wakes reconnect
	returned chan struct{} // wakes those who wait for the store
	emptied  chan struct{} // wakes the goroutine that restores what replicas agreed on
}

// maxTimeouts is after how many time-outs in a row the store counts as down: a single one may be a
// pause of either side.
const maxTimeouts = 3

func (h *health) init() {
	h.changed, h.returned = make(chan struct{}, 1), make(chan struct{}, 1)
	h.emptied = make(chan struct{}, 1)
}

func (h *health) isUp() bool { return h.up.Load() }

// set updates a flag, and reports whether it changed.
func (h *health) set(up bool) bool {
	h.timeouts.Store(0)
	if h.up.Swap(up) == up {
		return false
	}
	if up {
		wake(h.returned)
	} else {
		wake(h.changed)
	}
	return true
}

// lost records that something has disappeared: the store may have lost everything.
func (h *health) lost() { wake(h.emptied) }

func wake(who chan struct{}) {
	select {
	case who <- struct{}{}:
	default:
	}
}

// outcome is the outcome of a command.
type outcome int

const (
	answered outcome = iota
	full             // the store refuses all writes for now
	refused          // the store rejected the command
	late             // no answer in time
	broken           // no connection
)

// kindOf returns the outcome of a command that returned err.
func kindOf(err error) outcome {
	var server redis.Error
	var network net.Error
	switch {
	case err == nil, errors.Is(err, redis.Nil), errors.Is(err, errSeal):
		return answered
	case errors.As(err, &server):
		switch message := server.Error(); {
		case hasCode(message, unusable):
			return broken
		case hasCode(message, unwritable):
			return full
		}
		return refused
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout(),
		errors.Is(err, redis.ErrPoolTimeout):
		return late
	}
	return broken
}

// Error codes of a server that cannot be used for now, such as one that became a replica.
var unusable = []string{"LOADING", "MASTERDOWN", "CLUSTERDOWN", "NOAUTH", "WRONGPASS", "NOPERM",
	"BUSY", "READONLY"}

// Error codes of a server that is read-only for now.
var unwritable = []string{"OOM", "MISCONF", "NOREPLICAS", "TRYAGAIN"}

// hasCode reports whether a server's message begins with one of the codes.
func hasCode(message string, codes []string) bool {
	code, _, _ := strings.Cut(message, " ")
	return slices.Contains(codes, code)
}

// describe returns an error for the log. A server's message is cut to its code, and what to do
// about it: the rest may quote what was sent.
func describe(err error) string {
	var server redis.Error
	if errors.As(err, &server) {
		code, _, _ := strings.Cut(server.Error(), " ")
		for _, r := range remedies {
			if strings.HasPrefix(server.Error(), r.message) {
				return "it answered " + code + ": " + r.remedy
			}
		}
		return "it answered " + code
	}
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	case strings.HasPrefix(err.Error(), "redis: invalid reply"):
		return "it does not answer in Redis' protocol; correct cache.url"
	case errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		return "it closed the connection: it stopped, has as many as its maxclients allows, or " +
			"speaks TLS (rediss://) where cache.url has redis://"
	}
	return err.Error()
}

// remedies are what to do about an answer, by how a server's message begins.
var remedies = []struct{ message, remedy string }{
	{"NOAUTH", "it requires a password; set cache.password"},
	{"WRONGPASS", "it rejects this user and password; correct cache.url or cache.password"},
	{"ERR AUTH ", "it has no password; remove cache.password, and the one in cache.url"},
	{"READONLY", "it is a replica of another server; set cache.url to the one that accepts writes"},
	{"NOPERM", "its user lacks rights; docs/reliability.md lists those that replicas need"},
	{"ERR max number of clients", "it has no connection left; raise its maxclients"},
	{"ERR DB index", "it has no database with this number; correct the end of cache.url"},
	{"ERR This instance has cluster support disabled",
		"it is not a cluster; remove cluster and addr from cache.url"},
}
