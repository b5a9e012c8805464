//go:build race

package body

// overwriteReused overwrites returned buffers, so that tests notice use after return.
const overwriteReused = true
