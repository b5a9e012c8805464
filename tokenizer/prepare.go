package tokenizer

import (
	"errors"
	"log/slog"
	"sync"

	"killick/tokenizer/bpe"
)

// mustLoad loads one of the encodings that this package names; they are embedded.
func mustLoad(name string) *bpe.Encoding {
	e, err := bpe.Load(name)
	if err != nil {
		panic(err)
	}
	return e
}

// Prepare builds and checks the encodings of models, each once per process, and returns when that
// is done (see [bpe.Prepare]). The error reports encodings that fail their check. They still count
// correctly, but slowly.
func Prepare(models ...string) error {
	var errs []error
	for _, model := range models {
		name, _ := encodingFor(model)
		errs = append(errs, bpe.Prepare(name))
	}
	return errors.Join(errs...)
}

// Warm prepares the encoding of a model in the background. It returns immediately; the channel is
// closed when that is done. A failed check is logged.
func Warm(model string) <-chan struct{} {
	name, _ := encodingFor(model)
	w, _ := warming.LoadOrStore(name, sync.OnceValue(func() <-chan struct{} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			if err := bpe.Prepare(name); err != nil {
				slog.Error("token counter failed its self-check", "encoding", name, "error", err)
			}
		}()
		return done
	}))
	return w.(func() <-chan struct{})()
}

// warming has the preparations that Warm has started, by the name of the encoding.
var warming sync.Map
