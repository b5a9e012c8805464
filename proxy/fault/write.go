package fault

import (
	"net/http"
	"strconv"

	"killick/proxy/format"
)

// Public returns the part of a fault that the client may see, with the id of its request.
func (f *Fault) Public(id string) format.Error {
	return format.Error{Status: f.Status, Message: f.Message, Type: f.Type(), Code: f.Kind,
		RequestID: id}
}

// SetHeaders sets the headers that clients need besides the error.
func (f *Fault) SetHeaders(h http.Header) {
	if f.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
		// Claude Code sends a request again ten times after a 401 without this header, for
		// minutes, and shows nothing until then.
		h.Set("X-Should-Retry", "false")
	}
	if f.Status == http.StatusUpgradeRequired {
		h.Set("Upgrade", "HTTP/1.1") // RFC 9110, 15.5.22: what is required
		h.Set("Connection", "Upgrade")
	}
	if f.Retry > 0 {
		h.Set("Retry-After", strconv.Itoa(f.Retry))
	}
}

// Write answers with a fault in the OpenAI error shape, as our own paths do.
func (f *Fault) Write(w http.ResponseWriter) {
	f.SetHeaders(w.Header())
	WriteError(w, f.Status, f.Message, f.Type(), f.Kind)
}

// WriteError answers in the OpenAI error shape.
func WriteError(w http.ResponseWriter, status int, message, typ, code string) {
	e := format.Error{Status: status, Message: message, Type: typ, Code: code}
	WriteJSON(w, status, e.Body(format.Other))
}

// WriteJSON answers with a JSON text.
func WriteJSON(w http.ResponseWriter, status int, text []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) // a client that disconnected needs no answer
}
