// Command agents runs real coding agents, as npm installs them, against a scripted model on
// loopback: straight, and through the built proxy. Their calls are carried out in a project that is
// generated for each run. It checks that every run ends as without the proxy, that no request is
// invalid, what was saved, and when the agent compacted by itself.
//
//	go run ./internal/agents -agents claude-code,codex -turns 35
//
// It is for maintainers and for docs/agents.md. It reaches the npm registry to install what package
// programs lists; the agents themselves reach loopback alone. It calls no model, uses no key of
// anybody's, and writes to its cache and output folders only.
package main
