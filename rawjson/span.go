package rawjson

import "math"

// Span is a range of offsets. The zero Span means absent: no value starts at offset 0 of its
// container. Texts of 2 GiB and more have no spans: see [MaxBytes].
type Span struct{ Start, End int32 }

// MaxBytes is the size of the longest text whose offsets fit a [Span].
const MaxBytes = math.MaxInt32

// SpanOf returns the span of [start, end).
func SpanOf(start, end int) Span { return Span{int32(start), int32(end)} }
