package rawjson_test

import (
	"fmt"

	"killick/rawjson"
)

// Members are replaced, removed or added, and every other byte stays.
func ExampleWithMembers() {
	fmt.Printf("%s\n", rawjson.WithMembers([]byte(`{"a": 1.0, "b" :2 , "c":[ ]}`),
		map[string]rawjson.Value{"b": nil, "c": rawjson.Value(`{}`), "d": rawjson.Value(`4`)}))
	// Output: {"a": 1.0 , "c":{},"d":4}
}
