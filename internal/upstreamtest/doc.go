// Package upstreamtest is a scripted upstream: a server on loopback that speaks
// the OpenAI API as far as clients and proxies can tell. It checks chat requests
// as strictly as OpenAI does, answers what it is told to answer, counts tokens,
// keeps a prompt cache per credential, and fails on demand.
//
// It serves the tests and the demo, so it imports the standard library and the
// chat package alone, reads no files, and never connects to anything. It is no
// model: what it answers is the script's, and it never repeats a prompt.
package upstreamtest
