//go:build !unix

package main

// keepToOwner does nothing on systems without file modes.
func keepToOwner() {}
