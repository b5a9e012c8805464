package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// client sends requests to a contestant.
type client struct {
	http http.Client
	url  string
	api  *api
}

func newClient(url string) *client { return newClientOf(url, chatAPI) }

// newClientOf returns a client of one wire format.
func newClientOf(url string, a *api) *client {
	return &client{url: url + a.path, api: a, http: http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: 4096, DisableCompression: true, WriteBufferSize: 64 << 10,
	}}}
}

func (c *client) close() { c.http.CloseIdleConnections() }

func (c *client) request(ctx context.Context, key, body string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Anthropic-Version", "2023-06-01")
	return req, nil
}

// chat sends a request and reads its whole reply.
func (c *client) chat(ctx context.Context, key, body string) error {
	req, err := c.request(ctx, key, body)
	if err != nil {
		return err
	}
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	reply, err := io.ReadAll(res.Body)
	if err != nil {
		return fmt.Errorf("reading the reply: %w", err)
	}
	if res.StatusCode != http.StatusOK || !bytes.Contains(reply, []byte(c.api.good)) {
		return fmt.Errorf("status %d and %.200q, want 200 and an answer", res.StatusCode, reply)
	}
	return nil
}

// stream sends a request that is answered with this number of events, and reads them all. It
// returns the time to the first byte of the first event.
func (c *client) stream(ctx context.Context, key, body string, events int,
	pause time.Duration) (first time.Duration, err error) {
	req, err := c.request(ctx, key, body)
	if err != nil {
		return 0, err
	}
	req.Header.Set(headerEvents, strconv.Itoa(events))
	req.Header.Set(headerPause, pause.String())
	began := time.Now()
	res, err := c.http.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	reply := bufio.NewReader(res.Body)
	if _, err := reply.Peek(1); err != nil {
		return 0, fmt.Errorf("waiting for the first event: %w", err)
	}
	first = time.Since(began)
	all, err := io.ReadAll(reply)
	if err != nil {
		return 0, fmt.Errorf("reading the stream: %w", err)
	}
	if got := bytes.Count(all, []byte("data: {")); res.StatusCode != http.StatusOK ||
		got != events || !bytes.HasSuffix(all, []byte("data: [DONE]\n\n")) {
		return 0, fmt.Errorf("status %d and %d events, want 200, %d events and [DONE]",
			res.StatusCode, got, events)
	}
	return first, nil
}

// leave opens a stream, reads its first event and closes the connection. It returns when it did.
func leave(ctx context.Context, url, id, body string) (time.Time, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		return time.Time{}, err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(startTimeout))
	fmt.Fprintf(conn,
		"POST /v1/chat/completions HTTP/1.1\r\nHost: api\r\nContent-Type: "+
			"application/json\r\nContent-Length: %d\r\n"+
			"%s: 1000\r\n%s: 1h\r\n%s: %s\r\n\r\n%s", len(body), headerEvents, headerPause,
		headerID, id, body)
	reply := bufio.NewReader(conn)
	for {
		line, err := reply.ReadString('\n')
		if err != nil {
			return time.Time{}, err
		}
		if strings.HasPrefix(line, "data: ") {
			return time.Now(), nil
		}
	}
}

// hold opens a stream, reads its first event, and keeps it open until ctx ends.
func (c *client) hold(ctx context.Context, key, body string) error {
	req, err := c.request(ctx, key, body)
	if err != nil {
		return err
	}
	req.Header.Set(headerEvents, "1000")
	req.Header.Set(headerPause, "1h")
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { _ = res.Body.Close() })
	var one [1]byte
	if _, err := io.ReadFull(res.Body, one[:]); err != nil {
		return fmt.Errorf("waiting for the first event: %w", err)
	}
	return nil
}
