// Package excerpt picks the lines of an output that stand for all of it.
//
// It never knows why an output is not shown whole.
package excerpt
