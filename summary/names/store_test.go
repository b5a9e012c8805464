package names

import (
	"fmt"
	"reflect"
	"testing"

	"killick/packed"
	"killick/reference"
)

func TestAllOfANameTableIsStored(t *testing.T) {
	table := &Table{Calls: make([]callLine, 2), Names: make([]nameUse, 3)}
	for i := range table.Names {
		n := &table.Names[i]
		n.Word, n.Kind, n.Call = fmt.Sprint("word ", i, "\xff"), reference.Symbol, int32(i-1)
		for k, v := range n.numbers() {
			if k > 0 { // 0 is Call
				*v = int32(10*i + k)
			}
		}
		table.facts = append(table.facts, factsOf(n.Word, n.Kind))
	}
	table.Calls[0] = callLine{At: 7, Text: "Read", Path: "a.go"}
	encode := func() (w packed.Writer) {
		table.Encode(&w)
		return w
	}
	stored := encode()
	if back := Decode(stored); !reflect.DeepEqual(back, table) {
		t.Errorf("read back as\n%+v, want\n%+v", back, table)
	}
	table.Names[0].Call = 2
	later := encode()
	table.Names[0].Call = -2
	var large packed.Writer
	packed.AppendList(&large, []int{}, nil) // no calls
	packed.AppendList(&large, []string{"word"}, func(w *packed.Writer, word *string) {
		w.Text(*word)
		w.Byte(byte(reference.Symbol))
		for i := range len(new(nameUse).numbers()) {
			w.Int(-1 + i*(1<<32)) // as 32 bits, each is -1
		}
	})
	for name, damaged := range map[string][]byte{
		"nothing": nil, "cut": stored[:len(stored)-1], "longer": append(stored, 0),
		"a call that is not there": later, "an earlier one": encode(),
		"large numbers": large,
	} {
		if back := Decode(damaged); len(back.Names) > 0 || len(back.Calls) > 0 {
			t.Errorf("%s: %d names are read", name, len(back.Names))
		}
	}
}
