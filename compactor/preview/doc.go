// Package preview picks the lines that stand for a whole output.
//
// It never knows why an output is not shown whole.
package preview
