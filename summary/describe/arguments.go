package describe

import (
	"slices"
	"strings"

	"killick/rawjson"
	"killick/summary/excerpt"
	"killick/transcript"
)

// MaxArguments limits what is shown of the arguments of a call, in bytes.
const MaxArguments = 240

// telling returns the call with those of its arguments that say what it does, and with lists of
// numbers as one argument each.
func telling(c *transcript.Call) *transcript.Call {
	args := withLists(c.Raw, c.Telling())
	if slices.Equal(args, c.Args) {
		return c
	}
	short := *c
	short.Args = args
	return &short
}

// besideCommand returns the arguments beside a command that say what it runs and where, such as a
// host, each after a comma: the first one, and as many whole ones as fit into n bytes. A mark
// stands in place of the others.
func besideCommand(c *transcript.Call, n int) string {
	beside := ""
	for i, a := range c.Beside() {
		next := ", " + excerpt.Line(a.Key) + "=" + excerpt.Quote(a.Text, max(n, MaxArguments/4))
		if i > 0 && len(beside)+len(next) > n {
			return beside + "," + strings.TrimRight(excerpt.Gap, " ")
		}
		beside += next
	}
	return beside
}

// pairs returns the arguments of a call with their names, in about n bytes. The longest values are
// cut, each by itself: an end of one beside the name of another would be said of that. If the rest
// is still too much, arguments in the middle are left out.
func pairs(c *transcript.Call, n int) string {
	size := 0
	for i := range c.Args {
		size += len(pair(&c.Args[i], leastValue)) + len(", ")
		if size > n+len(", ") {
			return firstAndLastPairs(c, n)
		}
	}
	parts := make([]string, len(c.Args))
	for most := n; ; {
		for i := range c.Args {
			parts[i] = pair(&c.Args[i], most)
		}
		all := strings.Join(parts, ", ")
		if len(all) <= n || most <= leastValue {
			return all
		}
		most = max(leastValue, most-1-(len(all)-n)/len(parts))
	}
}

// leastValue is how many bytes of the value of an argument are shown at least.
const leastValue = 32

// pair returns an argument with its name. Its value takes at most n bytes. One that no line can
// show, such as that of Ctrl-C, is spelled as in JSON.
func pair(a *transcript.Argument, n int) string {
	value := excerpt.Quote(a.Text, n)
	if value == "" && a.Text != "" {
		value = excerpt.Quote(string(rawjson.AppendQuoted(nil, a.Text)), n)
	}
	return excerpt.Line(a.Key) + "=" + value
}

// firstAndLastPairs returns whole arguments of a call in about n bytes, two thirds of them from the
// beginning, with a mark in place of the others.
func firstAndLastPairs(c *transcript.Call, n int) string {
	var begin, end []string
	first := 0
	for size := 0; first < len(c.Args); first++ {
		next := pair(&c.Args[first], leastValue)
		if size += len(next) + len(", "); size > n*2/3 && first > 0 {
			break
		}
		begin = append(begin, next)
	}
	for i, size := len(c.Args)-1, 0; i >= first; i-- {
		next := pair(&c.Args[i], leastValue)
		if size += len(next) + len(", "); size > n/3-len(excerpt.Gap) {
			break
		}
		end = append(end, next)
	}
	slices.Reverse(end)
	return strings.TrimRight(strings.Join(begin, ", ")+","+excerpt.Gap+strings.Join(end, ", "), " ")
}

// firstPairs returns the first arguments of a call with their names, in more than n bytes if there
// are as many.
func firstPairs(c *transcript.Call, n int) (all string) {
	for i := 0; i < len(c.Args) && len(all) <= n; i++ {
		if i > 0 {
			all += ", "
		}
		all += pair(&c.Args[i], MaxArguments)
	}
	return all
}
