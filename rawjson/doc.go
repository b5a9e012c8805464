// Package rawjson reads and edits JSON text in place: values as slices of the text that they stand
// in, walks that give offsets, members replaced or removed with every other byte kept.
//
// It has a scanner of its own because views over client bodies need offsets, a limit on nesting
// and a single pass over the text; it accepts exactly what encoding/json accepts. It never decodes
// a text and encodes it again, knows no wire format, and imports only the standard library.
package rawjson
