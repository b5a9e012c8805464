// Package names keeps an index of the names in turns that are no longer sent: paths, symbols and
// ids, each with the last call that showed it. A name is listed if it is likely to be written
// again, as far as its uses show. It never reads what is still sent, and knows no other part of a
// record.
package names
