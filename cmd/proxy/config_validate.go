package main

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"killick/cache"
	"killick/compactor"
)

// validate records every fault of the configuration as a whole. Keys that
// could not even be read are left alone: their fault is known.
func (l *loader) validate() {
	l.validateListeners()
	l.validateTLS()
	l.validateAuth()
	l.validateURL("upstream.base_url", l.Upstream.BaseURL, true)
	l.validateURL("model.base_url", l.Model.BaseURL, false)
	l.validateUpstream()
	l.validateOutbound()
	l.validateCORS()
	l.validateSecrets()
	l.validateCompaction()
	l.validateModel()
	l.validateProbe()
	l.validateModels()
	l.validateCache()
	l.validateTimes()
	if l.Model != Default().Model && l.Compaction.Summarizer != "model" {
		l.warn("model", "no model is asked while compaction.summarizer is %s; the section is ignored", l.Compaction.Summarizer)
	}
	l.oneOf("log.level", l.Log.Level, "debug", "info", "warn", "error")
	l.oneOf("log.format", l.Log.Format, "auto", "text", "json")
	if l.Limits.MaxBody < 1<<10 {
		l.invalid("limits.max_body", "%s is too small for a chat request; write 64MiB or the like", l.Limits.MaxBody)
	}
	if l.Limits.MaxHeld < l.Limits.MaxBody && !l.faulty("limits.max_body") {
		l.invalid("limits.max_held", "%s is below limits.max_body, which is %s; the largest request would never fit", l.Limits.MaxHeld, l.Limits.MaxBody)
	}
}

// invalid records a fault of a key where it was set, unless it has one.
func (l *loader) invalid(path, format string, args ...any) {
	if !l.faulty(path) {
		l.fail(path, l.originOf(path), format, args...)
	}
}

func (l *loader) warn(path, format string, args ...any) {
	if l.faulty(path) {
		return
	}
	f := fault{origin: l.originOf(path), path: path, problem: fmt.Sprintf(format, args...)}
	l.warnings = append(l.warnings, f.String())
}

// originOf returns the place that set a key, else a key below or above it.
func (l *loader) originOf(path string) origin {
	for _, key := range schema {
		if o, ok := l.origins[key.path]; ok && strings.HasPrefix(key.path, path+".") {
			return o
		}
	}
	for p := path; p != ""; {
		if o, ok := l.origins[p]; ok {
			return o
		}
		p = p[:max(0, strings.LastIndexByte(p, '.'))]
	}
	return origin{}
}

func (l *loader) oneOf(path, got string, choices ...string) {
	for _, c := range choices {
		if got == c {
			return
		}
	}
	hint := ""
	if near := closest(got, choices); near != "" {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	l.invalid(path, "%s is none of %s%s", quote(got), strings.Join(choices, ", "), hint)
}

func (l *loader) validateListeners() {
	l.validateAddress("listen", l.Listen)
	if l.Admin.Listen == "" {
		return
	}
	l.validateAddress("admin.listen", l.Admin.Listen)
	if host, _, err := net.SplitHostPort(l.Admin.Listen); err == nil && !isLoopback(host) && l.Admin.Token == "" {
		l.fail("admin.token", l.originOf("admin.listen"), "admin.listen is %s, open to the network, and the admin API would ask nobody who they are; "+
			"set admin.token (KILLICK_ADMIN_TOKEN), or listen on 127.0.0.1", quote(l.Admin.Listen))
	}
	if l.Listen == l.Admin.Listen && !strings.HasSuffix(l.Listen, ":0") {
		l.invalid("admin.listen", "%s is the address of listen too; give them different ports", l.Listen)
	}
}

func (l *loader) validateAddress(path, addr string) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		hint := "127.0.0.1:8080 or :8080"
		if n, err := strconv.ParseUint(addr, 10, 16); err == nil {
			hint = fmt.Sprintf("127.0.0.1:%d or :%d", n, n)
		} else if strings.Contains(addr, "://") {
			hint += ", without a scheme"
		} else if addr != "" && !strings.ContainsAny(addr, ":/ ") {
			hint = addr + ":8080"
		}
		l.invalid(path, "%s is not an address to listen on; write host:port, such as %s", quote(addr), hint)
		return
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil {
		l.invalid(path, "%s has no valid port; write a number from 0 to 65535", quote(addr))
	} else if n == 0 {
		l.warn(path, "port 0 takes any free port; the log says which")
	}
	if strings.ContainsAny(host, "/ ") {
		l.invalid(path, "%s is not a host; write a name or an IP address before the port", quote(host))
	}
}

// validateURL checks the base of an API.
func (l *loader) validateURL(path, text string, required bool) {
	if text == "" {
		if required {
			l.invalid(path, "is empty; write the base of the API, such as https://api.openai.com/v1")
		}
		return
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		// The parser's message quotes the URL, which may hold a password.
		l.invalid(path, "is not a URL; write the base of the API, such as https://api.openai.com/v1")
	case u.Scheme != "http" && u.Scheme != "https":
		l.invalid(path, "wants a URL that begins with http:// or https://, such as https://api.openai.com/v1")
	case u.Hostname() == "":
		l.invalid(path, "%s names no host", quote(text))
	case u.User != nil:
		l.invalid(path, "holds credentials; move them to %s (or leave it empty to pass the client's own on)", sibling(path, "api_key"))
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		l.invalid(path, "wants no query and no fragment; clients send those themselves")
	case strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/chat/completions"):
		l.invalid(path, "%s is the address of one call; write the base before /chat/completions", quote(text))
	case strings.Trim(u.Path, "/") == "":
		l.warn(path, "%s has no path, so /v1/models goes to %s/models; most APIs want a base that ends in /v1", text, strings.TrimSuffix(text, "/"))
	}
}

// sibling returns the path of another key of the same section.
func sibling(path, key string) string { return path[:strings.LastIndexByte(path, '.')+1] + key }

// validateUpstream refuses an upstream that is the proxy itself, and warns
// where its key is open to a network.
func (l *loader) validateUpstream() {
	host, port, err := net.SplitHostPort(l.Listen)
	if err != nil || l.faulty("upstream.base_url") {
		return
	}
	u, err := url.Parse(l.Upstream.BaseURL)
	if err != nil {
		return
	}
	upPort := u.Port()
	if upPort == "" {
		upPort = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	here := isLoopback(u.Hostname()) && (host == "" || isLoopback(host) || isAnyAddress(host))
	if port != "0" && port == upPort && (here || host != "" && host == u.Hostname()) {
		l.invalid("upstream.base_url", "%s is where the proxy itself listens (%s); it would call itself for ever", quote(l.Upstream.BaseURL), l.Listen)
	}
	if l.Upstream.APIKey != "" && !isLoopback(host) && len(l.Auth.Keys) == 0 && l.TLS.ClientCAFile == "" {
		l.warn("listen", "%s is open to the network, and whoever reaches it spends upstream.api_key; ask for inbound keys (auth.keys), listen on 127.0.0.1 or leave the key to the clients", l.Listen)
	}
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func isAnyAddress(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}

// validateSecrets refuses keys that cannot be sent, without showing them.
func (l *loader) validateSecrets() {
	for _, path := range secretPaths() {
		text := leafAt(path).value(&l.Config).String()
		switch {
		case strings.HasPrefix(text, "${") || strings.HasPrefix(text, "$("):
			l.invalid(path, "variables are not expanded in the file; leave the key out and set %s", leafAt(path).env())
		default:
			l.headerValue(path, text)
		}
	}
}

func (l *loader) validateCompaction() {
	c := &l.Compaction
	l.oneOf("compaction.profile", c.Profile, "guard", "balanced", "saver")
	l.oneOf("compaction.summarizer", c.Summarizer, "extractive", "model")
	if c.Prepare <= 0 || c.Prepare >= 1 {
		l.invalid("compaction.prepare", "%v is not a share of the way from target to trigger (0 < x < 1)", c.Prepare)
	}
	if c.MinGain <= 0 || c.MinGain >= 1 {
		l.invalid("compaction.min_gain", "%v is not a share of the trigger (0 < x < 1)", c.MinGain)
	}
	l.notNegative("compaction.protect_turns", c.ProtectTurns)
	if c.MinMaskTokens < 1 {
		l.invalid("compaction.min_mask_tokens", "%d is no size of an output; write 1 or more tokens", c.MinMaskTokens)
	}
	if c.SummaryChars < leastSummary {
		l.invalid("compaction.summary_chars", "%d leaves no room for a summary (≥ %d)", c.SummaryChars, leastSummary)
	}
	l.notNegative("compaction.record_tokens", c.RecordTokens)
	l.notNegative("compaction.index_tokens", c.IndexTokens)
	if c.Ingest != 0 && c.Ingest < leastIngest {
		l.invalid("compaction.ingest", "%d tokens leave nothing of an output to show; write 0 for never, or %d and more", c.Ingest, leastIngest)
	}
	for i, name := range c.ExcludeTools {
		if strings.TrimSpace(name) == "" {
			l.invalid("compaction.exclude_tools", "item %d is empty; write the name of a tool", i+1)
		}
		l.pattern("compaction.exclude_tools", name)
	}
	if len(c.Pin) > mostPins {
		l.invalid("compaction.pin", "%d patterns; at most %d are allowed", len(c.Pin), mostPins)
	}
	for i, pattern := range c.Pin {
		if err := compactor.CheckPin(pattern); err != nil {
			l.invalid("compaction.pin", "item %d %v", i+1, err)
		}
	}
	l.validateTarget()
}

// mostPins bounds the patterns that every message is held against.
const mostPins = 64

// validateTarget compares trigger and target where both are in one unit, and
// both with the windows that the configuration names where they are not.
func (l *loader) validateTarget() {
	const key = "compaction.target"
	trigger, target := l.Compaction.Trigger, l.Compaction.Target
	if l.faulty("compaction.trigger") || l.faulty(key) {
		return
	}
	if (trigger <= 1) == (target <= 1) {
		if target >= trigger {
			l.invalid(key, "%s is not below compaction.trigger, which is %s", target, trigger)
		}
		return
	}
	for _, name := range slices.Sorted(maps.Keys(l.Models)) {
		m := l.Models[name]
		if m.Window > 0 && target.Of(m.Window) >= trigger.Of(m.Window) {
			l.warn(key, "%s is not below the trigger %s in the window of %s, %d tokens; there a compaction stops at nine tenths of the trigger",
				target, trigger, name, m.Window)
		}
	}
}

// leastIngest is the smallest output that still says something when it is
// shortened.
const leastIngest = 300

// leastSummary is the fewest characters that the sections of a summary, each
// with its heading, fit in.
const leastSummary = 1000

// pattern refuses what path.Match would, in the names of models and tools.
func (l *loader) pattern(at, text string) {
	if _, err := path.Match(text, ""); err != nil {
		l.invalid(at, "%s is not a pattern; * stands for any characters but /, and [ needs its ]", quote(text))
	}
}

// leastOutput is the fewest tokens that a summary's sections fit in.
const leastOutput = 500

func (l *loader) validateModel() {
	m := &l.Model
	if m.Name == "" && (m.BaseURL != "" || m.APIKey != "") && !l.faulty("model.base_url") && !l.faulty("model.api_key") {
		l.invalid("model.name", "is empty, so the client's own model is asked with its own key; name the model that model.base_url and model.api_key are for")
	}
	if m.Window != 0 && m.Window < leastTokens {
		l.invalid("model.window", "%d is not a window in tokens (≥ %d); write 0 for the published one", m.Window, leastTokens)
	}
	if m.MaxOutput < leastOutput {
		l.invalid("model.max_output", "%d tokens leave no room for a summary (≥ %d)", m.MaxOutput, leastOutput)
	}
	if m.Window >= leastTokens && m.MaxOutput > m.Window/2 && !l.faulty("model.max_output") {
		l.invalid("model.max_output", "%d leaves less than half of model.window, which is %d, to what is summarised", m.MaxOutput, m.Window)
	}
	l.notNegative("model.max_calls", m.MaxCalls)
	if m.MaxSpend < 0 {
		l.invalid("model.max_spend", "%v is negative; write US dollars, or 0 for any number", m.MaxSpend)
	}
}

func (l *loader) validateProbe() {
	p := &l.Probe
	share := func(path string, f float64) {
		if f < 0 || f > 1 {
			l.invalid(path, "%v is not a score (0 ≤ x ≤ 1)", f)
		}
	}
	share("probe.threshold", p.Threshold)
	share("probe.hard_fail_threshold", p.HardFailThreshold)
	if !l.faulty("probe.threshold") && p.HardFailThreshold > p.Threshold {
		l.invalid("probe.hard_fail_threshold", "%v is above probe.threshold, which is %v; a summary would pass and fail at once", p.HardFailThreshold, p.Threshold)
	}
	l.notNegative("probe.max_questions", p.MaxQuestions)
	l.oneOf("probe.on_error", p.OnError, onErrorAccept, onErrorReject)
}

func (l *loader) validateModels() {
	for _, name := range slices.Sorted(maps.Keys(l.Models)) {
		m, at := l.Models[name], join("models", name)
		l.pattern(at, name)
		if strings.TrimSpace(name) == "" {
			l.invalid(at, "a model has no name; write its name or a pattern such as gpt-5*")
		}
		if m.Window != 0 && m.Window < leastTokens {
			l.invalid(at+".window", "%d is not a window in tokens (≥ %d)", m.Window, leastTokens)
		}
		l.notNegative(at+".output_reserve", m.OutputReserve)
		if m.Window == 0 && m.OutputReserve > 0 {
			l.invalid(at+".output_reserve", "wants the window that it is taken from; write %s.window beside it", at)
		}
		if m.Window > 0 && m.OutputReserve >= m.Window {
			l.invalid(at+".output_reserve", "%d leaves no room for input in the window of %d", m.OutputReserve, m.Window)
		}
		l.validateOwn(at, m)
		l.price(at+".prices.input", m.Prices.Input)
		l.price(at+".prices.cached", m.Prices.Cached)
		l.price(at+".prices.output", m.Prices.Output)
	}
}

// validateOwn checks what a model has for itself of the settings of compaction.
func (l *loader) validateOwn(at string, m ModelSpec) {
	if m.Profile != "" {
		l.oneOf(at+".profile", m.Profile, "guard", "balanced", "saver")
	}
	if m.Ingest.N != 0 && m.Ingest.N < leastIngest {
		l.invalid(at+".ingest", "%d tokens leave nothing of an output to show; write 0 for never, or %d and more", m.Ingest.N, leastIngest)
	}
	own := l.Compaction.with(&m)
	if m.Trigger == 0 && m.Target == 0 || l.faulty(at+".trigger") || l.faulty(at+".target") || l.faulty(at+".profile") {
		return
	}
	if (own.Trigger <= 1) == (own.Target <= 1) && own.Target >= own.Trigger {
		l.invalid(at+".target", "%s is not below the trigger of %s, which is %s", own.Target, at, own.Trigger)
	}
}

func (l *loader) price(path string, usd float64) {
	if usd < 0 {
		l.invalid(path, "%v is not a price; write US dollars per million tokens", usd)
	}
}

func (l *loader) validateCache() {
	c := &l.Cache
	if c.TTL > 0 && c.TTL < time.Minute {
		l.invalid("cache.ttl", "%s is too short to be of use; write 168h or the like, at least 1m", c.TTL)
	}
	if c.InMemory {
		return
	}
	if strings.TrimSpace(c.Dir) == "" {
		l.invalid("cache.dir", "is empty; write a directory, or set cache.in_memory")
		return
	}
	if inside(c.Dir, c.SecretPath()) {
		l.invalid("cache.secret_file", "%s lies in cache.dir (%s); a copy of the store must not carry its secret, put it elsewhere", c.SecretPath(), c.Dir)
	}
	if c.EncryptionKeyFile == "" {
		return
	}
	if inside(c.Dir, c.EncryptionKeyFile) {
		l.invalid("cache.encryption_key_file", "%s lies in cache.dir (%s); a copy of the store must not carry its key, put it elsewhere", c.EncryptionKeyFile, c.Dir)
	} else if _, err := cache.LoadKey(c.EncryptionKeyFile); err != nil {
		l.invalid("cache.encryption_key_file", "%v", err)
	}
}

// inside tells whether a path lies in a directory, or is it.
func inside(dir, path string) bool {
	dir, err1 := filepath.Abs(dir)
	path, err2 := filepath.Abs(path)
	if err1 != nil || err2 != nil {
		return false // no working directory: the store will say so
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// mayBeNoTime are the durations that may be left out altogether.
var mayBeNoTime = map[string]bool{"timeouts.notice": true, "compaction.idle_after": true}

// validateTimes wants all other durations to be some time.
func (l *loader) validateTimes() {
	for _, key := range schema {
		d, ok := key.value(&l.Config).Interface().(time.Duration)
		switch {
		case !ok || d > 0 || d == 0 && mayBeNoTime[key.path]:
		case d < 0:
			l.invalid(key.path, "%s is negative; write a duration such as %s", d, key.defaultText())
		default:
			l.invalid(key.path, "0 leaves no time at all; write a duration such as %s", key.defaultText())
		}
	}
}

func (l *loader) notNegative(path string, n int) {
	if n < 0 {
		l.invalid(path, "%d is negative; write 0 or more", n)
	}
}
