// Package quotes reads a conversation for records: what persons and the assistant said, what calls
// returned, which sources were cited and what was attached, each cut to a length, without
// credentials, and read once. Credentials are removed before anything is cut.
//
// It reads messages only through package transcript, and does not choose what a record shows.
package quotes
