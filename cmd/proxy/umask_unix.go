//go:build unix

package main

import "syscall"

// keepToOwner makes every file that the process creates its owner's alone: the
// store holds conversations, and Badger makes files of its own at any time.
func keepToOwner() { syscall.Umask(0o077) }
