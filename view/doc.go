// Package view is what the wire formats have in common: a lossless view of a request over its raw
// bytes. It has the messages with their parts, calls and results, which of them belong together,
// what may not be edited, and the splice that makes a new body from slices of the old one.
//
// A [Format] reads its own JSON into the view. One client message may be several messages of the
// view, for example where it carries several results, and several items of the client's may be one,
// for example the parts of one assistant turn. So decisions are the same whatever the format.
//
// It never decodes a body and encodes it again: what was not changed on purpose keeps its bytes,
// whatever their spelling. It never decides what to change, names no format, and imports only
// package rawjson.
package view
