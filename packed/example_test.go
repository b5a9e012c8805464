package packed_test

import (
	"fmt"

	"killick/packed"
)

// Values are read in the order in which they were written.
func Example() {
	var w packed.Writer
	w.Int(7)
	w.Text("cmd/proxy")
	w.Bool(true)

	r := packed.NewReader(w)
	fmt.Println(r.Int(), r.Text(), r.Bool(), r.End())

	cut := packed.NewReader(w[:4])
	fmt.Println(cut.Int(), cut.Text() == "", cut.Err())
	// Output:
	// 7 cmd/proxy true <nil>
	// 7 true damaged values
}
