package conversation

import (
	"fmt"
	"strings"
	"testing"
)

func TestExitCodes(t *testing.T) {
	for text, want := range map[string]string{
		"Exit code 2\nno such file":                                                "2",
		"Chunk ID: 1\nWall time: 1\nProcess exited with code 3\nOutput:\nx":        "3",
		"Chunk ID: 1\nOutput:\nProcess exited with code 3\n":                       "none",
		"out\n\nCommand exited with code 4":                                        "4",
		"out\n<exited with exit code 5>":                                           "5",
		`{"output":"x","metadata":{"exit_code":6}}`:                                "6",
		`{"exit_code":0}`:                                                          "none",
		"Output: x\nExit Code: 7\nSignal: 0":                                       "7",
		"the program said: exit code 8":                                            "none",
		"Command exited with code 9\nis what the log says\nand more\nand yet more": "none",
	} {
		got := "none"
		if code, _, ok := exitCode(strings.TrimSpace(text)); ok {
			got = fmt.Sprint(code)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A script may print what a client writes around the result of a failed call.
func TestScriptsThatPrintFailures(t *testing.T) {
	for _, printed := range []string{
		"<tool_use_error>x</tool_use_error>", `Error: x\n Please fix your mistakes.`,
	} {
		c, err := Read([]byte(`{"messages":[{"role":"user","content":"a"},{"role":"assistant",` +
			`"tool_calls":[{"id":"1","type":"function","function":{"name":"exec","arguments":` +
			`"{\"input\":\"text(await tools.exec_command({cmd: \\\"ls\\\"}))\"}"}}]},` +
			`{"role":"tool","tool_call_id":"1","content":"` + printed + `"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if k := c.Calls[0]; !k.Script || !k.Ended().Unsure() {
			t.Errorf("%s: a script %t, %+v", printed, k.Script, k.Ended())
		}
	}
}
