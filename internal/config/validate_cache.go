package config

import (
	"path/filepath"
	"strings"
	"time"

	"killick/cache"
)

func (l *loader) validateCache() {
	c := &l.Cache
	if c.TTL > 0 && c.TTL < time.Minute {
		l.invalid("cache.ttl", "%s is too short to be of use; write 168h or the like, at least 1m",
			c.TTL)
	}
	if c.MaxSize < cache.MinMaxBytes {
		l.invalid("cache.max_size", "%s is too small for a store; write %s or more",
			c.MaxSize, Size(cache.MinMaxBytes))
	}
	if c.InMemory {
		return
	}
	if strings.TrimSpace(c.Dir) == "" {
		l.invalid("cache.dir", "is empty; write a directory, or set cache.in_memory")
		return
	}
	if Inside(c.Dir, c.SecretPath()) {
		l.invalid("cache.secret_file",
			"%s lies in cache.dir (%s); a copy of the store must not carry its secret, put it "+
				"elsewhere", c.SecretPath(), c.Dir)
	}
	if c.EncryptionKeyFile == "" {
		return
	}
	if Inside(c.Dir, c.EncryptionKeyFile) {
		l.invalid("cache.encryption_key_file",
			"%s lies in cache.dir (%s); a copy of the store must not carry its key, put it "+
				"elsewhere", c.EncryptionKeyFile, c.Dir)
	} else if _, err := cache.LoadKey(c.EncryptionKeyFile); err != nil {
		l.invalid("cache.encryption_key_file", "%v", err)
	}
}

// Inside reports whether a path lies in a directory, or is it.
func Inside(dir, path string) bool {
	dir, err1 := filepath.Abs(dir)
	path, err2 := filepath.Abs(path)
	if err1 != nil || err2 != nil {
		return false // no working directory: the store will say so
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
