package load

import (
	"math"
	"os"
	"strings"
	"time"

	"killick/cache"
	"killick/cache/shared"
	"killick/internal/config"
	"killick/internal/fields"
	"killick/proxy/keepalive"
)

func (l *loader) validateCache() {
	c := &l.Cache
	if c.TTL > 0 && c.TTL < time.Minute {
		l.Invalid("cache.ttl", "%s is too short to be of use; write 168h or the like, at least 1m",
			c.TTL)
	}
	if c.MaxSize < cache.MinMaxBytes {
		l.Invalid("cache.max_size", "%s is too small for a store; write %s or more",
			c.MaxSize, config.Size(cache.MinMaxBytes))
	}
	l.validateShared()
	if c.InMemory {
		if c.URL == "" && (c.EncryptionKeyFile != "" || c.SecretFile != "") {
			l.Warn("cache.in_memory", "keeps the store and its secret in memory, so "+
				"cache.encryption_key_file and secret_file are not used")
		}
		return
	}
	if strings.TrimSpace(c.Dir) == "" {
		l.Invalid("cache.dir", "is empty; write a directory, or set cache.in_memory")
		return
	}
	l.mayBeDirectory("cache.dir", c.Dir)
	if config.Inside(c.Dir, c.SecretPath()) {
		l.Invalid("cache.secret_file",
			"%s is inside cache.dir (%s); a copy of the store must not contain its secret, put it "+
				"elsewhere", c.SecretPath(), c.Dir)
	}
	if info, err := os.Stat(c.SecretPath()); err == nil && !info.Mode().IsRegular() {
		l.Invalid("cache.secret_file", "%s is not a file; write another path", c.SecretPath())
	}
	if c.EncryptionKeyFile == "" {
		return
	}
	if config.Inside(c.Dir, c.EncryptionKeyFile) {
		l.Invalid("cache.encryption_key_file",
			"%s is inside cache.dir (%s); a copy of the store must not contain its key, put it "+
				"elsewhere", c.EncryptionKeyFile, c.Dir)
	} else if _, err := cache.LoadKey(c.EncryptionKeyFile); err != nil {
		l.Invalid("cache.encryption_key_file", "%v", err)
	}
}

// longestWait is longer than a request should wait for a store that only saves work.
const longestWait = time.Second

// validateShared checks the settings of the shared store.
func (l *loader) validateShared() {
	c := &l.Cache
	if c.URL == "" {
		if c.Password != "" || c.CAFile != "" || c.CertFile != "" || c.KeyFile != "" {
			l.Warn("cache.url", "is empty, so cache.password, ca_file, cert_file and key_file are "+
				"not used; write a URL such as %s", shared.Example)
		}
		return
	}
	if err := shared.CheckAddress(string(c.URL)); err != nil {
		l.Invalid("cache.url", "%v", err)
	}
	switch {
	case c.Timeout <= 0:
		l.Invalid("cache.timeout", "%s leaves the shared store no time to answer; write %s or "+
			"the like", c.Timeout, shared.DefaultTimeout)
	case c.Timeout > longestWait:
		l.Warn("cache.timeout", "requests wait for %s if the shared store is slow; they are "+
			"compacted without it too, so %s is enough", c.Timeout, shared.DefaultTimeout)
	}
	config, key, err := c.ClientTLS()
	if err != nil {
		l.Invalid(fields.Join("cache", key), "%v", err)
	}
	if config != nil && !strings.HasPrefix(string(c.URL), "rediss://") {
		l.Warn("cache.url", "does not begin with rediss://, so cache.ca_file, cert_file and "+
			"key_file are not used")
	}
	if c.InMemory && c.EncryptionKeyFile != "" {
		if _, err := cache.LoadKey(c.EncryptionKeyFile); err != nil {
			l.Invalid("cache.encryption_key_file", "%v", err)
		}
	}
}

// maxKeepAlives is more than pays off at any price: docs/design.md, "Keeping caches alive".
const maxKeepAlives = 20

// validateCacheKeepAlive checks the limits of keeping prompt caches alive.
func (l *loader) validateCacheKeepAlive() {
	k := &l.CacheKeepAlive
	if k.MaxRequests < 1 || k.MaxRequests > maxKeepAlives {
		l.Invalid("cache_keepalive.max_requests", "%d is not between 1 and %d; for none at all, "+
			"leave cache_keepalive.enabled out", k.MaxRequests, maxKeepAlives)
	}
	if k.MaxSpend <= 0 || math.IsInf(k.MaxSpend, 0) {
		l.Invalid("cache_keepalive.max_spend", "%v is not an amount to spend within an hour; "+
			"write US dollars, such as %v", k.MaxSpend, keepalive.DefaultMaxSpend)
	}
	if k.MaxHeld < minHeldBytes {
		l.Invalid("cache_keepalive.max_held", "%s holds hardly a request; write %s or more",
			k.MaxHeld, config.Size(minHeldBytes))
	}
	if k.Enabled && l.Compaction.Mode != config.ModeOn && !l.anyModelOn() {
		l.Warn("cache_keepalive.enabled", "no cache is kept alive while compaction.mode is %s",
			l.Compaction.Mode)
	}
}

const minHeldBytes = 1 << 20

// anyModelOn reports whether some model has mode on of its own.
func (l *loader) anyModelOn() bool {
	for _, m := range l.Models {
		if m.Mode == config.ModeOn {
			return true
		}
	}
	return false
}
