// Package cputime measures processor time for benchmarks: what else runs on the machine changes it
// less than it changes the time that passes. It never measures a part of a process.
package cputime

import (
	"syscall"
	"time"
)

// Used returns the time that processors have spent on this process, the kernel's included.
func Used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic("getrusage: " + err.Error()) // the system call cannot fail for one's own process
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
