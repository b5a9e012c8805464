// Package e2e tests the proxy from outside, as clients, upstreams and operators meet
// it: over HTTP, wired as serve wires it, and as a process. It has no code of its own.
package e2e
