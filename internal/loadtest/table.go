package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// table is printed as Markdown, so that it can be pasted into docs/performance.md.
type table struct {
	title string
	head  []string
	rows  [][]string
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) print() {
	fmt.Printf("\n%s\n\n| %s |\n|%s\n", t.title, strings.Join(t.head, " | "),
		strings.Repeat("---|", len(t.head)))
	for _, r := range t.rows {
		fmt.Printf("| %s |\n", strings.Join(r, " | "))
	}
}

// percentile returns the value that p percent do not exceed.
func percentile(times []time.Duration, p int) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[min(len(sorted)*p/100, len(sorted)-1)]
}

// ratio returns a as a multiple of b, "" if b is zero.
func ratio[T ~int64](a, b T) string {
	if b <= 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(a)/float64(b))
}

func mib(bytes int64) string { return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20)) }
