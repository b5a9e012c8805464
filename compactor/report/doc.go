// Package report tells people and their tools what a form holds.
//
// Nothing is decided by it.
package report
