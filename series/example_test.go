package series_test

import (
	"fmt"

	"killick/series"
)

// Each state of a list stays as it was when the list grows.
func Example() {
	two := series.New([]string{"a", "b"})
	three := series.New(append(two.Grow(two.Len()), "c"))
	fmt.Println(two.Items(), three.Items())
	// Output: [a b] [a b c]
}
