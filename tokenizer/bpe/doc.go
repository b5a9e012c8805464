// Package bpe counts the tokens of a text under the byte pair encodings that OpenAI published. The
// counts equal tiktoken's.
//
// It runs in time linear in the length of the text, without allocating, several times as fast as
// the reference. Vocabularies come from the files embedded in tiktoken-go's offline loader; nothing
// is downloaded. Special tokens in a text count as plain text, as in EncodeOrdinary. The package
// never encodes, cuts or changes a text, knows nothing of requests, and caches only short pieces,
// about as long as a word.
package bpe
