// Package patherror words errors of files for people. It opens none.
package patherror

import (
	"errors"
	"fmt"
	"io/fs"
)

// Plain words the errors that a mistyped path gives.
func Plain(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}
