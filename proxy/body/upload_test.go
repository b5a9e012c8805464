package body

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"killick/proxy/stall"
)

// An upload that is still read when the upstream has begun its reply does not start the time again
// in which the reply must begin.
func TestUploadsDoNotLimitTheReplyTheyAreReadBeside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		timer := stall.Timer{Cancel: cancel}
		defer timer.Stop()
		slow := readerFunc(func(p []byte) (int, error) {
			timer.SetReplied(true) // while the client's next bytes are waited for
			return strings.NewReader("more").Read(p)
		})
		upload := &Upload{Stall: &timer, FirstByte: time.Minute, ReadCloser: io.NopCloser(slow)}
		if _, err := upload.Read(make([]byte, 8)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		if ctx.Err() != nil {
			t.Errorf("the request ended: %v", context.Cause(ctx))
		}
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
