//go:build !linux

package calm

// dropProgramPages does nothing: what the program's file takes is the system's
// own affair here.
func dropProgramPages() {}
