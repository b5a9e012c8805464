// Package programs has the coding agents that are run, one file each: what npm installs, how a
// program is started and configured, and the calls of its tools. It starts none of them, and knows
// neither the proxy nor the upstream that they talk to.
package programs
