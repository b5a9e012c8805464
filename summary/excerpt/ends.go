package excerpt

import "strings"

// BothEnds joins two ends of a text with a mark between them.
func BothEnds(first, mark, last string) string {
	return strings.TrimSpace(strings.TrimRight(first, " ") + mark + strings.TrimLeft(last, " "))
}

// ShorterEnds returns both ends of a text in about n bytes. The mark of an earlier cut stays, since
// it may count all lines.
func ShorterEnds(output string, n int) string {
	if len(output) <= n {
		return output
	}
	first, last, mark := output, output, Gap
	if at := strings.Index(output, "[…"); at >= 0 {
		after := at + strings.IndexByte(output[at:], ']') + 1
		first, last, mark = output[:at], output[after:], " "+output[at:after]+" "
	}
	each := max(0, n-len(mark)) / 2
	return BothEnds(FirstWords(first, each), mark, LastWords(last, each))
}
