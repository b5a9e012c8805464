package reference_test

import (
	"fmt"

	"killick/reference"
)

// Each finds names that a later turn may have to write exactly, but no amounts or plain words.
func ExampleEach() {
	const output = "FAIL internal/token/verify_test.go: VerifyToken took 120ms, want 4f9c2e1a of " +
		"order 48151623"
	reference.Each(output, func(word string, kind reference.Kind) {
		fmt.Println(word, kind == reference.Path)
	})
	// Output:
	// internal/token/verify_test.go true
	// VerifyToken false
	// 4f9c2e1a false
	// 48151623 false
}

// Paths come before symbols, and within a kind frequent names before rare ones.
func ExampleTop() {
	const output = "cart.go calls addItem, addItem calls total_price, see cart_test.go"
	fmt.Println(reference.Top(output, 3, nil))
	fmt.Println(reference.Top(output, 2, func(word string) bool { return word == "cart.go" }))
	// Output:
	// [cart.go addItem cart_test.go]
	// [addItem cart_test.go]
}
