package cache

import "testing"

// TestOldest asks for the oldest bytes of records that were written under the
// versions 1, 2, 3 and so on.
func TestOldest(t *testing.T) {
	alike := []int64{10, 10, 10, 10}
	for _, test := range []struct {
		name   string
		sizes  []int64
		bytes  int64
		before uint64
	}{
		{"nothing", alike, 0, 0},
		{"part of the first", alike, 1, 2},
		{"the first", alike, 10, 2},
		{"more than the first", alike, 11, 3},
		{"half", alike, 20, 3},
		{"never the newest", alike, 1000, 4},
		{"of one", alike[:1], 1000, 0},
		{"of none", nil, 1000, 0},
		{"a large one counts as such", []int64{1, 90, 1, 1}, 50, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := new(ages)
			for i, size := range test.sizes {
				a.add(uint64(i+1), size)
			}
			if before := a.oldest(test.bytes); before != test.before {
				t.Errorf("before %d, want %d", before, test.before)
			}
		})
	}
}

// TestAgesAreBounded adds a million records: the memory for them does not grow, and no
// byte is lost.
func TestAgesAreBounded(t *testing.T) {
	a := new(ages)
	const records = 1_000_000
	for i := range uint64(records) {
		a.add(3*i, 2)
	}
	if n := len(a.bytes); n > maxSlices || n < maxSlices/4 || a.total() != 2*records {
		t.Errorf("%d slices of %d bytes together, want up to %d of %d",
			n, a.total(), maxSlices, 2*records)
	}
	const want = 3 * records / 2
	if before := a.oldest(records); before < want || before > want+want/100 {
		t.Errorf("half of it was written before %d, want %d or little more", before, want)
	}
}
