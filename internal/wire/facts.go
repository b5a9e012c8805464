package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"

	"killick/cache"
	"killick/cache/shared"
)

// Replicas announce what they learned about upstreams: learning costs a refused request or an early
// compaction, which the others then avoid. They name clients and models by hashes keyed with the
// secret.

// The topics of facts.
const (
	windowTopic = "window"
	ratioTopic  = "ratio"
)

// announce sends other replicas a fact. It is nil without a shared store.
type announce func(who, topic string, value []byte)

func (a announce) fact(who, topic string, value []byte) {
	if a != nil {
		a(who, topic, value)
	}
}

func announceTo(s *shared.Store) announce {
	if s == nil {
		return nil
	}
	return s.Announce
}

// hashUnder returns a hash function for models' names, keyed with the secret.
func hashUnder(secret cache.Secret) func(model string) uint64 {
	key := secret.Key("names of models")
	return func(model string) uint64 {
		mac := hmac.New(sha256.New, key[:])
		mac.Write([]byte(model))
		return binary.LittleEndian.Uint64(mac.Sum(nil))
	}
}
