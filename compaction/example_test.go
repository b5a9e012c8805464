package compaction_test

import (
	"fmt"

	"killick/compaction"
)

func ExampleOutcome_Actions() {
	out := compaction.Outcome{Folded: true, Reused: true}
	fmt.Println(out.Actions())
	// Output: [summary reuse]
}
