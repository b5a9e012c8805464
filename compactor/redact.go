package compactor

import "regexp"

// credentials match the published forms of keys and tokens, and what stands
// behind the word password or a bearer header. They are looked for in what a
// summary quotes, where a key serves nobody.
var credentials = regexp.MustCompile(`(?s)` +
	`\bsk-[A-Za-z0-9_-]{16,}` + // OpenAI, Anthropic (sk-ant-…), OpenRouter (sk-or-…)
	`|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}` + // GitHub
	`|\bglpat-[A-Za-z0-9_-]{16,}` + // GitLab
	`|\bxox[abeoprs]-[A-Za-z0-9-]{10,}` + // Slack
	`|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b` + // AWS access keys
	`|\bAIza[0-9A-Za-z_-]{35}` + // Google
	`|\b(?:sk|rk|pk)_(?:live|test)_[0-9A-Za-z]{16,}` + // Stripe
	`|\bhf_[A-Za-z0-9]{20,}|\bnpm_[A-Za-z0-9]{30,}|\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}` + // Hugging Face, npm, SendGrid
	`|\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}` + // JSON web tokens
	`|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)` +
	`|(?i:\bbearer\s+)[A-Za-z0-9._~+/=-]{16,}` +
	`|(?i:\b(?:password|passwd|secret|api[_-]?key|access[_-]?token)["']?\s*[:=]\s*["']?)[^\s"',;]{6,}`)

const redacted = "[credential removed]"

func redact(s string) string { return credentials.ReplaceAllLiteralString(s, redacted) }
