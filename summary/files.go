package summary

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"killick/summary/describe"
)

// files returns the files that calls named: changed ones on a line each, the others several to a
// line.
func (sum *Summary) files(dir string, room int) []string {
	l := entryList{room: room}
	files := filesIn(dir, sum.Files)
	var read []*File
	for i := range files {
		if f := &files[i]; f.Changed {
			l.add(f.line)
		} else {
			read = append(read, f)
		}
	}
	const together = 6
	for some := range slices.Chunk(read, together) {
		l.add(func() string {
			lines := make([]string, len(some))
			for i, f := range some {
				lines[i] = f.line()
			}
			return strings.Join(lines, "; ")
		})
	}
	return l.entries
}

// line names the file with its uses.
func (f *File) line() string {
	return f.uses() + ": " + describe.ShortPath(f.Path, describe.MaxArguments)
}

// filesIn returns files with their paths relative to dir. A file that calls named with and
// without "./" is listed once.
func filesIn(dir string, files []File) []File {
	var all fileList
	all.makeRoom(len(files))
	for _, f := range files {
		f.Path = strings.TrimPrefix(describe.Under(dir, f.Path), "./")
		all.add(f)
	}
	files, _ = all.newestFirst()
	return files
}

// uses lists the tools that named the file: "Edit 3× (last 57), Read (44)". If there may have been
// more, "Edit at least 3× (last 57), Read (last 44)".
func (f *File) uses() string {
	var did []string
	for _, u := range f.Uses[:min(len(f.Uses), shownUses)] {
		switch {
		case u.Recent && u.Times == 1:
			did = append(did, fmt.Sprintf("%s (last %d)", u.Tool, u.Last))
		case u.Recent:
			did = append(did, fmt.Sprintf("%s at least %d× (last %d)", u.Tool, u.Times, u.Last))
		case u.Times == 1:
			did = append(did, fmt.Sprintf("%s (%d)", u.Tool, u.Last))
		default:
			did = append(did, fmt.Sprintf("%s %d× (last %d)", u.Tool, u.Times, u.Last))
		}
	}
	return strings.Join(did, ", ")
}

// callIn returns the description of a call. If it only names a file, that is relative to dir.
func (sum *Summary) callIn(dir, text string) string {
	for i := range sum.Files {
		name := sum.Files[i].Path
		if before, ok := strings.CutSuffix(text, "("+name+")"); ok {
			return before + "(" + describe.Under(dir, name) + ")"
		}
	}
	return text
}

// attachedBelow returns the entries of what is attached to messages that are not sent along. Of
// those that are, a mark stands in place of an attachment that is left out.
func (sum *Summary) attachedBelow(dir string, room int) []string {
	l := entryList{room: room}
	kept := make(map[int]bool, len(sum.Kept))
	for i := range sum.Kept {
		kept[sum.Kept[i].At] = true
	}
	for i := range sum.Attached {
		if a := &sum.Attached[i]; !kept[a.At] {
			l.add(func() string {
				return strconv.Itoa(a.At) + " " + sum.callIn(dir, a.Of) + ": " + a.Shown
			})
		}
	}
	return l.entries
}
