package metric

import (
	"strconv"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// A caller that counts by what others choose cannot fill the memory of whoever scrapes.
func TestLabelsStayFew(t *testing.T) {
	for _, labels := range [][]string{{"reason"}, {"route", "status"}} {
		set, reg := new(Set), prometheus.NewRegistry()
		words := set.Words("faults_total", "Faults.", labels...)
		if err := reg.Register(set); err != nil {
			t.Fatal(err)
		}
		most := maxWords
		if len(labels) > 1 {
			most = maxCombined
		}
		for i := range 2 * most {
			values := make([]string, len(labels))
			for k := range values {
				values[k] = "word_" + strconv.Itoa(i)
			}
			words.With(values...).Inc()
		}
		families, err := reg.Gather()
		if err != nil || len(families) != 1 {
			t.Fatalf("%d metrics, %v", len(families), err)
		}
		series := families[0].GetMetric()
		if len(series) != most+1 {
			t.Errorf("%v: %d combinations, want %d and one for the others", labels, len(series),
				most)
		}
		for _, one := range series {
			if label := one.GetLabel()[0].GetValue(); label == "other" {
				if n := int(one.GetCounter().GetValue()); n != most {
					t.Errorf("%v: other counts %d, want %d", labels, n, most)
				}
			}
		}
	}
}
