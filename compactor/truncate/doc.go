// Package truncate cuts outputs that are oversized when they first arrive, before they
// enter the provider's prompt cache.
//
// The part of an output that it shows follows from the output, its call and the messages
// right before it, so it is the same at every later turn. It never changes an output that
// was sent whole before.
package truncate
