// Package fakemessages is a scripted upstream for Anthropic's Messages API: a server on loopback
// that answers POST /v1/messages and /v1/messages/count_tokens, refuses what the API is documented
// to refuse, keeps a prompt cache by marks, and signs thinking.
//
// What it checks, and from where it is known ([A] is anthropic-sdk-go v1.84.0, [D] is
// https://platform.claude.com/docs/en/build-with-claude):
//
//   - Members of requests, messages and blocks, and which of them need a beta: [A]. A member that
//     is not known is "…: Extra inputs are not permitted" (BerriAI/litellm#41202).
//   - Roles, empty texts, prefill ([A]; vscode-unify-chat-provider#249, claude-code#59812).
//   - Calls and results: each tool_use is answered at the start of the next user turn, once
//     (claude-code#2697, CLIProxyAPI#497); a server tool in its own turn (claude-code#64383),
//     which goes on after results of the client's alone (anthropic-sdk-typescript#1090).
//   - cache_control: at most four, 1h before 5m in the order tools, system, messages, not on
//     thinking or empty text ([A]; sub2api#176, claude-code-cache-fix#44, stakpak/agent#511), nor
//     on calls by code and their results (langchain#34579).
//   - The prompt cache ([D]/prompt-caching): an entry is written at each mark and read from a mark
//     back over 20 places, of which a run of calls, or of results, is one; minimum by model; TTL
//     from the last use; tools invalidate all, tool_choice, images and thinking settings the
//     messages; per model and key.
//   - Settings of thinking by model ([D]/thinking-troubleshooting), manual thinking at the start of
//     a running tool loop (opencode#3077).
//   - Signatures: an altered signature is refused with every model, and so is altered or partly
//     removed thinking in the latest assistant turn (claude-code#63448, #12311).
//   - Preserved thinking ([D]/preserved-thinking, …/prefix-checks): a block is valid while system,
//     the set of tools and the messages before it have the same values, and while the thinking
//     block before it is the one that stood there when it was made. Thinking may be removed from
//     the start, from the end, or all of it; a gap is refused. cache_control and the spelling of
//     JSON do not count; a billing line in system does. Refused with 400, or with drop_block
//     dropped and listed in input_transformations.
//   - Summaries on request ([D]/compaction-on-demand, …/compaction-thinking-blocks): thinking
//     after a signed block stays valid if it directly follows what the block stands for.
//   - Sizes over 32 MB (https://platform.claude.com/docs/en/api/errors).
//
// Where it is stricter than the API is known to be: altered thinking is refused in every turn, not
// in the latest alone; the first message must be the user's; a call of a server tool must keep a
// member of its input; a call by code must follow that code in its turn.
//
// What it does not do: it runs no server tools and no context_management, which it accepts and
// ignores; it gives no cache_miss_reason; it does not check the header anthropic-beta for unknown
// values, tool inputs against their schemas, max_tokens against the model's most or the length of a
// reply, images and documents behind URLs, organizations or end users. A mark inside a tool_result
// counts as one at its end. No prompt is too long. Counts are counts of text, not those of
// Anthropic's tokenizers. Unknown models are answered with 404: see Config.Models.
//
// Sign makes signed thinking for recorded conversations. Faults, recording and the writing of
// streams are those of package fakeserver. It is not a model and connects to nothing.
package fakemessages
