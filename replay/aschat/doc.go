// Package aschat detects the wire format of recorded requests and converts requests of the Messages
// and the Responses API to chat requests, so that replay measures all formats alike.
//
// It leaves out what chat cannot express: reasoning, cache marks, and the calls of the provider's
// own tools. It is only for measuring; its output is never sent to a provider.
package aschat
