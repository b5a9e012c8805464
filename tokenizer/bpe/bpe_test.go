package bpe

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"killick/tokenizer/internal/corpus"
)

// plainMerge is byte pair encoding by the book: the slow truth that the fast
// ways are compared with.
func plainMerge(ranks map[string]int, piece []byte) int {
	var parts []string
	for i := range piece {
		parts = append(parts, string(piece[i:i+1]))
	}
	for {
		low, at := len(ranks)+1<<20, -1
		for i := range len(parts) - 1 {
			if r, ok := ranks[parts[i]+parts[i+1]]; ok && r < low {
				low, at = r, i
			}
		}
		if at < 0 {
			return len(parts)
		}
		parts[at] += parts[at+1]
		parts = append(parts[:at+1], parts[at+2:]...)
	}
}

func ranksOf(t testing.TB, name string) (tokens [][]byte, ranks map[string]int) {
	t.Helper()
	tokens, err := readRanks(name)
	if err != nil {
		t.Fatal(err)
	}
	ranks = make(map[string]int, len(tokens))
	for r, token := range tokens {
		if token != nil {
			ranks[string(token)] = r
		}
	}
	return tokens, ranks
}

// randomPiece makes a piece of about size bytes, not cut by any pattern: whole
// tokens, runes of one block, or a few bytes over and over.
func randomPiece(r *rand.Rand, tokens [][]byte, size int) []byte {
	var b []byte
	kind := r.IntN(5)
	block := rune(r.IntN(0x300)) << 8
	for len(b) < size {
		switch kind {
		case 0:
			b = append(b, tokens[r.IntN(len(tokens))]...)
		case 1:
			b = utf8.AppendRune(b, block|rune(r.IntN(256)))
		case 2:
			b = append(b, byte('a'+r.IntN(3)))
		case 3:
			b = utf8.AppendRune(b, 0x4E00+rune(r.IntN(0x1000)))
		case 4:
			b = append(b, " \t\n=-_"[r.IntN(6)])
		}
	}
	return bytes.ToValidUTF8(b, []byte("é"))
}

// TestPieces compares each way of counting a piece with merging by the book.
func TestPieces(t *testing.T) {
	for _, name := range allEncodings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tokens, ranks := ranksOf(t, name)
			e := mustLoad(name).engine
			r := rand.New(rand.NewPCG(3, 4))
			var m merging
			wide, narrow := newBacktrack(backWindow), newBacktrack(2)
			counting := tally{engine: e}
			counting.scratch()
			gaveUp := 0
			for range 12_000 / corpus.Slower {
				piece := randomPiece(r, tokens, 1+r.IntN(60))
				if len(piece) == 0 {
					continue
				}
				want := plainMerge(ranks, piece)
				if n, ok := e.countParts(piece, &m); ok && n != want {
					t.Fatalf("countParts(%q) = %d, want %d", piece, n, want)
				}
				if n := counting.countRunes(piece); n != want {
					t.Fatalf("countRunes(%q) = %d, want %d", piece, n, want)
				}
				if n := counting.countMerging(piece); n != want {
					t.Fatalf("countMerging(%q) = %d, want %d", piece, n, want)
				}
				for _, seen := range []string{"first", "again"} {
					if n := counting.piece(piece, 0, len(piece)); n != want {
						t.Fatalf("piece(%q), counted %s, = %d, want %d", piece, seen, n, want)
					}
				}
				if n, ok := e.countLong(piece, wide); !ok || n != want {
					t.Fatalf("countLong(%q) = %d, %v, want %d", piece, n, ok, want)
				}
				n, ok := e.countLong(piece, narrow)
				if !ok {
					gaveUp++
				} else if n != want {
					t.Fatalf("countLong(%q) in a window of two tokens = %d, want %d", piece, n,
						want)
				}
				for _, b := range []*backtrack{wide, narrow} {
					for i, word := range b.dead {
						if word != 0 {
							t.Fatalf("after %q word %d of the dead positions is left as "+
								"%#x", piece, i, word)
						}
					}
				}
			}
			if gaveUp == 0 && corpus.Slower == 1 {
				t.Error("a window of two tokens was never too narrow: the way back is not tested")
			}
		})
	}
}

// TestFewBytes compares the ways of counting two to four bytes with merging by the
// book: all pairs, and triples and quadruples of common bytes and of any.
func TestFewBytes(t *testing.T) {
	for _, name := range allEncodings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, ranks := ranksOf(t, name)
			counting := tally{engine: mustLoad(name).engine}
			counting.scratch()
			r := rand.New(rand.NewPCG(9, 4))
			for i := range 1<<16 + 200_000/corpus.Slower {
				piece := []byte{byte(i >> 8), byte(i)}
				if i >= 1<<16 {
					piece = piece[:0]
					for range 3 + i%2 {
						b := byte(r.IntN(256))
						if i%5 > 0 {
							b = "etaoin shrdlu=/0123.,()\n"[r.IntN(24)]
						}
						piece = append(piece, b)
					}
				}
				if n, want := counting.countMerging(piece), plainMerge(ranks, piece); n != want {
					t.Fatalf("countMerging(%q) = %d, want %d", piece, n, want)
				}
			}
		})
	}
}

// TestBorders counts texts around every token that reaches from within one rune
// into another, where taking runes whole would be wrong.
func TestBorders(t *testing.T) {
	for _, name := range allEncodings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tokens, ranks := ranksOf(t, name)
			e := mustLoad(name).engine
			r := rand.New(rand.NewPCG(5, 6))
			var m merging
			counting := tally{engine: e}
			counting.scratch()
			crossing := 0
			for _, token := range tokens {
				if token == nil || utf8.Valid(token) {
					continue
				}
				for range max(1, 8/corpus.Slower) {
					text := complete(r, token)
					if text == nil {
						break
					}
					crossing++
					if r.IntN(2) == 0 { // neighbours that could interfere
						before, behind := tokens[r.IntN(len(tokens))], tokens[r.IntN(len(tokens))]
						text = slices.Concat(before, text, behind)
						text = bytes.ToValidUTF8(text, nil)
					}
					want := plainMerge(ranks, text)
					if n, ok := e.countParts(text, &m); ok && n != want {
						t.Fatalf("countParts(%q), around %q, = %d, want %d", text, token, n, want)
					}
					if n := counting.countRunes(text); n != want {
						t.Fatalf("countRunes(%q), around %q, = %d, want %d", text, token, n, want)
					}
				}
			}
			if crossing < 100 {
				t.Fatalf("%d texts, want more: the vocabulary has tokens that cross "+
					"runes", crossing)
			}
		})
	}
}

// complete puts bytes around token that make it valid UTF-8; nil if none do.
func complete(r *rand.Rand, token []byte) []byte {
	for range 200 {
		head, tail := make([]byte, r.IntN(4)), make([]byte, r.IntN(4))
		for i := range head {
			head[i] = byte(0x80 + r.IntN(64))
		}
		if len(head) > 0 {
			head[0] = []byte{0xC3, 0xE0 + byte(r.IntN(16)), 0xF0}[len(head)-1]
			if r.IntN(2) == 0 {
				head[0] = 0xE0 + byte(r.IntN(16))
			}
		}
		for i := range tail {
			tail[i] = byte(0x80 + r.IntN(64))
		}
		text := append(append(head, token...), tail...)
		if utf8.Valid(text) {
			return text
		}
	}
	return nil
}

// TestLongPieces compares pieces too long for the reference's patience with
// what they must count by construction.
func TestLongPieces(t *testing.T) {
	corpus.Sequential(t)
	e := mustLoad(O200kBase)
	ref := reference(t, O200kBase)
	for _, unit := range []string{"a", " ", "\n", "ab", "你", "zq", "=", "\u0301", "Ab", "aé"} {
		for _, n := range []int{1, 63, 64, 65, 127, 500, 3001} {
			text := strings.Repeat(unit, n)
			if got, want := e.CountString(text), len(ref.EncodeOrdinary(text)); got != want {
				t.Errorf("%d times %q: %d tokens, want %d", n, unit, got, want)
			}
		}
	}
}

// runs makes a text of a few characters over and over, in runs of any length:
// tables, rulers, indentation, padding.
func runs(r *rand.Rand, size int) []byte {
	units := []string{"-", "=", "*", "#", "_", "/", ".", " ", "\t", "~", "|", "+", "-=", "a",
		"0", "ab", "=-", "─", "好", "\u0301"}
	few := make([]string, 1+r.IntN(3))
	for i := range few {
		few[i] = units[r.IntN(len(units))]
	}
	var b []byte
	for len(b) < size {
		b = append(b, strings.Repeat(few[r.IntN(len(few))], 1+r.IntN(1<<r.IntN(11)))...)
	}
	return b
}

// TestRuns compares the ways of counting repetitive pieces, which the
// vocabularies have tokens of many lengths for, with merging byte by byte.
func TestRuns(t *testing.T) {
	for _, name := range allEncodings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := mustLoad(name).engine
			r := rand.New(rand.NewPCG(7, 7))
			wide, narrow := newBacktrack(backWindow), newBacktrack(2)
			for i := range 400 / corpus.Slower {
				longest := 1000
				if i%8 == 0 {
					longest = 4000 // merging byte by byte takes the square of it
				}
				piece := runs(r, 1+r.IntN(longest))
				want := e.mergeBytes(piece)
				if n, ok := e.countLong(piece, wide); !ok || n != want {
					t.Fatalf("countLong(%q) = %d, %v, want %d", piece, n, ok, want)
				}
				if n, ok := e.countLong(piece, narrow); ok && n != want {
					t.Fatalf("countLong(%q) in a window of two tokens = %d, want %d", piece, n,
						want)
				}
			}
		})
	}
}

// mergeBytes merges a piece byte by byte.
func (v *vocab) mergeBytes(piece []byte) int {
	parts := make([]rank, len(piece))
	for i, b := range piece {
		parts[i] = v.single[b]
	}
	for {
		low, at := none, 0
		for i := range len(parts) - 1 {
			if r := v.pair(parts[i], parts[i+1]); r < low {
				low, at = r, i
			}
		}
		if low == none {
			return len(parts)
		}
		parts[at] = low
		parts = append(parts[:at+1], parts[at+2:]...)
	}
}
