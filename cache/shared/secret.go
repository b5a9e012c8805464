package shared

import (
	"context"
	"errors"
	"fmt"

	"killick/cache"
)

// Replicas share a secret: it keys the names of conversations and the refs in forwarded text.
// Either the operator configures it for all, or the first replica creates one and puts it into the
// store, encrypted with the operator's key if there is one. With a check value beside it a replica
// detects that it has another secret.

// ErrDisagree means that another replica has another secret or encryption key.
var ErrDisagree = errors.New("replicas differ")

// Secret is what a replica has before it agrees with the others.
type Secret struct {
	Text  string // "" if there is none yet
	Given bool   // configured by the operator: never written to the store
}

// Agree returns the text of the secret that all replicas share. A store that is down is not an
// error if there is a text: then that is returned, agreed is false, and it is compared with the
// others' once the store answers.
func (c *Client) Agree(ctx context.Context, own Secret) (text string, agreed bool, err error) {
	if own.Text == "" {
		own.Text = cache.NewSecretText()
		text, err = c.agree(ctx, own)
		if err != nil {
			return "", false, err
		}
		return text, true, nil
	}
	switch text, err = c.agree(ctx, own); {
	case errors.Is(err, ErrDisagree):
		return "", false, err
	case err != nil:
		c.log.Warn("the shared store does not answer: this replica starts with its own "+
			"secret, and compares it once the store answers", "cause", describe(err))
		return own.Text, false, nil
	}
	return text, true, nil
}

// agree returns the text in the store, own's if there was none.
func (c *Client) agree(ctx context.Context, own Secret) (text string, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.longTimeout)
	defer cancel()
	if text = own.Text; !own.Given {
		if text, err = c.shareSecret(ctx, own.Text); err != nil {
			return "", err
		}
	}
	mine := checkOf(cache.SecretOf(text), c.encryptionKey)
	theirs, err := c.putOnce(ctx, checkName, mine)
	if err != nil {
		return "", unreachable(err)
	}
	if theirs != mine {
		return "", disagree("another cache.secret_file or cache.encryption_key_file")
	}
	return text, nil
}

// disagree returns the error for a replica that differs from the others. has is what they have.
func disagree(has string) error {
	return fmt.Errorf("%w: another replica at the same cache.url has, or had, %s; give all of "+
		"them the same. To change it for all, stop them and remove the names there that begin "+
		"with %s (or set cache.url to another database)", ErrDisagree, has, space)
}

// How the secret is stored: in the clear, or encrypted with the operator's key.
const (
	plainSecret  = "p"
	sealedSecret = "s"
)

// shareSecret puts a secret into the store unless there is one, and returns the one in the store.
func (c *Client) shareSecret(ctx context.Context, text string) (string, error) {
	value := plainSecret + text
	keyed := len(c.encryptionKey) > 0
	if keyed {
		value = sealedSecret + string(sealUnder(aeadOf(c.encryptionKey), secretName, []byte(text)))
	}
	there, err := c.putOnce(ctx, secretName, value)
	switch {
	case err != nil:
		return "", unreachable(err)
	case there == "":
		return "", fmt.Errorf("%w: the store holds an empty secret", ErrDisagree)
	case keyed && there[:1] == plainSecret:
		return "", disagree("no cache.encryption_key_file")
	case !keyed && there[:1] == sealedSecret:
		return "", disagree("a cache.encryption_key_file")
	case !keyed:
		return there[1:], nil
	}
	plain, err := openUnder(aeadOf(c.encryptionKey), secretName, []byte(there[1:]))
	if err != nil {
		return "", disagree("another cache.encryption_key_file")
	}
	return string(plain), nil
}

// putOnce stores a value without expiry under a name that has none, and returns the value stored.
// If there is one it writes nothing, since a full store would refuse that.
func (c *Client) putOnce(ctx context.Context, name, value string) (string, error) {
	there, err := getUpTo(ctx, c.redis, name, maxSmallBytes).Result()
	if err != nil || there != "" {
		return there, err
	}
	if err := c.redis.SetNX(ctx, name, value, 0).Err(); err != nil {
		return "", err
	}
	return getUpTo(ctx, c.redis, name, maxSmallBytes).Result()
}

func unreachable(err error) error {
	return awayError{err}
}

// awayError is [ErrAway] with its cause, which may quote what was sent: only its description shows.
type awayError struct{ cause error }

func (e awayError) Error() string   { return ErrAway.Error() + ": " + describe(e.cause) }
func (e awayError) Unwrap() []error { return []error{ErrAway, e.cause} }
