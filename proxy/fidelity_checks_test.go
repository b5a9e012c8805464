package proxy

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"killick/proxy/coding/codingtest"
)

// fidelity is what a transparent proxy owes both sides.
var fidelity = map[string]fidelityCheck{
	"lone surrogates": bodyPasses(oddBodies["lone surrogate"]),
	"spelled numbers": bodyPasses(oddBodies["number"]),
	"duplicate keys":  bodyPasses(oddBodies["duplicate keys"]),
	"white space":     bodyPasses(oddBodies["white space"]),
	"no JSON":         bodyPasses(oddBodies["not JSON"]),
	"20 MB": bodyPasses(`{"messages":[{"role":"user","content":"` +
		strings.Repeat("0123456789", 2_000_000) + `"}]}`),
	"gzip to upstream": bodyPasses(codingtest.Encode("gzip", threeTurns),
		"Content-Encoding: gzip"),
	"br to upstream": bodyPasses(codingtest.Encode("br", threeTurns), "Content-Encoding: br"),
	"zstd to upstream": bodyPasses(codingtest.Encode("zstd", threeTurns),
		"Content-Encoding: zstd"),
	"gzip to client": replyPasses(codingtest.Encode("gzip", completion), "Content-Encoding",
		"gzip"),
	"br to client": replyPasses(codingtest.Encode("br", completion), "Content-Encoding",
		"br"),
	"zstd to client": replyPasses(codingtest.Encode("zstd", completion), "Content-Encoding",
		"zstd"),
	"reply as spelled": replyPasses("{\"a\": 2.50, \"b\":\"\\ud83d\", \"a\":1}\n\n",
		"Content-Type", "application/json"),
	"values of a header": replyPasses("{}", "Set-Cookie", "a=1", "Set-Cookie", "b=2",
		"X-Ratelimit-Remaining-Tokens", "17"),

	"events as they come": eventsPass(eventStream...),
	"comments and CRLF": eventsPass(": ping\r\n\r\n", "event: x\r\ndata: {}\r\n\r\n", ":\n\n",
		"data: [DONE]\n\n"),
	"an error event": eventsPass("data: {\"choices\":[]}\n\n",
		"event: error\ndata: {\"error\":{\"message\":\"overloaded\",\"code\":2.50}}\n\n"),
	"split at any byte": eventsPass(splitAtEveryByte("data: {\"é\":\"\\ud83d😀\"}\r\n\r\n: " +
		"x\n\ndata: [DONE]\n\n")...),

	"many values": headersOf([]string{"X-Multi: a", "x-multi: b, c"}, func(h http.Header) error {
		return want("X-Multi", strings.Join(h["X-Multi"], "|"), "a|b, c")
	}),
	"any case": headersOf([]string{"X-STAINLESS-LANG: python", "x-session-id: s",
		"authorization: Bearer k"}, func(h http.Header) error {
		got := h.Get("X-Stainless-Lang") + h.Get("X-Session-Id") + h.Get("Authorization")
		return want("headers", got, "pythonsBearer k")
	}),
	"nothing made up": headersOf([]string{"X-Forwarded-For: 10.0.0.1"}, func(h http.Header) error {
		for _, name := range []string{"Via", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded",
			"User-Agent", "Accept-Encoding"} {
			if h[name] != nil {
				return fmt.Errorf("%s was made up: %q", name, h[name])
			}
		}
		return want("X-Forwarded-For", h.Get("X-Forwarded-For"), "10.0.0.1")
	}),

	"error bodies": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3")
		w.WriteHeader(429)
		_, _ = io.WriteString(w, `{"error": {"code":"rate_limit_exceeded", "x":2.50}}`)
	}, func(w *wire) error {
		res, body, err := w.post("{}")
		if err != nil {
			return err
		}
		return cmp.Or(want("status", res.Status[:3], "429"),
			want("Retry-After", res.Header.Get("Retry-After"), "3"),
			want("body", body, `{"error": {"code":"rate_limit_exceeded", "x":2.50}}`))
	}},
	"cut streams": {func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "data: {}\n\n")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}, func(w *wire) error {
		if _, body, err := w.post("{}"); err == nil {
			return fmt.Errorf("got %q for a whole reply", body)
		}
		return nil
	}},
	"trailers of a reply": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		_, _ = io.WriteString(w, "body")
		w.Header().Set("X-Sum", "42")
	}, func(w *wire) error {
		res, _, err := w.post("{}", "TE: trailers")
		if err != nil {
			return err
		}
		return want("trailer", res.Trailer.Get("X-Sum"), "42")
	}},
	"trailers of a request": {keeps, func(w *wire) error {
		got, err := w.arrives("Trailer: X-Sum\r\n\r\n2\r\n{}\r\n0\r\nX-Sum: 42\r\n\r\n")
		if err != nil {
			return err
		}
		return want("trailer", got.Trailer.Get("X-Sum"), "42")
	}},
	"a body of unknown length": {keeps, func(w *wire) error {
		got, err := w.arrives("\r\n1\r\n{\r\n2\r\n }\r\n0\r\n\r\n")
		return cmp.Or(err, want("body", string(got.body), "{ }"))
	}},
	"uploads stream": {func(_ http.ResponseWriter, r *http.Request) {
		b := make([]byte, 5)
		_, _ = io.ReadFull(r.Body, b)
		wireOf(r).got <- received{r, b}
		_, _ = io.Copy(io.Discard, r.Body)
	}, func(w *wire) error {
		conn, in, err := w.send("POST /v1/files HTTP/1.1\r\nHost: p\r\nTransfer-Encoding: " +
			"chunked\r\n\r\n5\r\nfirst\r\n")
		if err != nil {
			return err
		}
		defer conn.Close()
		select {
		case <-w.got:
		case <-time.After(w.timeout):
			return fmt.Errorf("the first bytes wait for the last")
		}
		_, _ = io.WriteString(conn, "0\r\n\r\n")
		_, _, err = whole(in)
		return err
	}},
	"100-continue": {keeps, func(w *wire) error {
		conn, in, err := w.send("POST " + chatPath +
			" HTTP/1.1\r\nHost: p\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
		if err != nil {
			return err
		}
		defer conn.Close()
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return err
		}
		_, _ = io.WriteString(conn, "{}")
		return want("status before the body is sent", res.Status[:3], "100")
	}},
	"early hints": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</a>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		_, _ = io.WriteString(w, "done")
	}, func(w *wire) error {
		conn, in, err := w.send(smallChat)
		if err != nil {
			return err
		}
		defer conn.Close()
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return err
		}
		return cmp.Or(want("first status", res.Status[:3], "103"),
			want("Link", res.Header.Get("Link"), "</a>; rel=preload"))
	}},
	"very fast replies": {func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(413)
		_, _ = io.WriteString(w, "too large")
	}, func(w *wire) error {
		res, body, err := w.post(strings.Repeat("x", 4<<20))
		if err != nil {
			return err
		}
		return cmp.Or(want("status", res.Status[:3], "413"), want("body", body, "too large"))
	}},
	"a slow reader": {func(w http.ResponseWriter, r *http.Request) {
		piece := bytes.Repeat([]byte("data: {}\n\n"), 6554)
		sent := 0
		for sent < 80<<20 {
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Second))
			n, err := w.Write(piece)
			sent += n
			if err != nil {
				break
			}
		}
		wireOf(r).got <- received{r, fmt.Append(nil, sent)}
	}, func(w *wire) error {
		conn, _, err := w.send(smallChat)
		if err != nil {
			return err
		}
		defer conn.Close()
		got, err := w.upstreamGot()
		var sent int
		if _, scanErr := fmt.Sscan(string(got.body), &sent); err != nil || scanErr != nil {
			return cmp.Or(err, scanErr)
		}
		if sent > 64<<20 {
			return fmt.Errorf("the upstream could send %d bytes to a client that reads none", sent)
		}
		return nil
	}},
	"a client that leaves": {func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "data: {}\n\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
			wireOf(r).got <- received{r, nil}
		case <-time.After(2 * wireOf(r).timeout):
			panic(http.ErrAbortHandler)
		}
	}, func(w *wire) error {
		conn, in, err := w.send(smallChat)
		if err != nil {
			return err
		}
		_, err = in.Peek(1)
		conn.Close()
		if err != nil {
			return err
		}
		select {
		case <-w.got:
			return nil
		case <-time.After(w.timeout):
			return fmt.Errorf("the upstream works on for nobody")
		}
	}},
	"kept connections": {keeps, func(w *wire) error {
		var from [2]string
		conn, in, err := w.send("")
		if err != nil {
			return err
		}
		defer conn.Close()
		for i := range from {
			_, _ = io.WriteString(conn, smallChat)
			if _, _, err := whole(in); err != nil {
				return err
			}
			got, err := w.upstreamGot()
			if err != nil {
				return err
			}
			from[i] = got.RemoteAddr
		}
		return want("the second connection", from[1], from[0])
	}},
}
