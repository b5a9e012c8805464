package compactor_test

import (
	"context"
	"fmt"
	"strings"

	"killick/chat"
	"killick/compactor"
	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/settings"
	"killick/tokenizer"
	"killick/view"
)

// nothingStored is a store that loses everything, which costs nothing but time.
type nothingStored struct{}

func (nothingStored) Conversation(string, []view.Message, *view.Memory) checkpoint.Conversation {
	return nothingStored{}
}

func (nothingStored) Longest(context.Context, int) ([]byte, int, bool, error) {
	return nil, 0, false, nil
}

func (nothingStored) Put(_ context.Context, _, _ int, value []byte) ([]byte, error) {
	return value, nil
}

func (nothingStored) LastSeen() checkpoint.LastSeen { return neverSeen{} }

type neverSeen struct{}

func (neverSeen) Get(context.Context) ([]byte, error) { return nil, nil }

func (neverSeen) Put(context.Context, []byte) error { return nil }

func (nothingStored) Place(int) string { return "" }

func (nothingStored) Name(
	covers int,
) string {
	return fmt.Sprint(covers)
}
func (nothingStored) Ref([]byte) string                                 { return "ref" }
func (nothingStored) Keep(context.Context, []checkpoint.Original) error { return nil }

// A request past the trigger is sent with a record in place of its old turns.
func ExampleEngine() {
	counter := tokenizer.New(tokenizer.Options{})
	engine := compactor.New(compactor.Options{
		Policy:  settings.Policy{Trigger: 4000, Target: 1500},
		Counter: func(_, model string) layout.Counter { return counter.For(model) },
		Store:   nothingStored{},
	})
	defer engine.Close()

	body := `{"model":"gpt-4o","messages":[{"role":"user","content":"Count the boats."}`
	for i := range 20 {
		body += fmt.Sprintf(`,{"role":"assistant","content":"Pier %d: %s"},`+
			`{"role":"user","content":"Go on."}`, i, strings.Repeat("A boat, and another. ", 60))
	}
	req, err := chat.Parse([]byte(body + `]}`))
	if err != nil {
		panic(err)
	}
	out := engine.Compact(context.Background(), req, "a client")
	fmt.Println(out.Reason, "folded:", out.Folded, "smaller:", out.Sent < out.Raw)
	// Output: over the trigger folded: true smaller: true
}
