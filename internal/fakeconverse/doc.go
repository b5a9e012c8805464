// Package fakeconverse is a scripted upstream that speaks Amazon Bedrock's Converse and
// ConverseStream and checks requests as that API does: turns that alternate, a result for each
// call, blank texts, cache points, and, as Claude does, signed thinking that is bound to the
// messages before it. It has a prompt cache, and never calls a model.
package fakeconverse
