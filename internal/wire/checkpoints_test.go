package wire

import (
	"bytes"
	"errors"
	"testing"

	"killick/cache"
	"killick/compactor/checkpoint"
	"killick/proxy/stored"
)

// One store may serve several upstreams. What was sent to one is invisible to clients of another,
// even under the same API key.
func TestOutputsBelongToAnUpstream(t *testing.T) {
	secret := cache.NewSecret()
	store, err := cache.Open(cache.Options{InMemory: true, Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	here := originals{ownStore{store}, secret, "http://here/v1"}
	there := originals{ownStore{store}, secret, "http://there/v1"}
	conv := (&checkpoints{originals: here}).Conversation("who", nil, nil)
	content := []byte("what was said here")
	ref := conv.Ref(content)
	if err := conv.Keep(t.Context(),
		[]checkpoint.Original{{Ref: ref, Content: content}}); err != nil {
		t.Fatal(err)
	}
	if got, err := here.Original(t.Context(), "who", ref); err != nil ||
		!bytes.Equal(got, content) {
		t.Errorf("here: got %q, %v", got, err)
	}
	if got, err := there.Original(t.Context(), "who", ref); !errors.Is(err, stored.ErrNoOriginal) {
		t.Errorf("there: got %q, %v", got, err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := here.Original(t.Context(), "who", ref); err == nil ||
		errors.Is(err, stored.ErrNoOriginal) {
		t.Errorf("of a closed store: got %v, want a failure that is not an answer", err)
	}
}
