//go:build !unix

package main

import "os/exec"

// endTogether does nothing: what a program starts is ended with it on Unix alone.
func endTogether(*exec.Cmd) {}
