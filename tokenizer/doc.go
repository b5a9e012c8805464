// Package tokenizer counts the tokens of chat requests: exactly for text, by
// the published formulas for everything else. It remembers, for each model, how
// many tokens upstreams report for one of ours.
//
// Package [killick/tokenizer/bpe] counts the texts. This package never encodes,
// cuts or changes a text, and never decides what to do about a number. It keeps
// no text: memos hold hashes under seeds drawn at start-up, and counts.
package tokenizer
