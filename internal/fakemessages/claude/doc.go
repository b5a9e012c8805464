// Package claude has what the API makes of each model of Anthropic's. It reads no request.
package claude
