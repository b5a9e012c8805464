//go:build !linux

package platform

// Mapping is a file that is mapped into memory.
type Mapping struct {
	File     string // its path
	Resident int64  // bytes of it that are in memory
}

// Mappings returns nothing: here the system manages the memory of mapped files.
func Mappings(string) ([]Mapping, error) { return nil, nil }

// SharedBytes returns 0, like [Mappings].
func SharedBytes() int64 { return 0 }

// PageOut does nothing.
func (Mapping) PageOut() {}
