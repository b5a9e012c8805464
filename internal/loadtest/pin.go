package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
)

// core is a list of CPUs that a process may use, as taskset(1) takes it; "" stands for all.
type core string

// pin keeps this process, and what it starts without a core of its own, away from the last CPU,
// and returns that. It returns "" where there is one CPU alone or no taskset.
func pin() (core, error) {
	last := runtime.NumCPU() - 1
	if _, err := exec.LookPath("taskset"); err != nil || last < 1 {
		return "", nil
	}
	others := fmt.Sprintf("0-%d", last-1)
	out, err := exec.Command("taskset", "-a", "-c", "-p", others,
		strconv.Itoa(os.Getpid())).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("taskset -c %s: %w: %s", others, err, out)
	}
	return core(strconv.Itoa(last)), nil
}

// command returns a command that runs on the core. taskset is replaced by the program: the process
// is the program's.
func (c core) command(program string, args ...string) *exec.Cmd {
	if c == "" {
		return exec.Command(program, args...)
	}
	return exec.Command("taskset", append([]string{"-c", string(c), program}, args...)...)
}
