//go:build !linux

package cache

// residentLimit is only held on Linux.
const residentLimit = 64 << 20

// trimMemory does nothing: what mapped files take is the system's own affair here.
func (d *diskBackend) trimMemory() { d.touched.Store(0) }
