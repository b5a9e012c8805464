package transcript

import (
	"slices"
	"testing"

	"killick/internal/chattest"
	"killick/responses"
	"killick/view"
)

// A text member that is not a string is ignored.
func TestTextsThatAreNoStrings(t *testing.T) {
	body := `{"model":"m","store":false,"input":[` + chattest.Says("user", "Go on.") +
		`,{"type":"message","role":"assistant","content":[{"type":"output_text","text":{"a":1}},` +
		`{"type":"output_text","text":12345}]}]}`
	req, err := view.Parse(responses.Format, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	if last := ReadAll(req.Messages()).LastWords(0, 2); last != -1 {
		t.Errorf("message %d has words", last)
	}
}

// A command that goes on in a session ends as the call says that reads on in it.
func TestSessionsOfCommands(t *testing.T) {
	const frame = "Chunk ID: 1\nWall time: 1.0 seconds\nProcess "
	running, failed := frame+"running with session ID 7\nOutput:\nx", frame+
		"exited with code 1\nOutput:\nFAIL"
	type step struct{ tool, arguments, result string }
	test := func(result string) step { return step{"exec_command", `{"cmd":"make test"}`, result} }
	poll := func(arguments, result string) step { return step{"write_stdin", arguments, result} }
	for name, tc := range map[string]struct {
		steps []step
		open  []bool
	}{
		"failed in the end": {[]step{
			test(running),
			poll(`{"session_id":7}`, failed),
		}, []bool{false, true}},
		"after several calls": {[]step{
			test(running),
			poll(`{"session_id":7}`, running),
			poll(`{"session_id":7,"chars":""}`, failed),
		}, []bool{false, false, true}},
		"failed twice": {[]step{
			test(failed),
			test(running),
			poll(`{"session_id":7}`, failed),
		}, []bool{true, false, true}},
		"run again": {[]step{
			test(running),
			poll(`{"session_id":7}`, failed),
			test(frame + "exited with code 0\nOutput:\n"),
		}, []bool{false, false, false}},
		"of another session": {[]step{
			test(running),
			poll(`{"session_id":8}`, failed),
			test(running),
		}, []bool{false, true, false}},
		"something is written": {[]step{
			test(running),
			poll(`{"session_id":7,"chars":"y"}`, failed),
			test(running),
		}, []bool{false, true, false}},
		"of a tool with the name": {[]step{
			{"shell", `{"command":"make test"}`, "Process running with session ID 7"},
			poll(`{"session_id":7}`, failed),
		}, []bool{false, true}},
	} {
		var calls []Call
		for _, s := range tc.steps {
			calls = append(calls, calling(t, s.tool, s.arguments, s.result))
		}
		if open := Open(calls); !slices.Equal(open, tc.open) {
			t.Errorf("%s: %t, want %t", name, open, tc.open)
		}
	}
}
