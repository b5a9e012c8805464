package fakeupstream

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestEchoesOtherPaths(t *testing.T) {
	s := start(t, Config{})
	body := strings.Repeat("audio", 1000)
	a, err := send(http.MethodPatch, s.Origin()+"/v1/audio/x%20y?q=a+b&q=%2F",
		body, "X-Odd", "one",
		"X-Odd", "two")
	if err != nil {
		t.Fatal(err)
	}
	var got Echo
	if err := json.Unmarshal([]byte(a.body), &got); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
	const sum = "22daf8ddd72c9bf99ccc6306a8d5a3dbcf73d6b38fec430bfa34fd5ba5cfb8d6"
	if got.Method != http.MethodPatch || got.Path != "/v1/audio/x%20y" ||
		got.Query != "q=a+b&q=%2F" || got.Bytes != 5000 ||
		fmt.Sprint(got.Header["X-Odd"]) != "[one two]" || got.SHA256 != sum {
		t.Errorf("echo %+v, want what was sent, with digest %s", got, sum)
	}
}

func TestModels(t *testing.T) {
	s := start(t, Config{})
	list, err := send(http.MethodGet, s.URL()+"/models", "")
	if err != nil || value(list.body, "data", "0", "id").Text() != "gpt-5.1" {
		t.Errorf("list: %v, %s", err, list.body)
	}
	one, err := send(http.MethodGet, s.URL()+"/models/gpt-4o", "")
	if err != nil || value(one.body, "id").Text() != "gpt-4o" {
		t.Errorf("one: %v, %s", err, one.body)
	}
	none, err := send(http.MethodGet, s.URL()+"/models/openai/gpt-9", "")
	if err != nil || none.status != http.StatusNotFound ||
		value(none.body, "error", "code").Text() != "model_not_found" {
		t.Errorf("unknown: %v, %d %s", err, none.status, none.body)
	}
}

func TestEmbeddings(t *testing.T) {
	s := start(t, Config{})
	for _, test := range []struct {
		body   string
		status int
		items  int
	}{
		{`{"model":"text-embedding-3-small","input":"one"}`, 200, 1},
		{`{"model":"text-embedding-3-small","input":["one","two"]}`, 200, 2},
		{`{"model":"text-embedding-3-small","input":[1,2,3]}`, 200, 1},
		{`{"model":"text-embedding-3-small","input":[[1],[2],[3]],"encoding_format":"base64"}`, 200,
			3},
		{`{"model":"text-embedding-3-small"}`, 400, 0},
		{`{"input":"one"}`, 400, 0},
		{`{"model":"m","input":"one","dimensions":5000}`, 400, 0},
		{`nonsense`, 400, 0},
	} {
		a, err := send(http.MethodPost, s.URL()+"/embeddings", test.body)
		items := 0
		for range value(a.body, "data").Elements() {
			items++
		}
		if err != nil || a.status != test.status || items != test.items {
			t.Errorf("%s: %v, %d with %d items, want %d with %d: %s", test.body, err, a.status,
				items, test.status, test.items, a.body)
		}
	}
	a, err := send(http.MethodPost, s.URL()+"/embeddings",
		`{"model":"m","input":"one","dimensions":20}`)
	if err != nil {
		t.Fatal(err)
	}
	var parsed struct {
		Data []struct{ Embedding []float64 }
	}
	if err := json.Unmarshal([]byte(a.body), &parsed); err != nil || len(parsed.Data) != 1 ||
		len(parsed.Data[0].Embedding) != 20 {
		t.Fatalf("%v, want one vector of 20: %s", err, a.body)
	}
	length := 0.0
	for _, v := range parsed.Data[0].Embedding {
		length += v * v
	}
	if length < 0.999 || length > 1.001 {
		t.Errorf("the vector's length squared is %v, want 1", length)
	}
}

func TestResponses(t *testing.T) {
	s := start(t, Config{})
	a, err := send(http.MethodPost, s.URL()+"/responses", `{"model":"gpt-5.1","input":"hi"}`)
	if err != nil || value(a.body, "object").Text() != "response" ||
		value(a.body, "output", "0", "content", "0", "type").Text() != "output_text" {
		t.Errorf("%v, %s", err, a.body)
	}
	if a, err = send(http.MethodPost, s.URL()+"/responses", `{}`); err != nil ||
		a.status != http.StatusBadRequest {
		t.Errorf("without a model: %v, %d, want 400", err, a.status)
	}
}
