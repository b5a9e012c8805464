// Package tokenizer counts the tokens of requests: exactly for text where the encoding is
// published, by the published formulas for images and files, else by estimate. It remembers, for
// each model, how many tokens upstreams report for one of ours.
//
// Package [killick/tokenizer/bpe] counts the texts. This package never encodes,
// cuts or changes a text, and never decides what to do about a number. It keeps
// no text: memos hold hashes under seeds drawn at start-up, and counts.
package tokenizer
