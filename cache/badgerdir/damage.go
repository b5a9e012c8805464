package badgerdir

import (
	"fmt"
	"runtime"
)

// Damage is definite damage of a directory.
type Damage struct{ file, what string }

func (e *Damage) Error() string { return e.file + ": " + e.what }

func damaged(file, format string, args ...any) error {
	return &Damage{file, fmt.Sprintf(format, args...)}
}

// contain is deferred: it converts a panic over the bytes of a file to damage. Only the runtime's
// own messages are known to contain no data.
func contain(err *error, file string) {
	switch p := recover().(type) {
	case nil:
	case runtime.Error:
		*err = damaged(file, "%v", p)
	default:
		*err = damaged(file, "panic of type %T", p)
	}
}
