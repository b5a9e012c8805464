package tokenizer

import (
	"fmt"
	"strings"
	"testing"

	"killick/rawjson"
	"killick/tokenizer/internal/corpus"
)

// most returns the kind that a body has most of, and its share.
func most(body []byte) (k kind, share float64) {
	for i, s := range shares(body) {
		if s > share {
			k, share = kind(i), s
		}
	}
	return k, share
}

// Texts of one kind are told apart by their structure.
func TestKindsOfTexts(t *testing.T) {
	for name, want := range map[string]kind{
		"prose": prose, "code": code, "json": data, "logs": data, "cjk": script,
	} {
		for _, size := range []int{1 << 10, 20 << 10, 200 << 10} {
			body := rawjson.AppendQuoted(nil, corpus.Text(t, name, size, 3))
			if got, share := most(body); got != want || share < 0.5 {
				t.Errorf("%d bytes of %s: kind %d for %.2f of it, want %d", size, name, got, share,
					want)
			}
		}
	}
}

// Text that a client spells with escapes is of the kind that it is.
func TestKindsOfEscapes(t *testing.T) {
	text := corpus.Text(t, "cjk", 3000, 9)
	var escaped strings.Builder
	for _, r := range text {
		fmt.Fprintf(&escaped, `\u%04x`, r&0xFFFF)
	}
	if got, share := most([]byte(escaped.String())); got != script || share < 0.9 {
		t.Errorf("kind %d for %.2f of it, want %d", got, share, script)
	}
	code1 := corpus.Text(t, "code", 30_000, 4)
	once := rawjson.AppendQuoted(nil, code1)
	twice := rawjson.AppendQuoted(nil, string(once)) // as within the arguments of a call
	if got, share := most(twice); got != code || share < 0.5 {
		t.Errorf("code in arguments: kind %d for %.2f of it", got, share)
	}
}

// The data of an image says nothing of the text beside it.
func TestKindsWithoutData(t *testing.T) {
	words := corpus.Text(t, "prose", 20<<10, 6)
	body := []byte(words + `","data":"` + corpus.Text(t, "base64", 200<<10, 6))
	if got, share := most(body); got != prose || share < 0.5 {
		t.Errorf("kind %d for %.2f of it, want %d", got, share, prose)
	}
	if got, share := most(nil); got != prose || share != 1 {
		t.Errorf("no text: kind %d for %.2f of it", got, share)
	}
}

// A conversation that grows changes its factor by little at a time, so that a trigger does not
// jump.
func TestFactorIsSteady(t *testing.T) {
	m := New(Options{}).For("claude-opus-4-7")
	body := []byte(corpus.Text(t, "chat", 400<<10, 8))
	last := m.Factor(body[:100<<10])
	for n := 100 << 10; n < len(body); n += 2 << 10 {
		now := m.Factor(body[:n])
		if diff := now - last; diff > 0.02 || diff < -0.02 {
			t.Errorf("%d KB: from %.3f to %.3f", n>>10, last, now)
		}
		last = now
	}
}

func TestGenerationOf(t *testing.T) {
	for model, want := range map[string]*generation{
		"claude-3-5-sonnet-20241022":                  &olderClaude,
		"claude-sonnet-4-20250514":                    &olderClaude,
		"claude-opus-4-1":                             &olderClaude,
		"claude-sonnet-4-5@20250929":                  &olderClaude,
		"us.anthropic.claude-haiku-4-5-20251001-v1:0": &olderClaude,
		"anthropic/claude-4.6-opus":                   &olderClaude,
		"claude-v2:1":                                 &olderClaude,
		"claude-opus-4-7":                             &newerClaude,
		"anthropic/claude-opus-4.8":                   &newerClaude,
		"claude-sonnet-5":                             &newerClaude,
		"claude-fable-5-2":                            &newerClaude,
		"bedrock/eu.anthropic.claude-opus-5-5-v1:0":   &newerClaude,
		"claude-haiku-latest":                         &newerClaude,
		"google/gemini-3-pro":                         &generations[0],
		"deepseek-ai/DeepSeek-V3.2":                   &generations[1],
		"Qwen/Qwen3-Coder-480B-A35B-Instruct":         &generations[2],
		"mistralai/devstral-medium-2507":              &generations[3],
		"meta-llama/Llama-3.3-70B-Instruct":           &generations[4],
		"grok-4":                                      nil,
		"kimi-k2":                                     nil,
		"some-model":                                  nil,
		"":                                            nil,
	} {
		if got := generationOf(model); got != want {
			t.Errorf("%q: %p, want %p", model, got, want)
		}
	}
	if m := New(Options{}).For("gpt-4o"); m.Factor([]byte("日本語")) != 1 {
		t.Error("a published tokenizer has a factor")
	}
}

// BenchmarkFactor is what a request of a megabyte costs more where the tokenizer is estimated.
func BenchmarkFactor(b *testing.B) {
	body, _ := history(b)
	m := New(Options{}).For("claude-opus-4-7")
	for b.Loop() {
		m.Factor(body)
	}
}
