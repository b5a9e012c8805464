// Package fakeupstream is a scripted upstream: a server on loopback that speaks
// the OpenAI API as far as clients and proxies can see. It checks chat requests
// as strictly as OpenAI does, answers what the script sets, counts tokens,
// keeps a prompt cache per credential, and fails on demand.
//
// It serves the tests, the demo and replays, so it imports the standard library, the chat package
// and the server that scripted upstreams share alone, reads no files, and never connects to
// anything. It is not a model: turns of a conversation are answered by the script, which repeats no
// prompt. Models that are asked for summaries, questions and answers are scripted too, by their
// behaviour: see Scripted. What they say is taken from the request by rules.
package fakeupstream
