package formats

import (
	"bytes"
	"testing"

	"killick/internal/config"
	"killick/internal/convert"
	"killick/internal/fakemessages"
)

const (
	bedrockModel = "us.anthropic." + checking + "-v1:0"
	bedrockPath  = "/model/" + bedrockModel + "/invoke"
)

// onBedrock returns the members of a request of Messages as a client of Bedrock sends them.
func onBedrock(fields []byte) []byte {
	return bytes.Replace(fields, []byte(`"model":"`+checking+`"`),
		[]byte(`"anthropic_version":"bedrock-2023-05-31"`), 1)
}

// The same model on Bedrock, where the path names it too.
func TestThinkingOnBedrock(t *testing.T) {
	chat := looping(checking, 40, 2000)
	k := newTalk(t, chat, adaptive, true, "Authorization", "Bearer key")
	k.path, k.fields = bedrockPath, onBedrock(k.fields)
	k.through(t, often(chat), wanted{folds: 5, thinking: true})
}

// Streams in frames reach the client byte for byte, their usage is read, and no call in them is
// answered here. A signed request, and one in the format of another model, are left alone.
func TestBedrockStreams(t *testing.T) {
	up := fakemessages.New(fakemessages.Config{Record: true,
		Reply: func(*fakemessages.Request) fakemessages.Reply {
			return fakemessages.Reply{Blocks: []fakemessages.Content{fakemessages.Text("Done.")}}
		}})
	t.Cleanup(up.Close)
	r := newDeployment(t, up.URL()+"/v1", func(c *config.Config) {
		between(2000, 1000)(c)
		c.Compaction.Expand = config.ExpandTool
	}).start(t)
	t.Cleanup(r.Stop)
	body, err := convert.Messages(looping(checking, 20, 2000))
	if err != nil {
		t.Fatal(err)
	}
	body = onBedrock(body)
	bearer := []string{"Authorization", "Bearer key"}
	other := bytes.Replace(body, []byte(`"anthropic_version":"bedrock-2023-05-31",`), nil, 1)

	for _, one := range []struct {
		name, path string
		header     []string
		body       []byte
		compacted  bool
	}{
		{"a stream", bedrockPath + "-with-response-stream", bearer, body, true},
		{"a whole answer", bedrockPath, bearer, body, true},
		{"behind a gateway that signs", "/bedrock" + bedrockPath, nil, body, true},
		{"a profile", "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aapplication-inference-profile" +
			"%2Fa/invoke", bearer, body, true},
		{"another format", bedrockPath, bearer, other, false},
		{"a signed request", bedrockPath, []string{"Authorization", "AWS4-HMAC-SHA256 " +
			"Credential=A/20260101/us-east-1/bedrock/aws4_request, Signature=0a"}, body, false},
	} {
		up.Reset()
		a := r.Ask(t, "POST", one.path, one.body, one.header...)
		sent := up.Requests()[0]
		if got := len(sent.Body) < len(one.body)/2; got != one.compacted ||
			!got && !bytes.Equal(sent.Body, one.body) || sent.Path != one.path {
			t.Errorf("%s: %d of %d bytes sent to %s: %.300s", one.name, len(sent.Body),
				len(one.body), sent.Path, a.Body)
		}
		if bytes.Contains(sent.Body, []byte(`"name":"killick_expand"`)) {
			t.Errorf("%s: it has a tool whose calls cannot be answered", one.name)
		}
		if one.name != "a stream" {
			continue
		}
		if a.Status != 200 || bytes.Count(a.Body, []byte(`{"bytes":"`)) < 5 {
			t.Errorf("%d, %d bytes: %.200q", a.Status, len(a.Body), a.Body)
		}
		wantTokens(t, r, sent.Usage.Prompt()+sent.Usage.OutputTokens)
	}
}
