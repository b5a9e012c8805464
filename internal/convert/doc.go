// Package convert converts chat requests to the other wire formats, for tests that compare what is
// done with one conversation in each. Texts keep their bytes, escapes included. It is not a bridge
// between providers: it knows what recordings and tests hold, and leaves out what else there is.
package convert
