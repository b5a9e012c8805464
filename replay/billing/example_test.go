package billing_test

import (
	"fmt"

	"killick/replay/billing"
)

// The second request reads what the first one wrote, and writes one message.
func Example() {
	profile, err := billing.ParseProfile("p=.1,w=1.25,ttl=5m")
	if err != nil {
		panic(err)
	}
	instructions, task, answer := [2]uint64{1}, [2]uint64{2}, [2]uint64{3}
	invoice := billing.NewInvoice(profile)
	first, second := new(billing.Prompt), new(billing.Prompt)
	first.Add(4000, instructions)
	first.Add(1000, task)
	second.Add(4000, instructions)
	second.Add(1000, task)
	second.Add(200, answer)
	for _, request := range []*billing.Prompt{first, second} {
		cost, cached := invoice.Add(request)
		fmt.Println(cached, cost.Total())
	}
	// Output:
	// 0 6250
	// 5000 750
}
