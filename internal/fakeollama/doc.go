// Package fakeollama is a scripted upstream that speaks Ollama's own chat, POST /api/chat, and
// treats requests as Ollama does: a content must be a string and arguments an object, the oldest
// messages of a prompt over the window are dropped without a word, and what a prompt has in common
// with the last one is not evaluated again. Sources: docs/api.md, api/types.go and server/prompt.go
// of ollama/ollama. It never calls a model.
package fakeollama
