package fakeupstream

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"killick/internal/fakeserver/openaiapi"
	"killick/rawjson"
	"killick/view"
)

// models are those that /v1/models lists. Chat requests may name any.
var models = []string{"gpt-5.1", "gpt-5-mini", "gpt-4.1", "gpt-4o", "gpt-4o-mini",
	"text-embedding-3-small"}

type modelJSON struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

func model(id string) modelJSON {
	return modelJSON{ID: id, Object: "model", Created: 1_763_000_000, OwnedBy: "scripted"}
}

func (x *exchange) listModels() {
	list := struct {
		Object string      `json:"object"`
		Data   []modelJSON `json:"data"`
	}{Object: "list"}
	for _, id := range models {
		list.Data = append(list.Data, model(id))
	}
	x.answerJSON(list)
}

func (x *exchange) getModel(id string) {
	if !slices.Contains(models, id) {
		x.fail(noSuchModel(id))
		return
	}
	x.answerJSON(model(id))
}

// defaultDimensions keeps vectors short where a request does not say.
const (
	defaultDimensions = 8
	maxDimensions     = 4096
)

// embeddings answers a vector for each input, made of the input's hash.
func (x *exchange) embeddings() {
	var asked struct {
		Model      string          `json:"model"`
		Input      json.RawMessage `json:"input"`
		Dimensions int             `json:"dimensions"`
		Encoding   string          `json:"encoding_format"`
	}
	if err := json.Unmarshal(x.Body, &asked); err != nil {
		x.fail(openaiapi.BadRequest("", "", openaiapi.NotJSON))
		return
	}
	inputs := embeddingInputs(rawjson.Value(asked.Input))
	switch {
	case asked.Model == "":
		x.fail(openaiapi.BadRequest("", "", "you must provide a model parameter"))
		return
	case len(inputs) == 0:
		x.fail(openaiapi.Lacks("input"))
		return
	case asked.Dimensions < 0 || asked.Dimensions > maxDimensions:
		x.fail(openaiapi.BadRequest("dimensions", "invalid_value",
			"Invalid value for 'dimensions': %d.", asked.Dimensions))
		return
	case asked.Dimensions == 0:
		asked.Dimensions = defaultDimensions
	}
	type item struct {
		Object    string `json:"object"`
		Index     int    `json:"index"`
		Embedding any    `json:"embedding"`
	}
	items := make([]item, len(inputs))
	tokens := 0
	for i, input := range inputs {
		items[i] = item{Object: "embedding", Index: i, Embedding: embed(input, asked.Dimensions)}
		if asked.Encoding == "base64" {
			items[i].Embedding = packed(embed(input, asked.Dimensions))
		}
		tokens += openaiapi.TokensIn(len(input))
	}
	x.answerJSON(
		map[string]any{"object": "list", "data": items, "model": asked.Model,
			"usage": map[string]int{"prompt_tokens": tokens, "total_tokens": tokens}})
}

// embeddingInputs returns what is to be embedded: a string, strings, one list
// of tokens or several.
func embeddingInputs(input rawjson.Value) []rawjson.Value {
	var inputs []rawjson.Value
	for element := range input.Elements() {
		if element.Kind() == rawjson.Number {
			return []rawjson.Value{input}
		}
		inputs = append(inputs, element)
	}
	if input.Kind() == rawjson.String {
		return []rawjson.Value{input}
	}
	return inputs
}

// embed returns a unit vector that depends on the input alone.
func embed(input rawjson.Value, dimensions int) []float32 {
	vector := make([]float32, dimensions)
	block := sha256.Sum256(input)
	square := 0.0
	for i := range vector {
		if i > 0 && i%8 == 0 {
			block = sha256.Sum256(block[:])
		}
		word := binary.BigEndian.Uint32(block[i%8*4:])
		vector[i] = float32(word)/math.MaxUint32 - 0.5
		square += float64(vector[i]) * float64(vector[i])
	}
	for i := range vector {
		vector[i] /= float32(math.Sqrt(square))
	}
	return vector
}

// packed returns a vector in the encoding "base64": little-endian floats.
func packed(vector []float32) string {
	b := make([]byte, 0, 4*len(vector))
	for _, v := range vector {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return base64.StdEncoding.EncodeToString(b)
}

// responses answers the Responses API with one short message, never streamed.
func (x *exchange) responses() {
	var asked struct {
		Model string `json:"model"`
	}
	if err := json.Unmarshal(x.Body, &asked); err != nil || asked.Model == "" {
		x.fail(openaiapi.Lacks("model"))
		return
	}
	const text = "This is the scripted answer to a response request."
	in, out := openaiapi.TokensIn(len(x.Body)), openaiapi.TokensIn(len(text))
	x.answerJSON(map[string]any{
		"id": fmt.Sprintf("resp_%d", x.N), "object": "response", "created_at": time.Now().Unix(),
		"status": "completed", "error": nil, "model": asked.Model,
		"output": []any{map[string]any{
			"type": "message", "id": fmt.Sprintf("msg_%d", x.N), "status": "completed",
			"role": view.Assistant,
			"content": []any{map[string]any{"type": "output_text", "text": text,
				"annotations": []any{}}},
		}},
		"usage": map[string]any{"input_tokens": in, "output_tokens": out, "total_tokens": in + out},
	})
}

// Echo is the answer to a path that the server knows nothing of: what arrived.
type Echo struct {
	Method string      `json:"method"`
	Path   string      `json:"path"` // as on the wire, escapes included
	Query  string      `json:"query"`
	Header http.Header `json:"header"`
	Bytes  int         `json:"body_bytes"`
	SHA256 string      `json:"body_sha256"` // hexadecimal
}

func (x *exchange) echo() {
	sum := sha256.Sum256(x.Body)
	r := x.Request
	x.answerJSON(Echo{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, r.Header, len(x.Body),
		hex.EncodeToString(sum[:])})
}

func noSuchModel(id string) *openaiapi.Error {
	return &openaiapi.Error{Status: http.StatusNotFound, Type: openaiapi.InvalidRequest,
		Param: "model", Code: "model_not_found",
		Message: fmt.Sprintf("The model '%s' does not exist or you do not have access to it.", id)}
}
