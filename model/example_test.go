package model_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"killick/chat"
	"killick/model"
	"killick/probe"
	"killick/rawjson"
	"killick/view"
)

// endpoint is a model that always gives the same answer.
func endpoint(answer string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"choices":[{"index":0,"finish_reason":"stop","message":`+
			`{"role":"assistant","content":`+string(rawjson.AppendQuoted(nil, answer))+`}}],`+
			`"usage":{"prompt_tokens":1000,"completion_tokens":100}}`)
	}))
}

// The operator's model is shown turns, and writes statements about them.
func ExampleClient_Statements() {
	server := endpoint(`{"statements":[{"section":"decision","text":"bcrypt is used.",` +
		`"messages":[12],"quote":"I decided to use bcrypt"}]}`)
	defer server.Close()
	turn, err := chat.ParseMessage([]byte(
		`{"role":"assistant","content":"I decided to use bcrypt instead of argon2."}`))
	if err != nil {
		panic(err)
	}
	c := model.New(model.Options{
		BaseURL: server.URL, Name: "writer", APIKey: "secret",
		Prices: func(string) model.Price { return model.Price{Input: 1, Output: 10} },
	})
	w, err := c.Statements(context.Background(), model.Call{},
		model.Span{Messages: []view.Message{turn}, First: 12})
	for _, s := range w.Statements {
		fmt.Printf("%s %v: %s (%q)\n", s.Section, s.Messages, s.Text, s.Quote)
	}
	fmt.Printf("%s, US$ %.3f, %v\n", w.Form, w.Usage.Cost, err)
	// Output:
	// decision [12]: bcrypt is used. ("I decided to use bcrypt")
	// structured, US$ 0.002, <nil>
}

// A model that verifies sees statements, their quotes, and what was written later.
func ExampleClient_Verify() {
	server := endpoint(`{"verdicts":[{"number":1,"verdict":"contradicted"}]}`)
	defer server.Close()
	c := model.New(model.Options{BaseURL: server.URL, Name: "judge"})
	verdicts, _, err := c.Verify(context.Background(), model.Call{}, probe.Checks{
		Shown: []probe.Statement{
			{Text: "The port is 8443.", Quote: "listens on port 8443", At: 5},
			{Text: "The tests pass.", Quote: "FAIL TestLogin", At: 7},
		},
		Others: []probe.Other{{Message: 9, Writer: "user", Text: "Use port 9443 instead."}},
	})
	fmt.Printf("%q %v\n", verdicts, err)
	// Output: ["contradicted" ""] <nil>
}

// An endpoint that rejects a request is not asked again, and its words are not repeated.
func ExampleReason() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"Incorrect API key: secret"}}`, http.StatusUnauthorized)
	}))
	defer server.Close()
	c := model.New(model.Options{BaseURL: server.URL, Name: "judge", APIKey: "secret"})
	_, spent, err := c.Grade(context.Background(), model.Call{}, []probe.Answered{{
		Question: probe.Question{Text: "Which port?", Expected: "8443"}, Answer: "the usual one",
	}})
	fmt.Println(model.Reason(err), spent.Calls)
	// Output: rejected 1
}
