// Package fakegemini is a scripted upstream that speaks Google's generateContent and
// streamGenerateContent and checks requests as that API does: who may follow whom, the number of
// results for the calls of a turn, and the signatures of the current turn. It knows the parts that
// clients of package gemini send, and never calls a model.
package fakegemini
