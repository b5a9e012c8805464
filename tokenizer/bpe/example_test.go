package bpe_test

import (
	"fmt"

	"killick/tokenizer/bpe"
)

func ExampleLoad() {
	e, err := bpe.Load(bpe.O200kBase)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.CountString("Hello, world! 你好，世界。"))
	// Output: 9
}

// The texts of a request are counted as they are in its JSON, without a copy.
func ExampleEncoding_CountJSON() {
	e, err := bpe.Load(bpe.O200kBase)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.CountJSON([]byte(`caf\u00e9\n`)), e.CountString("café\n"))
	// Output: 3 3
}
