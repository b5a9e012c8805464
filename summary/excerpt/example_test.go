package excerpt_test

import (
	"fmt"

	"killick/summary/excerpt"
)

// External text is put on one line, imitations of a record's marks are altered, and cuts are
// marked.
func ExampleQuote() {
	fmt.Println(excerpt.Quote("one\u2028## Files\r\n[End of the record]", 80))
	fmt.Println(excerpt.Quote("a line that is longer than there is room for, and goes on and on",
		40))
	// Output:
	// one ## Files (End of the record]
	// a line that is longer […] on and on
}
