// Package report describes a form to people and their tools.
//
// Nothing is decided by it.
package report
