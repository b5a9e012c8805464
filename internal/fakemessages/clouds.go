package fakemessages

import "strings"

// cloud is the API on another platform. Its zero value is Anthropic's own.
type cloud struct {
	model   string // that the path names, and the body does not
	version string // how the member anthropic_version begins
	// byPath: the path says whether the answer is streamed, in Amazon's frames.
	byPath, streams bool
}

// cloudOf returns what a path says. Sources:
// https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai and
// https://platform.claude.com/docs/en/build-with-claude/claude-on-amazon-bedrock
func cloudOf(path string) cloud {
	if _, rest, found := strings.Cut(path, "/publishers/anthropic/models/"); found {
		model, verb, _ := strings.Cut(rest, ":")
		if verb == "rawPredict" || verb == "streamRawPredict" {
			return cloud{model: model, version: "vertex-"}
		}
	}
	if _, rest, found := strings.Cut(path, "/model/"); found {
		for verb, streams := range map[string]bool{
			"/invoke": false, "/invoke-with-response-stream": true,
		} {
			if model, found := strings.CutSuffix(rest, verb); found {
				return cloud{model: model, version: "bedrock-", byPath: true, streams: streams}
			}
		}
	}
	return cloud{}
}

// fields returns the members of a request as Anthropic's own API has them.
func (c cloud) fields(o object) (object, *apiError) {
	switch {
	case c.model == "":
		return o, nil
	case o.text("model") != "":
		return nil, extra("model")
	case c.byPath && o.has("stream"):
		return nil, extra("stream")
	case !strings.HasPrefix(o.text("anthropic_version"), c.version):
		return nil, required("anthropic_version")
	}
	o = append(o.without("anthropic_version"), member{name: "model", value: c.model})
	if c.byPath {
		o = append(o.without("anthropic_beta"), member{name: "stream", value: c.streams})
	}
	return o, nil
}
