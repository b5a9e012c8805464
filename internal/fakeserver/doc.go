// Package fakeserver is what scripted upstreams share, whatever API they speak: a server on
// loopback that reads a request whole, hands it to a handler, writes what the handler answers with
// the faults that the script asks for, and records what came and its outcome.
//
// It knows no API: headers, bodies and the names of events are the handler's. It imports the
// standard library alone, reads no files, and never connects to anything.
package fakeserver
