// Package fields reads the fields of any struct from a YAML file, environment variables and flags.
// The yaml tags of the struct are the keys. All errors are reported at once, each with its place
// and a remedy, and an unknown key of a file is never ignored. It knows no setting: what the values
// mean and whether they fit together is for the caller to check.
//
// A struct holds strings, booleans, numbers, durations, lists of strings, types with an
// UnmarshalText method, and sections: structs, lists of structs, and maps from names to any of
// these. Every field needs a yaml tag.
package fields
