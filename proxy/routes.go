package proxy

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"killick/proxy/auth"
	"killick/proxy/class"
	"killick/proxy/fault"
	"killick/proxy/format"
	"killick/proxy/reply"
	"killick/proxy/target"
)

// publicRoutes is the route table of the public listener: every path that is answered
// here, and those of conversations in each format. All other paths go upstream.
//
// gin matches paths as sent, so that an encoded slash stays part of a segment, and neither cleans
// them nor redirects: extra or missing slashes are left to the upstream.
func (p *Proxy) publicRoutes() *gin.Engine {
	e := newEngine()
	e.UseRawPath = true

	for _, path := range underAnyPrefix("/chat/completions") {
		e.POST(path, p.reserved, forward(class.Chat))
	}
	// /messages alone may be a thread of OpenAI's assistants.
	for _, path := range append(underAnyPrefix("/v1/messages"), "/messages") {
		e.POST(path, p.reserved, forward(class.Messages))
	}
	for _, path := range underAnyPrefix("/responses") {
		e.POST(path, p.reserved, forward(class.Responses))
	}
	for _, path := range underAnyPrefix("/models/:call") {
		e.POST(path, p.reserved, forwardCall)
	}
	for _, path := range underAnyPrefix("/v1internal:call") {
		e.POST(path, p.reserved, forwardAssist)
	}
	for _, call := range []string{"/invoke", "/invoke-with-response-stream"} {
		for _, path := range underAnyPrefix("/model/:name" + call) {
			e.POST(path, p.reserved, forwardInvoke)
		}
	}
	for _, call := range []string{"/converse", "/converse-stream"} {
		for _, path := range underAnyPrefix("/model/:name" + call) {
			e.POST(path, p.reserved, forwardConverse)
		}
	}
	for _, path := range underAnyPrefix("/api/chat") {
		e.POST(path, p.reserved, forward(class.Ollama))
	}
	e.POST("/v1/compress", forward(class.Compress))

	own := e.Group("", p.own)
	get(own, "/healthz", p.healthz)
	get(own, "/readyz", p.readyz)
	get(own, "/killick/version", p.requireKey, p.version)
	get(own, "/killick/outputs/*ref", p.requireKey, p.stored.Output)
	get(own, "/killick/summaries/*ref", p.requireKey, p.stored.Summary)
	if p.opt.Expand == ExpandMCP {
		served := gin.WrapH(p.newMCP())
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			own.Handle(method, "/killick/mcp", p.requireKey, served)
		}
	}
	own.DELETE("/killick/data", p.requireKey, p.stored.EraseOwn)
	own.DELETE("/killick/conversations", p.requireKey, p.stored.EraseConversation)

	e.NoRoute(p.reserved, forward(class.Pass))
	e.NoMethod(p.reserved, forward(class.Pass))
	return e
}

// route looks up a request in the route table, whose handlers answer it if it is for one of our own
// paths.
func (p *Proxy) route(w *reply.Writer, r *http.Request) class.Class {
	out := routed{Writer: w, class: class.Own}
	p.routes.ServeHTTP(&out, r)
	return out.class
}

// newReply returns the writer for the reply to r.
func (p *Proxy) newReply(w http.ResponseWriter, r *http.Request) *reply.Writer {
	out := reply.New(w, r, p.opt.Timeouts.Stall)
	if policy := &p.opt.CORS; policy.Enabled() {
		out.CORS = func(h http.Header) { policy.Mark(h, r.Header.Get("Origin")) }
	}
	return out
}

// routed is the writer for gin. Upstream requests are answered after gin is done, on the server's
// own writer: gin's holds back the status, and with it informational replies such as 103. Until
// then nothing that gin writes by itself is sent.
type routed struct {
	*reply.Writer
	class class.Class
}

func (w *routed) WriteHeader(status int) {
	if w.class == class.Own {
		w.Writer.WriteHeader(status)
	}
}

func (w *routed) Write(b []byte) (int, error) {
	if w.class == class.Own {
		return w.Writer.Write(b)
	}
	return len(b), nil
}

// forward returns a handler that leaves the request to ServeHTTP, as one of a class.
func forward(to class.Class) gin.HandlerFunc {
	return func(c *gin.Context) {
		c.Writer.Header().Del("Allow") // gin's list of methods for this path
		c.Status(http.StatusOK)        // else gin would set the headers of its own error page
		routedOf(c).class = to
	}
}

// forwardCall is forward for paths whose last segment is a model and an operation. gin has no
// pattern for the second part of a segment.
func forwardCall(c *gin.Context) {
	to, path := class.Pass, target.RawPath(c.Request)
	switch format.KindOf(path) {
	case format.KindGemini:
		to = class.Gemini
	case format.KindVertex:
		if strings.Contains(path, "/publishers/anthropic/") &&
			format.PathModel(path) != "count-tokens" {
			to = class.Vertex
		}
	}
	forward(to)(c)
}

// forwardAssist is forward for Code Assist. Most of its operations are about the user, and hold no
// conversation.
func forwardAssist(c *gin.Context) {
	to := class.Pass
	if format.KindOf(target.RawPath(c.Request)) == format.KindAssist {
		to = class.Assist
	}
	forward(to)(c)
}

// forwardInvoke is forward for the invoke paths of Bedrock: as a request to Claude, if the path
// names Claude, or a profile whose name the owner chose. The body of a signed request cannot be
// changed.
func forwardInvoke(c *gin.Context) {
	to := class.Pass
	name, err := url.PathUnescape(format.PathModel(target.RawPath(c.Request)))
	if err == nil && !auth.Signed(c.Request) && (strings.Contains(name, "anthropic.") ||
		strings.Contains(name, ":application-inference-profile/")) {
		to = class.Bedrock
	}
	forward(to)(c)
}

// forwardConverse is forward for Bedrock's Converse, with any model. Signed requests are passed
// through.
func forwardConverse(c *gin.Context) {
	to := class.Converse
	if auth.Signed(c.Request) {
		to = class.Pass
	}
	forward(to)(c)
}

// routedOf returns the writer that gin's writer wraps.
func routedOf(c *gin.Context) *routed {
	return c.Writer.(interface{ Unwrap() http.ResponseWriter }).Unwrap().(*routed)
}

// kindOf returns the kind of a request: that of its path, unless headers tell more. Anthropic's API
// requires a version of every request, and shares paths such as /v1/models with others. Google's
// takes its keys in a header of its own.
func kindOf(r *http.Request, path string) format.Kind {
	kind := format.KindOf(path)
	switch kind {
	case format.KindResponses:
		if r.Method == http.MethodGet && strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
			return format.KindResponsesWebSocket
		}
	case format.KindModels, format.KindFiles, format.KindBatches, format.KindOther:
		if r.Header.Get("Anthropic-Version") != "" {
			return format.KindMessagesOther
		}
		if r.Header.Get("X-Goog-Api-Key") != "" {
			return format.KindGeminiOther
		}
	}
	return kind
}

// underAnyPrefix are the patterns of a path under any prefix: Azure has
// /openai/deployments/NAME, others /openai/v1, /api/v1 or an account's path.
func underAnyPrefix(path string) []string {
	const maxSegments = 16 // of a prefix; deeper paths are passed through uninspected
	paths, prefix := []string{path}, ""
	for n := range maxSegments {
		prefix += "/:prefix" + strconv.Itoa(n)
		paths = append(paths, prefix+path)
	}
	return paths
}

// adminRoutes are the operator's paths, on a separate listener.
func (p *Proxy) adminRoutes() http.Handler {
	e := newEngine()
	e.Use(p.own)
	get(&e.RouterGroup, "/metrics", p.operatorsOnly, p.exposeMetrics())
	get(&e.RouterGroup, "/healthz", p.healthz)
	get(&e.RouterGroup, "/readyz", p.readyz)
	e.DELETE("/killick/data", p.operatorsOnly, p.noRebinding, p.stored.EraseAll)
	e.DELETE("/killick/clients/*name", p.operatorsOnly, p.noRebinding, p.stored.EraseClient)
	e.NoRoute(notForOperators)
	e.NoMethod(methodNotAllowed)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.ServeHTTP(&routed{Writer: p.newReply(w, r), class: class.Own}, r)
	})
}

func newEngine() *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New() // without gin.Recovery, which makes a cut reply look complete
	e.RedirectTrailingSlash = false
	e.HandleMethodNotAllowed = true
	return e
}

// get registers a path for GET and HEAD.
func get(g *gin.RouterGroup, path string, h ...gin.HandlerFunc) {
	g.GET(path, h...)
	g.HEAD(path, h...)
}

// reserved answers unknown paths under our own prefix, which never go upstream.
func (p *Proxy) reserved(c *gin.Context) {
	path := target.RawPath(c.Request)
	switch {
	case path == "/killick" || strings.HasPrefix(path, "/killick/"):
	case path == "/healthz" || path == "/readyz":
	default:
		return
	}
	defer p.contain(c)
	if c.Writer.Header().Get("Allow") != "" {
		methodNotAllowed(c)
	} else {
		notFound(c)
	}
	c.Abort()
}

func notFound(c *gin.Context) {
	fault.WriteError(c.Writer, http.StatusNotFound,
		"There is nothing at this path; /killick/ is reserved for Killick itself.",
		"invalid_request_error", "not_found")
}

// notForOperators answers clients that were given the admin listener's address, among others.
func notForOperators(c *gin.Context) {
	fault.WriteError(c.Writer, http.StatusNotFound,
		"There is nothing at this path of the admin listener; requests to models go to the other "+
			"one (listen).", "invalid_request_error", "not_found")
}

func methodNotAllowed(c *gin.Context) {
	fault.WriteError(c.Writer, http.StatusMethodNotAllowed,
		"This path does not support this method.", "invalid_request_error", "method_not_allowed")
}

// own recovers from panics in the handlers of our own paths.
func (p *Proxy) own(c *gin.Context) {
	defer p.contain(c)
	c.Next()
}

// contain recovers from a panic in a handler of our own paths. It is deferred.
func (p *Proxy) contain(c *gin.Context) {
	v, out := recover(), routedOf(c)
	defer out.Finish()
	if v == nil {
		return
	}
	if !isAbort(v) {
		p.reportPanic("own", v)
	}
	if isAbort(v) || out.Status() != 0 {
		panic(http.ErrAbortHandler)
	}
	fault.WriteError(out, http.StatusInternalServerError,
		"Killick failed with an internal error; see its log.", "server_error", "internal")
}

// version answers with the running version.
func (p *Proxy) version(c *gin.Context) {
	c.JSON(http.StatusOK, gin.H{"name": "killick", "version": p.opt.Version})
}
