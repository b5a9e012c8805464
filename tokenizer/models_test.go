package tokenizer

import (
	"fmt"
	"strings"
	"testing"
)

func TestEncodingFor(t *testing.T) {
	for model, want := range map[string]string{
		"gpt-5.1":                                "o200k_base",
		"openai/gpt-5.1":                         "o200k_base",
		"gpt-5-mini-2025-08-07":                  "o200k_base",
		"gpt-4o":                                 "o200k_base",
		"gpt-4o-mini-2024-07-18":                 "o200k_base",
		"azure/gpt-4o":                           "o200k_base",
		"openrouter/openai/gpt-4.1-mini":         "o200k_base",
		"gpt-4.5-preview":                        "o200k_base",
		"chatgpt-4o-latest":                      "o200k_base",
		"o1":                                     "o200k_base",
		"o3-mini":                                "o200k_base",
		"o4-mini-2025-04-16":                     "o200k_base",
		"codex-mini-latest":                      "o200k_base",
		"ft:gpt-4o-mini-2024-07-18:acme::Abc123": "o200k_base",
		"openai/ft:gpt-3.5-turbo-0125:acme::x":   "cl100k_base",
		"gpt-4":                                  "cl100k_base",
		"gpt-4-0613":                             "cl100k_base",
		"gpt-4-turbo-2024-04-09":                 "cl100k_base",
		"GPT-4-32K":                              "cl100k_base",
		"gpt-3.5-turbo":                          "cl100k_base",
		"azure/gpt-35-turbo":                     "cl100k_base",
		"text-embedding-3-small":                 "cl100k_base",
		"davinci-002":                            "cl100k_base",
		"ft:babbage-002:acme::y":                 "cl100k_base",
		"gpt-oss-120b":                           "o200k_harmony",
		"openai/gpt-oss-20b":                     "o200k_harmony",
		"openai.gpt-oss-120b-1:0":                "o200k_harmony",
		"us.openai.gpt-oss-120b-1:0":             "o200k_harmony",
		"accounts/fireworks/models/gpt-oss-120b": "o200k_harmony",
		"gpt-oss-20b:free":                       "o200k_harmony",
		"text-davinci-003":                       "p50k_base",
		"code-davinci-002":                       "p50k_base",
		"text-davinci-001":                       "r50k_base",
		"davinci":                                "r50k_base",
		"gpt2":                                   "r50k_base",
		"claude-sonnet-4-5":                      "o200k_base",
		"meta-llama/Llama-3.3-70B-Instruct":      "o200k_base",
		"":                                       "o200k_base",
		"adapted-llama":                          "o200k_base",
		"o1labs-chat":                            "o200k_base",
		"ada":                                    "r50k_base",
		"ada:ft-acme-2021":                       "r50k_base",
	} {
		if got, _ := encodingFor(model); got != want {
			t.Errorf("encodingFor(%q) = %s, want %s", model, got, want)
		}
	}
}

func TestPublished(t *testing.T) {
	for model, want := range map[string]bool{
		"gpt-5.1": true, "o3-mini": true, "azure/gpt-4o": true, "gpt-oss-20b": true,
		"gpt-4.1-nano": true,
		"o1labs-chat":  false, "claude-sonnet-4-5": false, "gpt-6": false, "gpt-4x": false,
		"": false,
	} {
		if _, got := encodingFor(model); got != want {
			t.Errorf("the tokenizer of %q is published: %v, want %v", model, got, want)
		}
	}
}

// TestModelsAreBounded: clients choose the names of models, and cannot make a
// Counter grow with them.
func TestModelsAreBounded(t *testing.T) {
	c := New(Options{})
	for i := range 2 * maxModels {
		c.For(fmt.Sprintf("model-%d", i))
	}
	if n := len(c.models); n != maxModels {
		t.Errorf("%d models kept, want %d", n, maxModels)
	}
	if kept := c.For("model-3"); c.For("model-3") != kept {
		t.Error("a model that is kept was resolved again")
	}
	if kept := c.For("the newest"); c.For("the newest") != kept {
		t.Error("a new model is resolved anew each time: others took all places for good")
	}
	c.For(strings.Repeat("m", maxModelName+1))
	if n := longest(c.models); n > maxModelName {
		t.Errorf("a name of %d bytes is kept, want at most %d", n, maxModelName)
	}
}

// longest returns the length of the longest name.
func longest(models map[string]*tables) (n int) {
	for name := range models {
		n = max(n, len(name))
	}
	return n
}

func TestMemo(t *testing.T) {
	m := newMemo(1 << 10)
	const keys = 1 << 14
	key := func(i int) memoKey { return hashKey(fmt.Append(nil, i)) }
	found := 0
	for i := range keys {
		m.put(key(i), uint64(i)<<32)
		if v, ok := m.get(key(i)); !ok || v != uint64(i)<<32 {
			t.Fatalf("the entry just put: %d, %v", v, ok)
		}
	}
	for i := range keys {
		if v, ok := m.get(key(i)); ok {
			if v != uint64(i)<<32 {
				t.Fatalf("entry %d holds %d", i, v)
			}
			found++
		}
	}
	if found == 0 || found > 1<<10 {
		t.Errorf("%d entries are kept, want at most %d", found, 1<<10)
	}
	m.put(key(keys-1), 7)
	if v, _ := m.get(key(keys - 1)); v != 7 {
		t.Errorf("an entry put again holds %d, want 7", v)
	}
}

func TestPrepare(t *testing.T) {
	if err := Prepare("gpt-4o", "gpt-oss-120b", "gpt-4", "some-model"); err != nil {
		t.Error(err)
	}
	<-Warm("gpt-4o")
	if done := Warm("o3-mini"); done != Warm("gpt-4.1") {
		t.Error("an encoding is warmed twice")
	}
	<-Warm("o3-mini")
}
