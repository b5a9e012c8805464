package compactor

import "strings"

// staleness says why an output is worth less than its tokens.
type staleness byte

const (
	fresh      staleness = iota // nothing speaks against it
	superseded                  // the same call was made again later, or the file read was written or read again since
	retried                     // it failed, and the same was done later with success
)

// judge returns, for each call, whether its output is stale by the end of the
// calls given, and whether it is an error that nothing has resolved since. It
// walks the calls once, from the last to the first.
func judge(calls []call) (stale []staleness, unresolved []bool) {
	stale = make([]staleness, len(calls))
	unresolved = make([]bool, len(calls))
	again := map[string]bool{}     // the same call, later
	succeeded := map[string]bool{} // by target, later
	touched := map[string]bool{}   // files read whole or written later
	for i := len(calls) - 1; i >= 0; i-- {
		c := &calls[i]
		target := c.target()
		switch {
		case c.failed && succeeded[target]:
			stale[i] = retried
		case c.failed:
			unresolved[i] = true
		case again[c.key()] || c.kind == callReads && len(c.paths) == 1 && touched[c.paths[0]]:
			stale[i] = superseded
		}
		again[c.key()] = true
		if !c.failed {
			succeeded[target] = true
			if c.kind == callWrites || c.kind == callReads && c.whole {
				for _, p := range c.paths {
					touched[p] = true
				}
			}
		}
	}
	return stale, unresolved
}

// target is what a call works on: a later success on the same target resolves
// an earlier failure. Of a command it is the first two words, so that a test
// run with another filter resolves the run that failed.
func (c *call) target() string {
	switch {
	case len(c.paths) > 0:
		return c.name + "\x00" + c.paths[0]
	case c.command != "":
		return c.name + "\x00" + commandHead(c.command)
	}
	return c.key()
}

// commandHead returns the first two words of a command, behind leading "cd …
// &&".
func commandHead(command string) string {
	for strings.HasPrefix(command, "cd ") {
		_, rest, ok := strings.Cut(command, "&&")
		if !ok {
			break
		}
		command = strings.TrimSpace(rest)
	}
	first, rest, _ := strings.Cut(command, " ")
	second, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	return first + " " + second
}
