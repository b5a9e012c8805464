package groundcheck

import "regexp"

// The lines that OpenHands writes behind an output, above all that of a command that goes on, and
// of one that it did not run because another one goes on.
var (
	stateLine = regexp.MustCompile(`^\[(?:The command (?:completed with exit code|has no new ` +
		`output after|timed out after)|Current working directory:|Python interpreter:|Command ` +
		`finished with exit code|Your command) .*\]$`)
	heldUp = regexp.MustCompile(`(?:^|\n)\[Your command "[^\n]*" is NOT executed\. [^\n]*\]$`)
	goesOn = regexp.MustCompile(`(?:^|\n)\[The command (?:has no new output|timed out) after ` +
		`[^\n]*\]$`)
)

// heldUpByHands returns how a call ended whose result ends with such a line.
func heldUpByHands(text string) (o outcome, ok bool) {
	switch {
	case heldUp.MatchString(text):
		return outcome{failed: true}, true
	case goesOn.MatchString(text):
		return outcome{doubtful: true}, true
	}
	return outcome{}, false
}
