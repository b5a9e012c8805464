//go:build !linux

package cache

// residentLimit is only enforced on Linux.
const residentLimit = 64 << 20

// trimMemory does nothing: here the system manages the memory of mapped files.
func (d *diskBackend) trimMemory() { d.touched.Store(0) }
