package schema_test

import (
	"fmt"

	"killick/model/schema"
)

// An answer is found in the text around it, and validated against its schema.
func ExampleSchema_Decode() {
	for _, answer := range []string{
		"<think>Easy.</think>```json\n{\"grades\":[{\"number\":1,\"grade\":\"right\"}]}\n```",
		`{"grades":[{"number":1,"grade":"good"}]}`,
		"I would say that it is right.",
	} {
		var given struct {
			Grades []struct {
				Number int
				Grade  string
			}
		}
		if faults := schema.Grades.Decode(answer, &given); len(faults) > 0 {
			fmt.Println("faults:", faults)
			continue
		}
		fmt.Println("grade:", given.Grades[0].Grade)
	}
	// Output:
	// grade: right
	// faults: [grades.0.grade is none of [right partly wrong]]
	// faults: [the answer holds no complete JSON object]
}
