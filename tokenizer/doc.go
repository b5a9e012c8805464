// Package tokenizer counts the tokens of chat requests: exactly for text, by
// the published formulas for everything else, and corrected by what upstreams
// report where that is asked for.
//
// Text is counted in memory at a multiple of the speed of the reference, in
// time linear in its length, without allocating. Vocabularies come from the
// files embedded in tiktoken-go's offline loader; nothing is ever downloaded.
// Special tokens in a text are plain text, as in EncodeOrdinary. The package
// counts; it never encodes, cuts or changes a text, and never decides what to
// do about a number. It keeps no text: memos hold hashes under seeds drawn at
// start-up, and counts.
package tokenizer
