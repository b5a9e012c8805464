package summary

import (
	"fmt"
	"reflect"
	"testing"

	"killick/summary/names"
)

// fill sets every field below v to a different value, every list to two elements and every pointer
// to a value, so that a test notices a field that is not stored.
func fill(v reflect.Value, next *int) {
	*next++
	switch v.Kind() {
	case reflect.Int, reflect.Int32:
		v.SetInt(int64(*next))
	case reflect.Uint8:
		v.SetUint(uint64(*next % 256))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *next, "\xff"))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), next)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), next)
		fill(v.Index(1), next)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), next)
			}
		}
	default:
		panic("a field of the kind " + v.Kind().String() + " is not stored")
	}
}

func TestAllOfASummaryIsStored(t *testing.T) {
	var full Summary
	fill(reflect.ValueOf(&full).Elem(), new(int))
	// Empty values stay distinct from missing ones, since reports show the difference.
	empty := Summary{Kept: []Kept{}, Files: []File{{Uses: []Use{}}}, Statements: []Statement{{}}}
	for name, s := range map[string]*Summary{"full": &full, "empty": &empty, "zero": {}} {
		stored, err := s.AppendBinary([]byte("before"))
		if err != nil {
			t.Fatal(err)
		}
		back := Summary{First: 99, Names: []names.Name{{}}}
		if err := back.UnmarshalBinary(stored[len("before"):]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(&back, s) {
			t.Errorf("%s: read back as\n%+v, want\n%+v", name, back, *s)
		}
		for n := range stored[len("before"):] {
			if new(Summary).UnmarshalBinary(stored[len("before"):][:n]) == nil {
				t.Errorf("%s: the first %d bytes are taken for all", name, n)
			}
		}
	}
}
