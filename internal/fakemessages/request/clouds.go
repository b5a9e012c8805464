package request

import (
	"strings"

	"killick/internal/fakemessages/jsontree"
)

// Cloud is the API on another platform. Its zero value is Anthropic's own.
type Cloud struct {
	Model   string // that the path names, and the body does not
	version string // how the member anthropic_version begins
	// byPath: the path says whether the answer is streamed, in Amazon's frames.
	byPath, streams bool
}

// CloudOf returns what a path says. Sources:
// https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai and
// https://platform.claude.com/docs/en/build-with-claude/claude-on-amazon-bedrock
func CloudOf(path string) Cloud {
	if _, rest, found := strings.Cut(path, "/publishers/anthropic/models/"); found {
		model, verb, _ := strings.Cut(rest, ":")
		if verb == "rawPredict" || verb == "streamRawPredict" {
			return Cloud{Model: model, version: "vertex-"}
		}
	}
	if _, rest, found := strings.Cut(path, "/model/"); found {
		for verb, streams := range map[string]bool{
			"/invoke": false, "/invoke-with-response-stream": true,
		} {
			if model, found := strings.CutSuffix(rest, verb); found {
				return Cloud{Model: model, version: "bedrock-", byPath: true, streams: streams}
			}
		}
	}
	return Cloud{}
}

// fields returns the members of a request as Anthropic's own API has them.
func (c Cloud) fields(o jsontree.Object) (jsontree.Object, *Error) {
	switch {
	case c.Model == "":
		return o, nil
	case o.Text("model") != "":
		return nil, extra("model")
	case c.byPath && o.Has("stream"):
		return nil, extra("stream")
	case !strings.HasPrefix(o.Text("anthropic_version"), c.version):
		return nil, required("anthropic_version")
	}
	o = append(o.Without("anthropic_version"), jsontree.Member{Name: "model", Value: c.Model})
	if c.byPath {
		o = append(o.Without("anthropic_beta"), jsontree.Member{Name: "stream", Value: c.streams})
	}
	return o, nil
}
