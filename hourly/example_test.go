package hourly_test

import (
	"fmt"
	"time"

	"killick/hourly"
)

// What was spent more than an hour ago no longer counts.
func ExampleSum() {
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	var spent hourly.Sum[float64]
	spent.Add(noon, 0.5)
	spent.Add(noon.Add(40*time.Minute), 0.25)
	fmt.Println(spent.At(noon.Add(45*time.Minute)), spent.At(noon.Add(70*time.Minute)))
	// Output: 0.75 0.25
}
