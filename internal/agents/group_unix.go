//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// endTogether has what a program starts end with it when it is cancelled.
func endTogether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
