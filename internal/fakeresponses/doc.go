// Package fakeresponses is a scripted upstream that speaks OpenAI's Responses API: a server on
// loopback that checks requests as strictly as OpenAI is documented to, answers what the script
// sets, counts tokens, keeps responses and a prompt cache per organization, and fails on demand. It
// serves tests, the demo and load generators. It is not a model, reads no files, and never connects
// to anything.
//
// Paths: POST /v1/responses, /v1/responses/compact, /v1/responses/input_tokens and
// /v1/conversations; GET and DELETE of /v1/responses/{id}; GET /v1/responses with an upgrade to
// WebSocket, which sends each message back.
//
// # What it checks
//
// Members and their values are those of openai-go v3.95.0, which is generated from OpenAI's
// specification; wordings are those of the reports named in errors.go.
//
//   - Items of the input: known types, the members that each must have, statuses, the beginnings of
//     ids, roles, and the types of parts by role (input_text against output_text:
//     jeremychone/rust-genai#119). Ids that Codex leaves out are not asked for (openai/codex,
//     codex-rs/protocol/src/models.rs).
//   - Pairs by call_id: no output without a call before it, no call without an output unless it is
//     asynchronous, no call_id and no id twice. A message of the model may be between a call and
//     its output (leookun/cursor-byok#307).
//   - Reasoning: encrypted content is as it was made, for this organization and this id, else
//     invalid_encrypted_content (openai/codex#8145, Wei-Shaw/sub2api#2863); without it, the item
//     must be stored, else 404 (can1357/oh-my-pi#41). An item that the model made follows
//     (openai/openai-agents-python#1611); for a stored one, the very item. A stored item comes with
//     the reasoning that it belongs to (TanStack/ai#1212).
//   - State: previous_response_id (maximhq/bifrost#2441) or conversation, not both; references to
//     stored items; store is true unless it is said otherwise.
//   - Compaction: context_management; compaction_trigger as the last item, answered by one
//     compaction item (router-for-me/CLIProxyAPI#4148, farion1231/cc-switch#5536); a compaction
//     item comes back with the id that it was given.
//   - Prompt caching: prefixes of 1,024 tokens and more in steps of 128 by organization, model, key
//     and what else prompt_cache_diagnostics names; for gpt-5.6 and later models, and in explicit
//     mode, at breakpoints alone: up to four written, the latest 80 looked up, no fallback to a
//     shorter prefix, 30 minutes or 12 hours (openai-go v3.95.0,
//     ResponseNewParamsPromptCacheOptions; openai/codex#35300 for where the server sets its own).
//     prompt_cache_retention together with prompt_cache_options is refused (docs.langchain4j.dev,
//     OpenAiOfficialPromptCacheOptions).
//   - Windows: context_length_exceeded; truncation auto.
//
// # What it does not
//
// Members that it does not know are not refused, and of tools only type and name are read. Nothing
// is run in the background, no input is moderated, no tool is hosted, and no prompt template is
// known. Streams carry no obfuscation. What the model said is not added to the prompt cache.
// Whether a breakpoint is supported by the model is not asked. A prompt_cache_key is a wall between
// caches, where OpenAI's is a hint. The tokens of an image and of a file are constants.
package fakeresponses
