package conversation

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// The frames in which clients report the exit code: before the output, or after it.
var (
	exitBefore = regexp.MustCompile(`^(?:Exit code|Exit code:|Process exited with code|exit:|` +
		`\[Command exited with code) (-?\d+)(?:\]|` +
		` \[truncated: showing first/last .* full output at: .*\])?$`)
	exitOf = regexp.MustCompile(
		`^(?:Error executing tool Bash: )?Error \(exit code (-?\d+)\): `,
	)
	exitAfter = regexp.MustCompile(`^(?:\(?Command exited with code |\(exit code |<exited with ` +
		`exit code |<(?:detached command with )?shellId: [^ ]+ completed with exit code |` +
		`<exit_code>|\[Command finished with exit code |\[exit code: |` +
		`\[Command exited with code |Exit Code: )(-?\d+)(?:\)|>|\]|</exit_code>)?$`)
	frameLine = regexp.MustCompile(`^(?:Wall time:? |Chunk ID: |Original token count: |Process ` +
		`exited with code |Process running with session ID |Exit code: |Script ` +
		`(?:completed|failed|running))`)
	editorLine = regexp.MustCompile(`^\((?:Open file|Current directory|Interactive session): `)
	// What clients append after the frame.
	added = regexp.MustCompile(`(?s)\n(?:\n(?:Note: this foreground command ran for |AI ` +
		`attribution note skipped: )|<(?:sandbox is active |this failure may be caused by the ` +
		`active sandbox policy\.|This command was retried outside the Copilot sandbox )).*$`)
	// The client ended the command: at the beginning, or after an empty line at the end.
	endedFirst = regexp.MustCompile(`^(?:exit: killed \([^\n]*(?:\n|$)|Command timed out$|` +
		`Command (?:timed out after |was cancelled by user ` +
		`before it could complete\.|was automatically cancelled because )[^\n]*(?:\n|$)|` +
		`Wall time: [\d.]+ seconds\naborted by user$|aborted by user after [\d.]+s$)`)
	endedLast = regexp.MustCompile(`(?:^|\n\n)(?:Command aborted|Command timed out after ` +
		`[\d.]+ seconds|Command terminated without an exit code|\[Command timed out after ` +
		`[\d.]+ seconds of no output\])$|<shell_metadata>\n[^<]*</shell_metadata>$|` +
		// OpenClaw's, with advice after it
		`(?s:(?:^|\n\n)(?:Command timed out[^\n]*\n\nThe command was terminated, .*|` +
		`Command aborted (?:by signal [^\n]*(?:\n\nOpenClaw selected .*)?|` +
		`before exit code was captured))$)`)
	// OpenClaw's words for the exit codes 127 and 126.
	notRun = regexp.MustCompile(
		`(?:^|\n\n)Command not (found|executable \(permission denied\))$`,
	)

	toolFailed = regexp.MustCompile(`^[a-z_]+ (?:verification )?failed: `)
)

// exitCode reads the exit code from the frame around an output. before is set if it is the first
// line or those before the output.
func exitCode(text string) (code int, before, ok bool) {
	lines := strings.Split(added.ReplaceAllString(text, ""), "\n")
	if code, ok := stated(exitBefore, lines[0]); ok {
		return code, true, true
	}
	if found := exitOf.FindStringSubmatch(lines[0]); found != nil {
		code, err := strconv.Atoi(found[1])
		return code, true, err == nil
	}
	if frameLine.MatchString(lines[0]) {
		for _, l := range lines[:min(len(lines), 8)] {
			if strings.TrimSpace(l) == "Output:" {
				break
			}
			if code, ok := stated(exitBefore, l); ok {
				return code, true, true
			}
		}
	}
	for i := len(lines) - 1; i >= 0 && i >= len(lines)-3; i-- {
		l := strings.TrimSpace(lines[i])
		if strings.HasPrefix(l, "Exit Code: ") || i == len(lines)-1 {
			if code, ok := stated(exitAfter, l); ok {
				return code, false, true
			}
		}
	}
	if strings.HasPrefix(text, `{"output":`) { // earlier versions of Codex
		code, ok = exitMember(text)
	}
	return code, false, ok
}

// exitMember reads the exit code from a JSON result.
func exitMember(text string) (int, bool) {
	if !strings.HasPrefix(text, "{") {
		return 0, false
	}
	type codes struct {
		A *json.Number `json:"exit_code"`
		B *json.Number `json:"exitCode"`
		C *json.Number `json:"returncode"`
	}
	var top codes
	var below struct{ Metadata codes }
	_, _ = json.Unmarshal([]byte(text), &top), json.Unmarshal([]byte(text), &below)
	for _, n := range []*json.Number{top.A, top.B, top.C, below.Metadata.A, below.Metadata.B,
		below.Metadata.C} {
		if n != nil {
			if code, err := strconv.Atoi(n.String()); err == nil {
				return code, true
			}
		}
	}
	return 0, false
}

func stated(form *regexp.Regexp, line string) (int, bool) {
	found := form.FindStringSubmatch(strings.TrimSpace(line))
	if found == nil {
		return 0, false
	}
	code, err := strconv.Atoi(found[1])
	return code, err == nil
}
