// Package bpe counts the tokens of a text under the byte pair encodings that
// OpenAI published, as many as tiktoken makes of it.
//
// It counts in memory, in time linear in the length of the text, without
// allocating, at a multiple of the speed of the reference. Vocabularies come from
// the files embedded in tiktoken-go's offline loader; nothing is downloaded.
// Special tokens in a text are plain text, as in EncodeOrdinary. The package never
// encodes, cuts or changes a text, knows no requests, and keeps no text but short
// pieces of a word's length.
package bpe
