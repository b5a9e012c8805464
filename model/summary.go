package model

import (
	"context"
	"fmt"

	"killick/model/endpoint"
)

// Summary asks the API of the client's upstream, with the client's own model and key, for a summary
// that the API itself writes of all but the last messages of Call.Prefix, as many as are kept. It
// returns the message that stands for them in later requests. An error wraps one of this package's.
func (c *Client) Summary(ctx context.Context, call Call, kept int) (string, Usage, error) {
	d, err := c.dialogue("a summary", call)
	if err != nil {
		return "", Usage{}, err
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
	return got.Message, d.usage, err
}
