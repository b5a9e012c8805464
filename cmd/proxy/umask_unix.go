//go:build unix

package main

import "syscall"

// keepToOwner makes every file that the process creates accessible to its owner only: the
// store holds conversations, and Badger creates files at any time.
func keepToOwner() { syscall.Umask(0o077) }
