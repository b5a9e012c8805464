// Package formats tests the whole proxy, over HTTP, with each wire format that it compacts. It has
// no other code.
package formats
