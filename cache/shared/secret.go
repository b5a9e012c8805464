package shared

import (
	"context"
	"errors"
	"fmt"

	"killick/cache"
)

// Replicas share a secret: it keys the names of conversations and the handles in what is
// forwarded. Either the operator gives all of them one, or whoever starts first makes one and
// leaves it in the store, under the operator's encryption key if there is one. A check value beside
// it lets a replica see that it has another.

// ErrDisagree says that another replica has another secret or another encryption key.
var ErrDisagree = errors.New("replicas differ")

// Secret is what a replica has before it agrees with the others.
type Secret struct {
	Text  string // "": none yet
	Given bool   // by the operator: it is never written to the store
}

// Agree returns the text of the secret that all replicas share. A store that cannot be asked is no
// error where there is a text: then that is returned, agreed is false, and what the others have
// is asked once the store answers.
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
		c.log.Warn("the shared store does not answer: this replica starts with the secret that it "+
			"has, and compares it once the store is there", "cause", describe(err))
		return own.Text, false, nil
	}
	return text, true, nil
}

// agree returns the text that the store holds, own's if it held none.
func (c *Client) agree(ctx context.Context, own Secret) (text string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
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
		return "", fmt.Errorf("%w: another replica at the same cache.url has another "+
			"cache.secret_file or cache.encryption_key_file; give all of them the same, or "+
			"another database", ErrDisagree)
	}
	return text, nil
}

// How the secret lies in the store: as it is, or under the operator's key.
const (
	plainSecret  = "p"
	sealedSecret = "s"
)

// shareSecret leaves a secret in the store unless there is one, and returns the one that is there.
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
		return "", fmt.Errorf("%w: another replica at the same cache.url has no "+
			"cache.encryption_key_file; give all of them the same", ErrDisagree)
	case !keyed && there[:1] == sealedSecret:
		return "", fmt.Errorf("%w: another replica at the same cache.url has a "+
			"cache.encryption_key_file; give this one the same", ErrDisagree)
	case !keyed:
		return there[1:], nil
	}
	plain, err := openUnder(aeadOf(c.encryptionKey), secretName, []byte(there[1:]))
	if err != nil {
		return "", fmt.Errorf("%w: another replica at the same cache.url has another "+
			"cache.encryption_key_file; give all of them the same", ErrDisagree)
	}
	return string(plain), nil
}

// putOnce puts a value under a name that has none, for good, and returns what is there then. Where
// there is one it writes nothing: a store that is full refuses to.
func (c *Client) putOnce(ctx context.Context, name, value string) (string, error) {
	there, err := getUpTo(ctx, c.redis, name, mostSmall).Result()
	if err != nil || there != "" {
		return there, err
	}
	if err := c.redis.SetNX(ctx, name, value, 0).Err(); err != nil {
		return "", err
	}
	return getUpTo(ctx, c.redis, name, mostSmall).Result()
}

func unreachable(err error) error {
	return fmt.Errorf("%w: %s", ErrAway, describe(err))
}
