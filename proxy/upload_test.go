package proxy

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// An upload that is still read when the upstream has begun its reply does not start the time again
// in which the reply must begin.
func TestUploadsDoNotLimitTheReplyTheyAreReadBeside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		x := &exchange{proxy: &Proxy{opt: Options{Timeouts: DefaultTimeouts()}}}
		x.stall.Cancel = cancel
		defer x.stall.Stop()
		upload := &clientBody{ReadCloser: io.NopCloser(readerFunc(func(p []byte) (int, error) {
			x.stall.SetReplied(true) // while the client's next bytes are waited for
			return strings.NewReader("more").Read(p)
		})), x: x}
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
