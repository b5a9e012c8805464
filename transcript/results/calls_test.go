package results_test

import (
	"testing"

	"killick/internal/chattest"
	"killick/transcript"
	"killick/transcript/results"
)

type Status = results.Status

const (
	Unknown = results.Unknown
	OK      = results.OK
	Failed  = results.Failed
	Refused = results.Refused
)

func calling(t testing.TB, tool, arguments, result string, members ...string) transcript.Call {
	t.Helper()
	return transcript.ReadAll(chattest.Called(t, tool, arguments, result, members...)).Calls[0]
}
