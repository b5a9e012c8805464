// Package preview chooses the lines that are shown in place of a whole output.
//
// It does not know why an output is not shown whole.
package preview
