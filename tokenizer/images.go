package tokenizer

import (
	"cmp"
	"math"
	"strings"
)

// imageRule is how a family of models turns an image into tokens. Sources of the figures: OpenAI,
// "Images and vision", section "Calculating costs"; Anthropic, "Images and vision", section
// "Evaluate image size" (patches of 28 pixels, 1,568 or 4,784 of them at most).
type imageRule struct {
	// For models that cut an image into tiles of 512 pixels: the tokens of each image and of each
	// tile.
	base, tile int

	// Models that cover an image with patches: their side in pixels, 32 if it is zero, tokens a
	// patch, and the largest number of patches and the longest side in pixels that detail
	// "high" keeps. Zero means no limit.
	patch    int
	perPatch float64
	patches  int
	side     int

	// The same limits where detail is "auto" or not given, and for "original".
	auto, original *imageRule
}

var (
	unlimitedPatches = &imageRule{perPatch: 1}
	originalPatches  = &imageRule{perPatch: 1, patches: 10000, side: 6000}
)

// imageRules are matched by prefix, the first one first. The last entry is for models without a
// published formula.
var imageRules = []struct {
	prefix string
	imageRule
}{
	{"gpt-4o-mini", imageRule{base: 2833, tile: 5667}},
	{"gpt-4.1-mini", imageRule{perPatch: 1.62, patches: 1536, side: 2048}},
	{"gpt-4.1-nano", imageRule{perPatch: 2.46, patches: 1536, side: 2048}},
	{"gpt-4", imageRule{base: 85, tile: 170}},
	{"chatgpt-4o", imageRule{base: 85, tile: 170}},
	{"o4-mini", imageRule{perPatch: 1.72, patches: 1536, side: 2048}},
	{"o1", imageRule{base: 75, tile: 150}},
	{"o3", imageRule{base: 75, tile: 150}},
	{"computer-use", imageRule{base: 65, tile: 129}},
	{"gpt-5-mini", imageRule{perPatch: 1.62, patches: 1536, side: 2048}},
	{"gpt-5-nano", imageRule{perPatch: 2.46, patches: 1536, side: 2048}},
	{"gpt-5-codex-mini", imageRule{perPatch: 1, patches: 1536, side: 2048}},
	{"gpt-5.1-codex-mini", imageRule{perPatch: 1, patches: 1536, side: 2048}},
	{"gpt-5.2", imageRule{perPatch: 1, patches: 1536, side: 2048}},
	{"gpt-5.3", imageRule{perPatch: 1, patches: 1536, side: 2048}},
	{"gpt-5.4-mini", imageRule{perPatch: 1.62, patches: 1536, side: 2048}},
	{"gpt-5.4-nano", imageRule{perPatch: 2.46, patches: 1536, side: 2048}},
	{"gpt-5.4", imageRule{perPatch: 1, patches: 2500, side: 2048, original: originalPatches}},
	{"gpt-5.5", imageRule{
		perPatch: 1, patches: 2500, side: 2048, auto: originalPatches, original: originalPatches,
	}},
	{"gpt-5.", imageRule{base: 70, tile: 140}}, // gpt-5.1
	{"gpt-5", imageRule{base: 70, tile: 140}},
	{"", imageRule{base: 85, tile: 170}},
}

// What Claude models see of an image: those with the older tokenizer, and those since Opus 4.7.
var (
	olderClaudeImages = imageRule{patch: 28, perPatch: 1, patches: 1568, side: 1568}
	newerClaudeImages = imageRule{patch: 28, perPatch: 1, patches: 4784, side: 2576}
)

// newestImages is for generations after the ones listed: no limit unless asked
// for, as gpt-5.6 has it.
var newestImages = imageRule{
	perPatch: 1, patches: 2500, side: 2048,
	auto: unlimitedPatches, original: unlimitedPatches,
}

// What is assumed of an image whose size cannot be read (a URL, a broken
// header), and the most that one may count where the model has no limit.
const (
	unknownWidth, unknownHeight = 2048, 1536
	maxPatches                  = 100_000 // 100 megapixels
)

func imageRuleFor(model string) *imageRule {
	switch generationOf(model) {
	case &olderClaude:
		return &olderClaudeImages
	case &newerClaude:
		return &newerClaudeImages
	}
	name := baseModel(model)
	minor, ok := strings.CutPrefix(name, "gpt-5.")
	if ok && minor != "" && minor[0] >= '6' && minor[0] <= '9' || strings.HasPrefix(name, "gpt-6") {
		return &newestImages
	}
	for i := range imageRules {
		if strings.HasPrefix(name, imageRules[i].prefix) {
			return &imageRules[i].imageRule
		}
	}
	return nil // not reached: the last prefix is empty
}

// tokens returns what an image of that size in pixels counts at a detail.
func (r *imageRule) tokens(width, height int, detail string) int {
	if width <= 0 || height <= 0 {
		width, height = unknownWidth, unknownHeight
	}
	if r.perPatch == 0 {
		return r.tiled(width, height, detail)
	}
	switch {
	case detail == "low":
		// The model sees a version of 512 × 512 pixels: 16 × 16 patches.
		width, height = 512, 512
	case detail == "original" && r.original != nil:
		r = &imageRule{perPatch: r.perPatch, patches: r.original.patches, side: r.original.side}
	case detail != "high" && r.auto != nil:
		r = &imageRule{perPatch: r.perPatch, patches: r.auto.patches, side: r.auto.side}
	}
	return r.patched(width, height)
}

func (r *imageRule) tiled(width, height int, detail string) int {
	if detail == "low" {
		return r.base
	}
	w, h := float64(width), float64(height)
	if long := max(w, h); long > 2048 {
		w, h = w*2048/long, h*2048/long
	}
	if short := min(w, h); short > 768 {
		w, h = w*768/short, h*768/short
	}
	return r.base + r.tile*cover(w, 512)*cover(h, 512)
}

func (r *imageRule) patched(width, height int) int {
	patch := cmp.Or(r.patch, 32)
	side := float64(patch)
	w, h := float64(width), float64(height)
	if long := max(w, h); r.side > 0 && long > float64(r.side) {
		w, h = w*float64(r.side)/long, h*float64(r.side)/long
	}
	if budget := r.patches; budget > 0 && cover(w, patch)*cover(h, patch) > budget {
		shrink := math.Sqrt(side * side * float64(budget) / (w * h))
		pw, ph := w*shrink/side, h*shrink/side
		shrink *= min(math.Floor(pw)/pw, math.Floor(ph)/ph)
		w, h = math.Floor(w*shrink+0.5), math.Floor(h*shrink+0.5)
	}
	n := cover(w, patch) * cover(h, patch)
	if r.patches > 0 {
		n = min(n, r.patches)
	}
	return int(math.Ceil(float64(min(n, maxPatches)) * r.perPatch))
}

// ceiling is the most that one image may count whatever its size and detail.
func (r *imageRule) ceiling() int {
	if r.perPatch == 0 {
		return r.base + 8*r.tile // 2048 × 768 pixels: 4 × 2 tiles
	}
	most := r.patches
	for _, other := range []*imageRule{r.auto, r.original} {
		if other != nil {
			most = max(most, other.patches)
			if other.patches == 0 {
				most = maxPatches
			}
		}
	}
	return int(math.Ceil(float64(most) * r.perPatch))
}

// cover returns how many pieces of a size cover a side, at least one. The margin is for sides that
// exceed a multiple of the size only by a rounding error.
func cover(side float64, piece int) int {
	return max(1, int(math.Ceil(side/float64(piece)-1e-9)))
}
