// Package chat is the wire format of OpenAI-compatible chat completions: how the messages of a
// request are read into a view, the usage and the events of a reply, and the error shape. It is
// also that of Ollama's own chat, whose messages differ little.
//
// It never decides what to change and never decodes a body and encodes it again.
package chat
