package workset

import "strings"

// Block is a run of consecutive lines of one text of the conversation.
type Block struct {
	Written bool   // by the assistant into a file; else a call showed the lines
	At      int    // the message that makes the call; the first is 1
	Text    int    // distinguishes the texts of this message
	Place   int    // of this message, in tokens from the start of the conversation
	Path    string // the file, "" if there is not exactly one
	Of      string // the call, if it names no file, or one that may be elsewhere
	First   int    // number of the first line within the file, 0 if unknown
	From    int    // index of the first line within the text
	Part    bool   // the assistant asked for selected lines
	CRLF    bool   // the lines ended in carriage return and line feed
	// Touched is the first message after At with a call that may have changed the file in a way
	// that its text does not show; 0 if there is none.
	Touched int
	Lines   []string
}

// File counts the uses of a file.
type File struct {
	Path    string
	Asked   int // how often persons named it
	Changes int // how often calls wrote it
	Used    int // the place of the last call that named it, in tokens from the start; -1 if none
	Changed int // the place of the last call that wrote it, -1 if none
}

// Pool holds the blocks of the folded turns that are most likely to be needed, and the uses of
// their files. A pool is never changed once it is made, so that forms may share it.
type Pool struct {
	Blocks  []Block // newest first
	Files   []File  // last used first
	Request int     // the latest message of a person, 0 if there is none
}

// Limits of a pool and its blocks.
const (
	maxBlocks  = 96  // of a pool: those most likely to be needed
	leastCost  = 20  // tokens of a small block: a pool holds no more blocks than there is room for
	maxFiles   = 120 // of a pool: those used last
	maxLines   = 24  // of a block
	maxLine    = 400 // bytes of a line: a longer one ends a block
	leastBlock = 24  // bytes of content that a block must have: see content
	maxText    = 1 << 18
	maxCall    = 120 // bytes of the description of a call
)

// part returns the block of the lines [from, to), without empty lines at its ends. first is the
// number of lines[0] within the file, 0 if unknown. ok is false if the lines have too little
// content.
func (b Block) part(lines []string, from, to, first int) (_ Block, ok bool) {
	for from < to && blank(lines[from]) {
		from++
	}
	for from < to && blank(lines[to-1]) {
		to--
	}
	size := 0
	for _, l := range lines[from:to] {
		size += len(content(l))
	}
	b.Lines, b.First, b.From = lines[from:to:to], 0, b.From+from
	if first > 0 {
		b.First = first + from
	}
	return b, size >= leastBlock
}

func blank(l string) bool { return strings.TrimSpace(l) == "" }

// counts reports whether a line has content, rather than just a brace.
func counts(l string) bool { return content(l) != "" }

// content returns a line without the space around it, "" if it is so short that it is just a brace
// or the like.
func content(l string) string {
	if l = strings.TrimSpace(l); len(l) < 8 {
		return ""
	}
	return l
}
