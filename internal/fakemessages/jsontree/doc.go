// Package jsontree reads JSON into values that keep the order of members, and hashes them however
// they are spelled. It knows no member of any API.
package jsontree
