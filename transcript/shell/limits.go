package shell

// Limits on commands. A command that exceeds maxCommand or maxDepth is not read at all: the parser
// takes 2 KB of stack for each level of brackets. A change of a path longer than maxPath, and each
// past maxChanges or past the memory for changes, may be one of any file: "cd DIR; rm a b c …"
// repeats a long path for each short name.
const (
	maxCommand = 64 << 10 // bytes
	maxDepth   = 100      // levels of brackets
	maxChanges = 256
	maxPath    = 300     // bytes; paths in the arguments of other calls are not longer either
	leastRoom  = 2 << 10 // bytes for the changes of a command, and
	roomFor    = 8       // for each byte of the command
)
