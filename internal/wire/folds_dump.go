package wire

import (
	"log/slog"

	"killick/compactor/report"
	"killick/redact"
)

// folded returns a function that writes the report of a new form with a record, as JSON and as
// Markdown, without credentials; nil if nothing is dumped.
func (d *dumps) folded(log *slog.Logger) func(*report.Report) {
	if d == nil {
		return nil
	}
	return func(r *report.Report) { d.logFailure(log, d.fold(r)) }
}

func (d *dumps) fold(r *report.Report) error {
	plain, err := r.JSON()
	if err != nil {
		return err
	}
	data, err := redactedJSON(plain)
	if err != nil {
		return err
	}
	markdown := []byte(redact.Text(string(r.Markdown())))
	return d.save("fold", file{".json", data}, file{".md", markdown})
}
