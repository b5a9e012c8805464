package transcript

import "strings"

// Output returns what a call brought, without the frame that agents put around it: the
// lines of Codex before "Output:", the line with the exit code at either end.
func Output(result string) string {
	if strings.HasPrefix(result, "Chunk ID: ") || strings.HasPrefix(result, "Exit code: ") || strings.HasPrefix(result, "Wall time: ") ||
		scriptFrame(result) {
		head := result[:min(len(result), endBytes)]
		if i := strings.Index(head, "\nOutput:\n"); i >= 0 {
			return result[i+len("\nOutput:\n"):]
		}
		if strings.HasSuffix(head, "\nOutput:") {
			return ""
		}
	}
	if first, rest, _ := strings.Cut(result, "\n"); len(first) < maxFrame {
		if _, framed := exitCode(first, ""); framed {
			return rest
		}
	}
	trimmed := strings.TrimRight(result, " \n")
	if i := strings.LastIndexByte(trimmed, '\n') + 1; len(trimmed)-i < maxFrame {
		if _, framed := exitCode("", trimmed[i:]); framed {
			return trimmed[:i]
		}
	}
	return result
}

// scriptFrame reports whether a result begins as those of Codex's scripts do.
func scriptFrame(result string) bool {
	return strings.HasPrefix(result, "Script completed\n") || strings.HasPrefix(result, "Script failed\n") || strings.HasPrefix(result, "Script running with cell ID ")
}

// maxFrame bounds a line of a frame, in bytes.
const maxFrame = 100

// LastLine returns the last line of a text that is not empty.
func LastLine(text string) string {
	text = strings.TrimRight(text, " \t\r\n")
	return strings.TrimSpace(text[strings.LastIndexAny(text, "\r\n")+1:])
}

// Texts returns the arguments of a call that are texts, each on lines of its own.
func (c *Call) Texts() string {
	var b strings.Builder
	for i := range c.Args {
		if c.Args[i].Quoted {
			b.WriteString(c.Args[i].Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}
