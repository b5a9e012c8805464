// Package mcp serves the tool killick_expand over the Model Context Protocol (streamable HTTP), to
// clients that register it. It keeps no sessions and offers nothing else: the caller resolves refs
// and checks who may read them.
package mcp

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"killick/proxy/expand"
)

// Expand answers a call with these arguments, which are JSON text. ok is false if the text is an
// error message.
type Expand func(ctx context.Context, arguments []byte) (text string, ok bool)

// maxRequest is the maximum size of a request: a call has two short arguments.
const maxRequest = 64 << 10

// Handler returns the server. of returns the function that answers the calls of a request. It is
// called for each request, since each has its own credential.
func Handler(version string, of func(*http.Request) Expand) http.Handler {
	about := &mcp.Implementation{Name: "killick", Title: "Killick", Version: version}
	tool := &mcp.Tool{
		Name: expand.Name, Title: "Text that was left out", Description: expand.About,
		InputSchema: json.RawMessage(expand.Schema),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true},
	}
	server := func(r *http.Request) *mcp.Server {
		answer := of(r)
		s := mcp.NewServer(about, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{
			Tools: &mcp.ToolCapabilities{}}})
		s.AddTool(tool, func(
			ctx context.Context, call *mcp.CallToolRequest,
		) (*mcp.CallToolResult, error) {
			text, ok := answer(ctx, call.Params.Arguments)
			return &mcp.CallToolResult{
				Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: !ok,
			}, nil
		})
		return s
	}
	return mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxRequest,
		// Pages can do nothing here without a credential, which they do not have; and behind a
		// gateway on the same machine the host is the gateway's.
		DisableLocalhostProtection: true,
	})
}
