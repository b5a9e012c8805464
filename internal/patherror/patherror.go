// Package patherror makes the errors of opening files readable. It opens none.
package patherror

import (
	"errors"
	"fmt"
	"io/fs"
)

// Plain returns an error of a file without the name of the system call: the path and the reason.
// Any other error is returned as it is.
func Plain(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}
