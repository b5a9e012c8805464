// Package tokenizer counts the tokens of requests: text exactly if its encoding is published,
// images and files by the published formulas, everything else by estimate. It remembers, for each
// model, how many tokens upstreams report for one of ours.
//
// Package [killick/tokenizer/bpe] counts the texts. This package never encodes, cuts or changes a
// text, and decides nothing by the counts. It keeps no text: memos have counts, and hashes under
// seeds drawn at start-up.
package tokenizer
