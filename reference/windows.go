package reference

import "strings"

// Absolute reports whether a path begins at a root: "/a", `C:\a`, "C:/a".
func Absolute(path string) bool {
	return path != "" && path[0] == '/' ||
		len(path) > 2 && path[1] == ':' && isLetter(path[0]) && (path[2] == '\\' || path[2] == '/')
}

// Separator returns what separates the names of a path: a backslash if it has no slash and is one
// of Windows, else a slash.
func Separator(path string) byte {
	if strings.IndexByte(path, '\\') >= 0 && strings.IndexByte(path, '/') < 0 {
		return '\\'
	}
	return '/'
}

// base returns the last name of a path, "" if a separator ends it.
func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// drivePath returns where the path of a Windows drive in text begins and ends, if text[end:] is its
// first backslash: `C:\Users\a.go`. Other backslashes mostly begin an escape sequence, and so may
// one after a letter and a colon: a path has another directory, or an extension.
func drivePath(text string, from, at int) (start, end int, ok bool) {
	start = at - len("C:")
	if start < from || text[at-1] != ':' || !isLetter(text[start]) ||
		start > from && text[start-1] != '=' {
		return 0, 0, false
	}
	for end = at; end < len(text) && text[end] == '\\'; {
		next := nameEnd(text, end+1)
		if next == end+1 {
			break
		}
		end = next
	}
	return start, end, end > at
}

// drive calls yield with the path of a Windows drive at text[start:end], without a line number
// after it, if it is not part of a longer name.
func drive(text string, start, end int, yield func(word string, kind Kind)) {
	if isPart(text, start, end) || continuesAfter(text[end:]) {
		return
	}
	word := text[start:end]
	folder := word[:len(word)-len(base(word))]
	word = strings.TrimRight(folder+withoutLine(base(word)), "./:-@#=&?%+~")
	if len(word) <= maxLen && (strings.Count(folder, `\`) > 1 || HasExtension(word)) {
		yield(word, Path)
	}
}

// continuesAfter reports whether a path continues in the text after it: with a name of other
// characters, or with a name that has a space in it.
func continuesAfter(rest string) bool {
	if strings.HasPrefix(rest, `\`) {
		return len(rest) > 1 && strings.IndexByte(" \t\r\n\"'`)>,;", rest[1]) < 0
	}
	rest, spaced := strings.CutPrefix(rest, " ")
	n := nameEnd(rest[:min(len(rest), maxLen)], 0)
	return spaced && n < len(rest) && rest[n] == '\\' && !(n == len("C:") && rest[1] == ':')
}
