// Package describe says in a few words what a call is, with which arguments, and what it returned:
// as records, placeholders and indexes name it. It takes a call and returns text. It removes no
// credentials: its callers do, before anything is cut.
package describe
