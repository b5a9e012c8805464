// Package openaiapi is what scripted upstreams share that speak an API of OpenAI's, chat
// completions or responses: the shape and the wordings of errors, the headers of answers, and how
// credentials come. It knows no request.
package openaiapi
