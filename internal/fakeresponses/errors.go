package fakeresponses

import (
	"fmt"
	"net/http"

	"killick/internal/fakeserver/openaiapi"
)

// Wordings are OpenAI's, as the public reports beside them quote them. Where no report was found,
// the wording follows the nearest one.
const (
	// continuedev/continue#10092; vscode#320060: param input, code null
	noCall = "No tool call found for %s output with call_id %s."
	// router-for-me/CLIProxyAPI#2368; of custom tools: diegosouzapw/OmniRoute#8946
	noOutput = "No tool output found for %s %s."
	// continuedev/continue#10723, MacPaw/OpenAI#432
	duplicateItem = "Duplicate item found with id %s. Remove duplicate items from your input and " +
		"try again."
	// as a gateway words it, NousResearch/hermes-agent#102629
	duplicateOutput = "Duplicate %s for call_id '%s'. Each call must have exactly one matching " +
		"output."
	duplicateCall = "Duplicate 'call_id': %s" // earendil-works/pi#9057
	noApproval    = "No MCP approval request found for response with approval_request_id %s."
	// continuedev/continue#8933
	noFollower = "Item '%s' of type 'reasoning' was provided without its required following item."
	// TanStack/ai#1212
	noReasoning = "Item '%s' of type '%s' was provided without its required 'reasoning' item: '%s'."
	// can1357/oh-my-pi#41
	notPersisted = "Item with id '%s' not found. Items are not persisted when `store` is set to " +
		"false. Try again with `store` set to true, or remove this item from your input."
	// Wei-Shaw/sub2api#2863; the reason is that of its report whatever the fault
	notVerified = "The encrypted content %s could not be verified. Reason: Encrypted content " +
		"could not be decrypted or parsed."
	// router-for-me/CLIProxyAPI#4148
	triggerNotLast = "The 'compaction_trigger' item must be the final input item."
	// maximhq/bifrost#2441
	noPrevious = "Previous response with id '%s' not found."
	// openai/codex#19269: param input
	overWindow = "Your input exceeds the context window of this model. Please adjust your input " +
		"and try again."
	// from memory, as the next one: no report was found
	exclusive = "Mutually exclusive parameters: '%s' and '%s'. Ensure you are only providing one " +
		"of: '%[1]s' or '%[2]s'."
	moved = "Unsupported parameter: '%s'. In the Responses API, this parameter has moved to " +
		"'%s'. Try again with the new parameter."
)

// invalidInput is an error about the input as a whole, without a code.
func invalidInput(format string, args ...any) *openaiapi.Error {
	return openaiapi.BadRequest("input", "", format, args...)
}

func notFound(param, format string, args ...any) *openaiapi.Error {
	return &openaiapi.Error{Status: http.StatusNotFound, Type: openaiapi.InvalidRequest,
		Param: param, Message: fmt.Sprintf(format, args...)}
}

// exceeded is how OpenAI says that a request exceeds the window.
func exceeded() *openaiapi.Error {
	return openaiapi.BadRequest("input", "context_length_exceeded", overWindow)
}

// unverified is the error for encrypted content that is not what this organization was given.
func unverified(content string) *openaiapi.Error {
	if len(content) > 8 {
		content = content[:4] + "..." + content[len(content)-4:]
	}
	return openaiapi.BadRequest("", "invalid_encrypted_content", notVerified, content)
}
