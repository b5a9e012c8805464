// Package events reads server-sent events of replies that pass: the data of each (Reader), and
// whether a stream is between two of them (Boundary). It follows the event-stream section of the
// HTML standard, holds the data of one event at most, and never changes a byte. Code that replaces
// events needs their bytes: see proxy/expand.
package events
