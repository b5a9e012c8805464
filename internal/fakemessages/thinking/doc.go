// Package thinking signs thinking and summaries, and checks that what comes back is as it was
// signed, and that nothing before it has changed. It reads nothing else of a request and answers
// none.
package thinking
