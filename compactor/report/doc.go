// Package report describes a form to people and their tools.
//
// It makes no decision, and no decision reads it.
package report
