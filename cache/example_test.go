package cache_test

import (
	"context"
	"errors"
	"fmt"

	"killick/cache"
	"killick/chat"
	"killick/view"
)

// A checkpoint of the first turn is found again when the conversation has grown.
func Example() {
	store, err := cache.Open(cache.Options{InMemory: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	ctx, secret := context.Background(), cache.NewSecret()
	scope := cache.Scope{Who: secret.Who("sk-client"), Upstream: "https://api.example/v1"}

	messages := conversation("fix the test", "which one?")
	keys := secret.Chain(scope, messages)
	_, err = store.Replace(ctx, keys, len(messages), -1, []byte("what they became"))
	if err != nil {
		fmt.Println(err)
	}

	messages = append(messages, conversation("the one of the parser")...)
	found, _, err := store.Find(ctx, secret.Chain(scope, messages), nil)
	fmt.Printf("%s, of %d of %d messages, %v\n", found.Value, found.Index, len(messages), err)
	// Output: what they became, of 2 of 3 messages, <nil>
}

func conversation(texts ...string) (messages []view.Message) {
	for _, text := range texts {
		m, err := chat.ParseMessage(fmt.Appendf(nil, `{"role":"user","content":%q}`, text))
		if err != nil {
			fmt.Println(err)
		}
		messages = append(messages, m)
	}
	return messages
}

// An original can only be read with the credential that it was stored under.
func ExampleStore_Original() {
	store, err := cache.Open(cache.Options{InMemory: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	ctx, secret := context.Background(), cache.NewSecret()
	one, another := secret.Who("sk-one"), secret.Who("sk-another")

	output := []byte("1,200 lines of a build")
	ref := secret.Ref(one, output)
	err = store.PutOriginals(ctx, one, []cache.Original{{Ref: ref, Content: output}})
	if err != nil {
		fmt.Println(err)
	}

	content, err := store.Original(ctx, one, ref)
	fmt.Println(string(content), err)
	_, err = store.Original(ctx, another, ref)
	fmt.Println(errors.Is(err, cache.ErrNotFound))
	// Output:
	// 1,200 lines of a build <nil>
	// true
}

// Everything that is stored under a credential is removed at once.
func ExampleStore_ForgetOwner() {
	store, err := cache.Open(cache.Options{InMemory: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	ctx, who := context.Background(), cache.NewSecret().Who("sk-client")
	err = store.PutOriginals(ctx, who, []cache.Original{
		{Ref: "a", Content: []byte("first")}, {Ref: "b", Content: []byte("second")},
	})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(store.ForgetOwner(ctx, who))
	// Output: 2 <nil>
}

// A store in a directory with a limit on its size.
func ExampleOpen() {
	_, err := cache.Open(cache.Options{Dir: "data", MaxBytes: 1 << 20})
	fmt.Println(err)
	// Output: store options: MaxBytes 1048576: want at least 33554432
}
