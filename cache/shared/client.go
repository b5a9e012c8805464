package shared

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"killick/cache"
)

// DefaultTimeout is how long a request waits for the shared store in total by default.
const DefaultTimeout = 20 * time.Millisecond

// Options configure the connection to the shared store.
type Options struct {
	URL      string        // see [CheckAddress]
	Password string        // if not empty, instead of the URL's
	TLS      *tls.Config   // CAs and certificate, for rediss; if nil, the system's
	Timeout  time.Duration // how long a request waits in total; if zero, DefaultTimeout

	// EncryptionKey is the operator's; if empty, values are encrypted with the secret alone.
	EncryptionKey []byte

	Logger *slog.Logger // if nil, nothing is logged
}

// Client connects to the shared store, and tracks whether it is up. It is safe for concurrent use.
type Client struct {
	redis         redis.UniversalClient
	timeout       time.Duration // of requests
	longTimeout   time.Duration // of background work, and of reads of originals
	encryptionKey []byte
	maxRecord     int64 // bytes of a value that are read
	log           *slog.Logger
	health        health
	count         counters
	asking        sync.WaitGroup // for requests
}

// minLongTimeout is how long background work and reads of originals wait for the shared store,
// unless requests wait longer.
const minLongTimeout = 2 * time.Second

// Dial returns a client. It does not wait for a connection: see [Client.Agree].
func Dial(o Options) (*Client, error) {
	at, err := address(o.URL)
	if err != nil {
		return nil, fmt.Errorf("the address of the shared store %w", err)
	}
	if o.Password != "" {
		at.Password = o.Password
	}
	if at.TLSConfig != nil && o.TLS != nil {
		name := at.TLSConfig.ServerName
		at.TLSConfig = o.TLS.Clone()
		at.TLSConfig.ServerName = name
	}
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	setLogger(o.Logger)
	at.ClientName, at.DisableIdentity = "killick", true
	at.ContextTimeoutEnabled = true
	at.MaxRetries, at.DialerRetries = -1, 1 // callers have no time for a second attempt
	longTimeout := max(minLongTimeout, o.Timeout)
	at.DialTimeout, at.ReadTimeout, at.WriteTimeout = longTimeout, longTimeout, longTimeout
	at.PipelinePoolSize = -1
	at.MinIdleConns = idleConnections
	at.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	c := &Client{timeout: o.Timeout, longTimeout: longTimeout, encryptionKey: o.EncryptionKey,
		maxRecord: maxRecordBytes, log: o.Logger,
		redis: redis.NewUniversalClient(at)}
	c.redis.AddHook(hook{&c.count})
	c.health.init()
	return c, nil
}

// idleConnections are kept open, so that no request waits for a handshake.
const idleConnections = 4

// maxTrips is the maximum number of round trips of a request.
const maxTrips = 3

// Close closes all connections, and waits for their users.
func (c *Client) Close() error {
	err := c.redis.Close()
	c.asking.Wait()
	return err
}

// logger forwards the library's log to ours. It contains addresses and states, no values.
type logger struct{ log *slog.Logger }

var loggerSet sync.Once

// setLogger sets the library's logger. There is one per process, which its goroutines read at any
// time: that of the first client stays.
func setLogger(log *slog.Logger) { loggerSet.Do(func() { redis.SetLogger(logger{log}) }) }

// Printf implements the logger of the library.
func (l logger) Printf(_ context.Context, format string, v ...any) {
	l.log.Debug("shared store", "library", fmt.Sprintf(format, v...))
}

// maxRecordBytes is the maximum length read of a record. Ours are shorter; values of other writers
// could exhaust the memory.
const maxRecordBytes = cache.MaxValueBytes + 1<<10
