package fakeupstream

import _ "embed"

//go:embed testdata/interleaved.json
var interleaved string

// Interleaved returns the body of a chat request of some 70 messages and 15,000
// tokens, written for this project, that has what a proxy trips over: system and
// developer messages in the middle, parallel calls answered in another order, a
// custom tool call and a legacy function call, images by data URL and by https in
// user and in tool messages, contents as string, array, null and empty, names,
// cache_control on messages, parts and calls, lone surrogates, and numbers and
// white space that do not survive decoding and encoding. OpenAI would accept it
// at every turn.
func Interleaved() []byte { return []byte(interleaved) }
