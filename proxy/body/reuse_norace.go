//go:build !race

package body

// overwriteReused has buffers overwritten that are taken back, so that tests notice whatever
// uses one afterwards.
const overwriteReused = false
