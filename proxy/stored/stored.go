// Package stored answers the paths by which clients read and delete what a compactor stored for
// them: originals, descriptions of summaries, whole conversations. What belongs to another client
// is answered like what does not exist. It never decides what is stored, and never logs any of it.
package stored

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"killick/proxy/auth"
	"killick/proxy/body"
	"killick/proxy/keepalive"
	"killick/view"
)

// ErrNoOriginal is returned by [Originals] if there is no original: never stored, stored for
// another client, or expired.
var ErrNoOriginal = errors.New("no original is stored under this ref")

// Originals returns what a compactor masked or truncated.
type Originals interface {
	// Original returns what was stored under ref for who, the hash of the client's identity. The
	// error is [ErrNoOriginal], or describes a store failure without quoting content. It must be
	// safe for concurrent use; its result is not modified.
	Original(ctx context.Context, who, ref string) ([]byte, error)
}

// Summaries describes the summaries that a compactor puts in place of old turns.
type Summaries interface {
	// Summary describes the summary of a ref that a [compaction.Outcome] for who has named as
	// SummaryRef: as JSON, or as Markdown for people. The rules of [Originals] apply to its
	// errors and use.
	Summary(ctx context.Context, who, ref string, markdown bool) ([]byte, error)
}

// Eraser deletes what a compactor stored. Each method returns the number of deleted records. When
// it returns they cannot be found any more; its errors quote no content.
type Eraser interface {
	// EraseConversation deletes the prefixes of a request's conversation, and the originals of
	// its outputs, if they were stored for who.
	EraseConversation(ctx context.Context, who string, req *view.Request) (int, error)
	// EraseOwner deletes everything stored for who.
	EraseOwner(ctx context.Context, who string) (int, error)
	EraseAll(ctx context.Context) (int, error)
}

// Paths answers the paths. Without an interface, nothing is found there, and there is nothing to
// delete.
type Paths struct {
	Originals Originals
	Summaries Summaries
	Eraser    Eraser
	Identity  *auth.Identity
	Logger    *slog.Logger

	// What is in memory of a client is deleted too.
	Keeper *keepalive.Keeper // nil: there is none
	Parser *view.Parser

	Budget      *body.Budget  // of the bodies that name a conversation
	MaxBody     int64         // bytes of one
	BodyTimeout time.Duration // for one to be sent
}
