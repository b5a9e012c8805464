// Package rawjson reads and edits JSON text in place: values are slices of the text, walks give
// offsets, and members are replaced or removed without changing any other byte.
//
// It has its own scanner because views over client bodies need offsets, a limit on nesting and a
// single pass over the text; it accepts exactly what encoding/json accepts. It never decodes a text
// and encodes it again, knows no wire format, and imports only the standard library.
package rawjson
