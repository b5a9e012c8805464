// Package excerpt makes external text safe within a record: as a part of a line, as a block, or cut
// to a length between words, with a mark where it was cut. It takes text and returns text, and
// knows nothing of conversations.
package excerpt
