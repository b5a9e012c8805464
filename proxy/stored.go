package proxy

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"killick/proxy/expand"
)

// ErrNoOriginal is returned by [Originals] if there is no original: never stored,
// stored for another client, or expired.
var ErrNoOriginal = errors.New("no original is stored under this ref")

// Originals returns what a Compactor masked or truncated.
type Originals interface {
	// Original returns what was stored under ref for who, the [Request].Who of that
	// time; else an error that is [ErrNoOriginal], or describes a store failure
	// without quoting content. It must be safe for concurrent use; its result is not
	// modified.
	Original(ctx context.Context, who, ref string) ([]byte, error)
}

// outputs answers with the original of an output that was masked or truncated, if
// the same client sent it.
func (p *Proxy) outputs(c *gin.Context) {
	p.serveStored(c, stored{
		what:        "an original",
		contentType: "text/plain; charset=utf-8",
		noRef: "This is not a ref: a ref is the " + strconv.Itoa(expand.RefLength) +
			" lower-case letters and digits behind \"ref=\".",
		unknown: "No output is stored under this ref for this credential. " +
			"It may have expired; repeat the call that made it.",
		failed: "Killick's store does not answer. " +
			"Try again in a moment, or repeat the call that made the output.",
	}, func(ctx context.Context, who, ref string) ([]byte, error) {
		if p.opt.Originals == nil {
			return nil, ErrNoOriginal
		}
		return p.opt.Originals.Original(ctx, who, ref)
	})
}

// stored is a kind of content that clients may read by its ref.
type stored struct {
	what                   string // for the log
	contentType            string
	noRef, unknown, failed string // the error messages for clients
}

// serveStored answers with what read finds for the client under the ref in the path. The answer for
// another client's content is the same as for what does not exist.
func (p *Proxy) serveStored(
	c *gin.Context, k stored, read func(ctx context.Context, who, ref string) ([]byte, error),
) {
	h := c.Writer.Header()
	h.Set("Cache-Control", "no-store") // errors too: the content may be stored a moment later
	h.Set("X-Content-Type-Options", "nosniff")
	ref := strings.TrimPrefix(c.Param("ref"), "/")
	if !expand.IsRef(ref) {
		writeError(c.Writer, http.StatusBadRequest, k.noRef, "invalid_request_error", "bad_ref")
		return
	}
	content, err := read(c.Request.Context(), p.identity.OfAsker(c.Request), ref)
	switch {
	case errors.Is(err, ErrNoOriginal):
		writeError(c.Writer, http.StatusNotFound, k.unknown, "invalid_request_error", "not_found")
		return
	case err != nil:
		if c.Request.Context().Err() == nil { // else the client disconnected, which is not an error
			p.opt.Logger.Error(k.what+" could not be read", slog.String("cause", causeText(err)))
		}
		h.Set("Retry-After", "2")
		writeError(c.Writer, http.StatusServiceUnavailable, k.failed, "server_error",
			"store_unavailable")
		return
	}
	h.Set("Content-Type", k.contentType)
	h.Set("Content-Length", strconv.Itoa(len(content)))
	c.Writer.WriteHeader(http.StatusOK)
	// In pieces: the time limit of clients is per write.
	for piece := range slices.Chunk(content, copyBufferSize) {
		if _, err := c.Writer.Write(piece); err != nil {
			return // the client left
		}
	}
}

// Summaries describes the summaries that a Compactor puts in place of old turns.
type Summaries interface {
	// Summary describes the summary of a ref that a [compaction.Outcome] for who has named as
	// SummaryRef: as JSON, or as Markdown for people. The rules of [Originals] apply to its
	// errors and use.
	Summary(ctx context.Context, who, ref string, markdown bool) ([]byte, error)
}

// summaries answers with the description of a summary, if it belongs to the same
// client's conversation.
func (p *Proxy) summaries(c *gin.Context) {
	c.Writer.Header().Set("Vary", "Accept")
	k := stored{
		what: "a summary",
		noRef: "This is not a ref: a ref is the " + strconv.Itoa(expand.RefLength) +
			" lower-case letters and digits of a reply's header Killick-Summary.",
		unknown: "No summary is stored under this ref for this credential. It may have expired; " +
			"the header Killick-Summary of the conversation's next reply names the current one.",
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
			"Unknown format: use format=json or format=markdown.",
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

// prefersMarkdown reports whether a request accepts text/markdown and does not
// prefer JSON.
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
