package search_test

import (
	"fmt"

	"killick/replay/search"
)

// A reference is found as a whole word, a line anywhere.
func Example() {
	search.EachReference("see ./cmd/proxy/main.go:12, please", func(word string) {
		fmt.Println(word)
	})
	finder := search.NewFinder([]string{"main.go", "ain.go"},
		[]string{"func main() { run(os.Args) }"})
	found := finder.In([]byte("main.go\n  12: func main() { run(os.Args) }\n"))
	fmt.Println(found.References, found.Lines)
	// Output:
	// cmd/proxy/main.go
	// [0] [0]
}
