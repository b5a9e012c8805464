package wire

import (
	"context"
	"log/slog"
	"math"

	"killick/compactor/prepare"
	"killick/model"
)

// summaryReports reports summaries to the log, the metrics and the dumps.
type summaryReports struct {
	log   *slog.Logger
	dumps *dumps // if nil, nothing is dumped
	*summaryMetrics
}

func newSummaryReports(log *slog.Logger, d *dumps) *summaryReports {
	return &summaryReports{log: log, dumps: d, summaryMetrics: newSummaryMetrics()}
}

// prepared reports a preparation. Its quotes are not logged.
func (r *summaryReports) prepared(p prepare.Report) {
	r.count(p)
	level := slog.LevelInfo
	if p.Err != nil && p.Outcome != prepare.Cancelled || p.Outcome == prepare.Panic ||
		p.Unasked != nil {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{
		slog.String("outcome", p.Outcome), slog.Int("messages", p.WhenSent),
		slog.Int("folded", p.Folded),
		slog.Float64("duration_ms", float64(p.Duration.Microseconds())/1000),
	}
	if p.Form != "" {
		attrs = append(attrs, slog.String("form", p.Form))
	}
	if p.Probe != nil {
		attrs = append(attrs, slog.String("verdict", string(p.Probe.Verdict)),
			slog.Float64("score", math.Round(p.Probe.Score*1000)/1000),
			slog.Int("verified", p.Probe.Verified),
			slog.Int("written", p.Probe.Written), slog.Int("asked", p.Probe.Asked))
	}
	if p.Err != nil {
		attrs = append(attrs, slog.String("cause", causeOf(p.Err)))
	}
	if p.Unasked != nil {
		attrs = append(attrs, slog.String("unasked", causeOf(p.Unasked)))
	}
	if p.Outcome == prepare.NothingToGain {
		r.log.LogAttrs(context.Background(), slog.LevelWarn,
			"nothing to save in a conversation; tried again when it has grown",
			attrs...)
	} else {
		r.log.LogAttrs(context.Background(), level, "summary by a model", attrs...)
	}
	r.dumps.logFailure(r.log, r.dumps.preparation(p))
}

func (r *summaryReports) step(s model.Step) {
	r.dumps.logFailure(r.log, r.dumps.step(s))
}
