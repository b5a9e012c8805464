// Package view has what the wire formats have in common: a lossless view of a request over its raw
// bytes. The view has the messages with their parts, calls and results, which of them belong
// together, and what may not be edited. A splice makes a new body from slices of the old one.
//
// A [Format] reads its own JSON into the view. One message of the client may be several messages of
// the view, for example if it carries several results, and several items of the client may be one
// message, for example the parts of one assistant turn. So decisions do not depend on the format.
//
// It never decodes a body and encodes it again: what was not changed on purpose keeps its bytes,
// whatever their spelling. It never decides what to change, names no format, and imports only
// package rawjson.
package view
