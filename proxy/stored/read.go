package stored

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
	"killick/proxy/fault"
)

// Output answers with the original of an output that was masked or truncated, if
// the same client sent it.
func (p *Paths) Output(c *gin.Context) {
	p.serve(c, kind{
		what:        "an original",
		contentType: "text/plain; charset=utf-8",
		noRef: "This is not a ref: a ref is the " + strconv.Itoa(expand.RefLength) +
			" lower-case letters and digits behind \"ref=\".",
		unknown: "No output is stored under this ref for this credential. " +
			"It may have expired; repeat the call that made it.",
		failed: "Killick's store does not answer. " +
			"Try again in a moment, or repeat the call that made the output.",
	}, func(ctx context.Context, who, ref string) ([]byte, error) {
		if p.Originals == nil {
			return nil, ErrNoOriginal
		}
		return p.Originals.Original(ctx, who, ref)
	})
}

// kind is a kind of content that clients may read by its ref.
type kind struct {
	what                   string // for the log
	contentType            string
	noRef, unknown, failed string // the error messages for clients
}

// pieceSize is how much is written at once: the time limit of clients is per write.
const pieceSize = 16 << 10

// serve answers with what read finds for the client under the ref in the path. The answer for
// another client's content is the same as for what does not exist.
func (p *Paths) serve(
	c *gin.Context, k kind, read func(ctx context.Context, who, ref string) ([]byte, error),
) {
	h := c.Writer.Header()
	h.Set("Cache-Control", "no-store") // errors too: the content may be stored a moment later
	h.Set("X-Content-Type-Options", "nosniff")
	ref := strings.TrimPrefix(c.Param("ref"), "/")
	if !expand.IsRef(ref) {
		fault.WriteError(c.Writer, http.StatusBadRequest, k.noRef,
			"invalid_request_error", "bad_ref")
		return
	}
	content, err := read(c.Request.Context(), p.Identity.OfUnforwarded(c.Request), ref)
	switch {
	case errors.Is(err, ErrNoOriginal):
		fault.WriteError(c.Writer, http.StatusNotFound, k.unknown,
			"invalid_request_error", "not_found")
		return
	case err != nil:
		if c.Request.Context().Err() == nil { // else the client disconnected, which is not an error
			p.Logger.Error(k.what+" could not be read", slog.String("cause", fault.CauseText(err)))
		}
		h.Set("Retry-After", "2")
		fault.WriteError(c.Writer, http.StatusServiceUnavailable, k.failed, "server_error",
			"store_unavailable")
		return
	}
	h.Set("Content-Type", k.contentType)
	h.Set("Content-Length", strconv.Itoa(len(content)))
	c.Writer.WriteHeader(http.StatusOK)
	for piece := range slices.Chunk(content, pieceSize) {
		if _, err := c.Writer.Write(piece); err != nil {
			return // the client left
		}
	}
}

// Summary answers with the description of a summary, if it belongs to the same
// client's conversation.
func (p *Paths) Summary(c *gin.Context) {
	c.Writer.Header().Set("Vary", "Accept")
	k := kind{
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
		fault.WriteError(c.Writer, http.StatusBadRequest,
			"Unknown format: use format=json or format=markdown.",
			"invalid_request_error", "bad_format")
		return
	}
	p.serve(c, k, func(ctx context.Context, who, ref string) ([]byte, error) {
		if p.Summaries == nil {
			return nil, ErrNoOriginal
		}
		return p.Summaries.Summary(ctx, who, ref, format == "markdown")
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
