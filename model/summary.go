package model

import (
	"context"
	"fmt"

	"killick/model/endpoint"
)

// ProviderSummary is a summary by the provider's API.
type ProviderSummary struct {
	Message string // replaces the turns in later requests, unchanged
	Text    string // what it says
	Usage   Usage  // set also with an error
}

// Summary asks the API of the client's upstream, with the client's own model and key, for a summary
// by the API of all messages of Call.Prefix except the kept last ones. An error wraps one of this
// package's.
func (c *Client) Summary(ctx context.Context, call Call, kept int) (ProviderSummary, error) {
	d, err := c.dialogue("a summary", call)
	if err != nil {
		return ProviderSummary{}, err
	}
	r := d.request
	r.Kept = kept
	r.Report = func(e endpoint.Exchange) {
		d.usage.Add(e.Usage)
		d.trace(&r, FromProvider, e)
	}
	got, err := d.endpoint.Summarize(ctx, r)
	if err != nil {
		err = fmt.Errorf("asking %s for %s: %w", r.Target.URL.Host, d.task, err)
	}
	return ProviderSummary{Message: got.Message, Text: got.Text, Usage: d.usage}, err
}
