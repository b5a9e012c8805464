package proxy

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
)

// Summaries gives what is known of the summaries that a Compactor puts in place of
// old turns.
type Summaries interface {
	// Summary returns what is known of the summary of a ref that a
	// [compaction.Outcome] for who has named as SummaryRef: as JSON, or as Markdown for
	// people. Its errors, and who may call it when, are those of [Originals].
	Summary(ctx context.Context, who, ref string, markdown bool) ([]byte, error)
}

// summaries answers with what is known of a summary, if the same sender's
// conversation has it.
func (p *Proxy) summaries(c *gin.Context) {
	c.Writer.Header().Set("Vary", "Accept")
	k := stored{
		what: "a summary",
		noRef: "This is no ref: a ref is the " + strconv.Itoa(refLength) +
			" lower-case letters and digits of a reply's header Killick-Summary.",
		unknown: "No summary is kept under this ref for this credential. It may have expired; " +
			"the header Killick-Summary of the conversation's next reply names the present one.",
		failed: "Killick's store does not answer. Try again in a moment.",
	}
	format := c.Query("format")
	if format == "" && prefersMarkdown(c.Request.Header) {
		format = "markdown"
	}
	switch format {
	case "", "json":
		k.contentType = "application/json; charset=utf-8"
	case "markdown":
		k.contentType = "text/markdown; charset=utf-8"
	default:
		writeError(c.Writer, http.StatusBadRequest,
			"This format is not known: ask for format=json or format=markdown.",
			"invalid_request_error", "bad_format")
		return
	}
	p.serveStored(c, k, func(ctx context.Context, who, ref string) ([]byte, error) {
		if p.opt.Summaries == nil {
			return nil, ErrNoOriginal
		}
		return p.opt.Summaries.Summary(ctx, who, ref, format == "markdown")
	})
}

// prefersMarkdown reports whether a request names text/markdown and likes JSON no
// better.
func prefersMarkdown(h http.Header) bool {
	markdown, json := 0.0, 0.0
	for item := range strings.SplitSeq(strings.Join(h.Values("Accept"), ","), ",") {
		kind, parameters, _ := strings.Cut(item, ";")
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "text/markdown":
			markdown = max(markdown, quality(parameters))
		case "application/json":
			json = max(json, quality(parameters))
		}
	}
	return markdown > 0 && markdown >= json
}

// quality is the weight in the parameters of a media range, 1 if none is given.
func quality(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if strings.EqualFold(name, "q") {
			q, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return 0
			}
			return q
		}
	}
	return 1
}
