package settings

import (
	"math"
	"strings"

	"killick/view"
)

// Window is the context window of a model.
type Window struct {
	Tokens  int
	Reserve int // the part of Tokens that is left for the reply
}

// DefaultWindow is assumed for models that are in no table. It is the window of the smaller
// models on offer.
var DefaultWindow = Window{Tokens: 128_000, Reserve: 8_192}

// KnownWindows has the context windows that providers publish on their model
// pages (developers.openai.com/api/docs/models, platform.claude.com/docs, ai.google.dev,
// api-docs.deepseek.com, docs.mistral.ai, docs.x.ai, the model cards of Llama and Qwen, for the
// names that Bedrock alone has docs.aws.amazon.com/bedrock and docs.aws.amazon.com/nova,
// and the data of npm @pydantic/genai-prices 0.1.8),
// by prefix of the model's name. The longest prefix wins. The reserve is not published. It is
// smaller than the largest possible replies: these are rare, and reserving room for them would
// compact many conversations too early. If a provider publishes the most input, as OpenAI does for
// its windows of 1.05 million tokens, the reserve is the rest of the window.
var KnownWindows = map[string]Window{
	"gpt-5":              {400_000, 32_000},
	"gpt-5-chat":         {128_000, 16_000},
	"gpt-5.3":            {128_000, 16_000},
	"gpt-5.3-codex":      {400_000, 32_000},
	"gpt-5.4":            {1_050_000, 128_000},
	"gpt-5.4-mini":       {400_000, 32_000},
	"gpt-5.4-nano":       {400_000, 32_000},
	"gpt-5.5":            {1_050_000, 128_000},
	"gpt-5.6":            {1_050_000, 128_000},
	"gpt-6":              {1_050_000, 128_000},
	"gpt-4.1":            {1_047_576, 32_000},
	"gpt-4.5":            {128_000, 16_000},
	"gpt-4o":             {128_000, 16_000},
	"gpt-4-turbo":        {128_000, 4_096},
	"gpt-4-1106":         {128_000, 4_096},
	"gpt-4-0125":         {128_000, 4_096},
	"gpt-4-32k":          {32_768, 4_096},
	"gpt-4":              {8_192, 1_024},
	"gpt-3.5-turbo":      {16_385, 4_096},
	"gpt-oss":            {131_072, 16_000},
	"chatgpt-4o":         {128_000, 16_000},
	"o1":                 {200_000, 32_000},
	"o1-mini":            {128_000, 32_000},
	"o1-preview":         {128_000, 32_000},
	"o3":                 {200_000, 32_000},
	"o4-mini":            {200_000, 32_000},
	"claude":             {200_000, 16_000},
	"claude-opus-4-6":    {1_000_000, 32_000},
	"claude-opus-4-7":    {1_000_000, 32_000},
	"claude-opus-4-8":    {1_000_000, 32_000},
	"claude-opus-4.6":    {1_000_000, 32_000},
	"claude-opus-4.7":    {1_000_000, 32_000},
	"claude-opus-4.8":    {1_000_000, 32_000},
	"claude-sonnet-4-6":  {1_000_000, 32_000},
	"claude-sonnet-4.6":  {1_000_000, 32_000},
	"claude-fable-5":     {1_000_000, 32_000},
	"claude-haiku-5":     {1_000_000, 32_000},
	"claude-opus-5":      {1_000_000, 32_000},
	"claude-sonnet-5":    {1_000_000, 32_000},
	"gemini-1.5-pro":     {2_097_152, 8_192},
	"gemini":             {1_048_576, 16_000},
	"deepseek":           {128_000, 8_192},
	"deepseek-flash":     {1_000_000, 16_000},
	"deepseek-v4":        {1_000_000, 16_000},
	"mistral-large":      {128_000, 8_192},
	"mistral-large-2512": {262_144, 8_192},
	"mistral-medium-3.5": {262_144, 8_192},
	"mistral-medium-3-5": {262_144, 8_192},
	"mistral-small-2603": {262_144, 8_192},
	"mistral-small":      {128_000, 8_192},
	"codestral":          {256_000, 8_192},
	"llama-3.1":          {131_072, 8_192},
	"llama-3.2":          {131_072, 8_192},
	"llama-3.3":          {131_072, 8_192},
	"qwen2.5":            {131_072, 8_192},
	"qwen3":              {131_072, 8_192},
	"qwen3.7-max":        {1_000_000, 16_000},
	"grok-4":             {256_000, 16_000},
	"grok-4-1-fast":      {2_000_000, 16_000},
	"grok-4-fast":        {2_000_000, 16_000},
	"grok-4.20":          {1_000_000, 16_000},
	"grok-4.3":           {1_000_000, 16_000},
	"grok-4.5":           {500_000, 16_000},
	"grok-4.6":           {500_000, 16_000},
	"grok-4.7":           {500_000, 16_000},
	"grok-3":             {131_072, 16_000},
	"kimi-k2":            {131_072, 8_192},
	"kimi-k2.5":          {262_144, 16_000},
	"kimi-k2.6":          {262_144, 16_000},
	"kimi-k2.7":          {262_144, 16_000},
	"kimi-k3":            {1_048_576, 16_000},
	"glm-5":              {200_000, 16_000},
	"glm-5.2":            {1_000_000, 16_000},
	"glm-5.3":            {1_000_000, 16_000},
	"llama3-1":           {128_000, 8_192}, // as Bedrock spells it, like the next ones
	"llama3-2":           {128_000, 8_192},
	"llama3-3":           {128_000, 8_192},
	"llama4":             {1_000_000, 8_192},
	"nova-2":             {1_000_000, 16_000},
	"nova-lite":          {300_000, 8_192},
	"nova-micro":         {128_000, 8_192},
	"nova-premier":       {1_000_000, 16_000},
	"nova-pro":           {300_000, 8_192},
	"minimax-m2":         {204_800, 16_000},
	"minimax-m3":         {1_000_000, 16_000},
}

// longestKnown is the length of the longest name in KnownWindows.
var longestKnown = func() (most int) {
	for name := range KnownWindows {
		most = max(most, len(name))
	}
	return most
}()

// WindowOf returns the window of a model: the operator's (by exact name or by a pattern as in
// path.Match), else the published one, else the default. Prefixes of gateways ("openai/"), of
// clouds ("us.anthropic.") and of fine-tunes ("ft:") and dates after a name are ignored.
func WindowOf(model string, own map[string]Window) Window {
	if w, ok := ForModel(own, model); ok {
		return w.OrDefault()
	}
	name := strings.ToLower(model)
	name = name[strings.LastIndexByte(name, '/')+1:]
	name = strings.TrimPrefix(name, "ft:")
	for range maxPrefixes {
		for n := min(len(name), longestKnown); n > 0; n-- { // clients send names of any length
			if w, ok := KnownWindows[name[:n]]; ok {
				return w
			}
		}
		prefix, rest, found := strings.Cut(name, ".")
		if !found || strings.ContainsAny(prefix, "0123456789") {
			break
		}
		name = rest
	}
	return DefaultWindow
}

// maxPrefixes is one more than the dotted words that clouds put before a name: a region, a vendor.
const maxPrefixes = 3

// OrDefault returns the window with defaults in fields that are zero.
func (w Window) OrDefault() Window {
	if w.Tokens <= 0 {
		w.Tokens = DefaultWindow.Tokens
	}
	if w.Reserve <= 0 {
		w.Reserve = min(DefaultWindow.Reserve, w.Tokens/8)
	}
	return w
}

// For returns the window of a request that asks for these sizes: its own if it sets one, else the
// model's. The completion takes its part of a window that is set.
func (w Window) For(asked view.Limits) Window {
	if asked.Window <= 0 {
		return w
	}
	n := min(max(asked.Window, minWindow), math.MaxInt32)
	return Window{Tokens: n, Reserve: max(min(w.Reserve, n/8), min(asked.Output, n/2))}
}

// minWindow is the smallest window that is accepted as true.
const minWindow = 256
