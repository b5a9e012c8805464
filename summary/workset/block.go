package workset

// Kind is where the lines of a block come from.
type Kind byte

// The kinds.
const (
	Read    Kind = iota // the output of a call that reads a file
	Found               // the output of a search
	Written             // what the assistant wrote into a file
)

// Block is a run of consecutive lines of one text of the conversation.
type Block struct {
	Kind  Kind
	At    int    // the message that makes the call
	Of    string // the call, where no file is named
	Path  string // the file, "" if there is not exactly one
	First int    // number of the first line within the file, 0 if unknown
	Lines []string
	Place int  // of the text, in tokens from the start of the conversation
	Part  bool // the assistant asked for selected lines
	Again int  // how often its lines stood in older texts
}

// Limits of a pool.
const (
	maxBlocks = 160 // blocks that are stored: those most likely to be needed
	maxFiles  = 120 // files whose uses are stored
	maxLines  = 24
	maxLine   = 400 // bytes of a line; a block ends before a longer one
	maxSource = 1 << 18
)

// Pool holds the blocks of the folded turns that are most likely to be needed, and what is known of
// their files. Nobody changes a pool once it is made, so that forms may share it.
type Pool struct {
	Blocks []Block // the oldest first
	Files  []File  // the last used first
}

// File is what is known of a file by the last part of its path.
type File struct {
	Name    string
	Asked   int // how often persons named it
	Reads   int
	Changes int
	Used    int // where a call named it last, in tokens from the start
	Changed int // where a call changed it last, -1 if none did
}
