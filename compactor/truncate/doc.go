// Package truncate cuts outputs that are oversized when they first arrive, before they
// enter the provider's prompt cache.
//
// What it shows of an output follows from the output, its call and the messages right
// before it, so an output reads the same at every later turn. It never touches one that
// was sent whole before.
package truncate
