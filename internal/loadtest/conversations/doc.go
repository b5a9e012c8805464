// Package conversations fills the store that replicas share, and a replica's own store on disk,
// with generated conversations. It measures both as they fill: memory per conversation, round trips
// and commands per request, and how long a request waits.
//
// The sizes are those of recorded conversations; the contents are random bytes. It uses the stores
// through the calls that the proxy makes, and handles no requests and no forms.
package conversations
