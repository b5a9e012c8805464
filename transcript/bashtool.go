package transcript

import (
	"strings"

	"killick/rawjson"
)

// printFrame is what Vercel's bash-tool (1.3.19) for the AI SDK answers to a command: an object
// with what the command printed and its exit code.
var printFrame = &frame{tools: set("bash"), bare: true, always: true, argument: "command"}

var printMembers = set("stdout", "stderr", "exitCode", "teeFiles")

// readPrint reads that object, with what went to stderr behind the rest.
func readPrint(result string) (output string, code int, ok bool) {
	object := rawjson.Value(strings.TrimSpace(result))
	if object.Kind() != rawjson.Object || !onlyHas(object, printMembers) {
		return "", 0, false
	}
	stdout, stderr := object.Get("stdout"), object.Get("stderr")
	code, ok = number(string(object.Get("exitCode")))
	if !ok || stdout.Kind() != rawjson.String || stderr.Kind() != rawjson.String {
		return "", 0, false
	}
	output = stdout.Text()
	if errors := stderr.Text(); errors != "" {
		output = strings.TrimRight(output, "\n") + "\n" + errors
	}
	return output, code, true
}
