package stall

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestTimer(t *testing.T) {
	const limit = time.Minute
	for name, test := range map[string]struct {
		run  func(*Timer)
		want error // nil: the request goes on
	}{
		"no reply":    {func(s *Timer) { s.Arm(limit) }, ErrFirstByte},
		"a reply":     {func(s *Timer) { s.Arm(limit); s.SetReplied(true); s.Disarm() }, nil},
		"a long stop": {func(s *Timer) { s.SetReplied(true); s.Arm(limit) }, ErrIdle},
		"armed again": {func(s *Timer) {
			s.Arm(limit)
			time.Sleep(limit - 1)
			s.Arm(2 * limit)
			time.Sleep(limit + 1)
			s.Disarm()
		}, nil},
		"a body read on behind a reply": {func(s *Timer) {
			s.SetReplied(true)
			s.ArmForReply(limit)
		}, nil},
		"a body read on before it": {func(s *Timer) { s.ArmForReply(limit) }, ErrFirstByte},
		"a body read on at the end": {func(s *Timer) {
			s.Stop()
			s.ArmForReply(limit)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				test.run(&Timer{Cancel: cancel})
				time.Sleep(2 * limit)
				synctest.Wait()
				if got := context.Cause(ctx); !errors.Is(got, test.want) {
					t.Errorf("got %v, want %v", got, test.want)
				}
			})
		})
	}
}
