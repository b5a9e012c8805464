package probe

import "strings"

// withColons reads a time of day, a timestamp, or values with colons between them, such as
// auth.go:42 and localhost:8080.
func withColons(chunk, text string, found func(Value)) {
	if date, clock, ok := timestamp(text); ok {
		classify(date, "", found)
		classify(clock, "", found)
		return
	}
	if clock, ok := clockTime(text); ok {
		v := newValue(Number, chunk, keyOf(byID, clock))
		for i := strings.IndexByte(clock, ':') + 1; i < len(clock); i++ {
			if clock[i] == ':' || clock[i] == '.' { // without its seconds
				v.indexed = append(v.indexed, keyOf(byID, clock[:i]))
			}
		}
		found(v)
		return
	}
	pieces(chunk, found)
}

// pieces reads values with colons between them. A number is one whatever its size: it is a line, a
// column or a port.
func pieces(chunk string, found func(Value)) {
	for piece := range strings.SplitSeq(chunk, ":") {
		if n := len(piece); n > 0 && n < 3 && countDigits(piece) == n {
			bare := numberKeys(byNumber, piece)
			found(Value{Kind: Number, Text: piece, lookup: bare,
				indexed: append(numberKeys(byAmount, piece), bare...)})
			continue
		}
		classify(piece, "", found)
	}
}

// clockTime returns numbers with colons between them without leading zeros, such as 9:30 of 09:30.
func clockTime(text string) (clock string, ok bool) {
	clock = strings.TrimRight(text, "z")
	for piece := range strings.SplitSeq(clock, ":") {
		whole, _, _ := strings.Cut(piece, ".")
		if whole == "" || strings.Trim(piece, "0123456789.") != "" {
			return "", false
		}
	}
	if len(clock) > 1 && clock[0] == '0' && isDigit(clock[1]) {
		clock = clock[1:]
	}
	return clock, true
}

// timestamp returns the parts of a timestamp of RFC 3339 in lower case. The zone is left out.
func timestamp(text string) (date, clock string, ok bool) {
	const form = "dddd-dd-ddtdd:"
	if len(text) < len(form) {
		return "", "", false
	}
	for i := range len(form) {
		if form[i] == 'd' && !isDigit(text[i]) || form[i] != 'd' && text[i] != form[i] {
			return "", "", false
		}
	}
	date, clock, _ = strings.Cut(text, "t")
	if i := strings.IndexAny(clock, "+-"); i > 0 {
		clock = clock[:i]
	}
	return date, clock, true
}

// numberRange reads a range of numbers, such as 30-60 seconds.
func numberRange(chunk, next string, found func(Value)) {
	from, to, ok := strings.Cut(chunk, "-")
	if !ok || from == "" || to == "" || !isDigit(from[0]) || !isDigit(to[0]) {
		return
	}
	_, _, fromOK := parseNumber(lower(from))
	_, _, toOK := parseNumber(lower(to))
	if fromOK && toOK {
		classify(from, next, found)
		classify(to, next, found)
	}
}
