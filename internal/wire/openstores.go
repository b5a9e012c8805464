package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"killick/cache"
	"killick/cache/shared"
	"killick/internal/buildinfo"
	"killick/internal/config"
)

// stores are the local store and, if replicas share one, its combination with the shared store.
type stores struct {
	own    *cache.Store
	shared *shared.Store // may be nil
	secret cache.Secret
}

// openStores opens the stores of a configuration. The caller starts and closes them.
func openStores(c *config.Cache, log *slog.Logger) (*stores, error) {
	if c.URL == "" {
		own, secret, err := OpenStore(*c, log)
		if err == nil {
			logReplicas(c, log)
		}
		return &stores{own: own, secret: secret}, err
	}
	client, err := dial(c, log)
	if err != nil {
		return nil, err
	}
	s, err := openShared(c, client, log)
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return s, nil
}

// start starts receiving the announcements of other replicas, which should have these settings.
func (s *stores) start(e Engine, c *config.Config) {
	if s.shared != nil {
		info := buildinfo.Read()
		build := info.Version + " " + info.Revision
		s.shared.Settings = shared.Settings{Build: build, Sections: c.Common()}
		s.shared.Ending = e.endFor
		s.shared.Named = func(ctx context.Context, event shared.Event) []string {
			return e.namedBy(ctx, ownStore{s.own}, event)
		}
		s.shared.Start(e.receive)
	}
}

// Close closes the stores.
func (s *stores) Close() error {
	if s.shared == nil {
		return s.own.Close()
	}
	return errors.Join(s.shared.Close(), s.own.Close())
}

func dial(c *config.Cache, log *slog.Logger) (*shared.Client, error) {
	o := shared.Options{URL: string(c.URL), Password: string(c.Password), Timeout: c.Timeout,
		Logger: log}
	var err error
	if o.TLS, _, err = c.ClientTLS(); err != nil {
		return nil, fmt.Errorf("opening the shared store: %w", err)
	}
	if c.EncryptionKeyFile != "" {
		if o.EncryptionKey, err = cache.LoadKey(c.EncryptionKeyFile); err != nil {
			return nil, err
		}
	}
	return shared.Dial(o)
}

// openShared agrees with the other replicas on a secret, and opens the stores under it.
func openShared(c *config.Cache, client *shared.Client, log *slog.Logger) (*stores, error) {
	mine, err := ownSecret(c)
	if err != nil {
		return nil, fmt.Errorf("loading the store secret: %w", err)
	}
	text, agreed, err := client.Agree(context.Background(), mine)
	switch {
	case errors.Is(err, shared.ErrAway):
		return nil, fmt.Errorf("opening the shared store at %s: %w; a replica that has no secret "+
			"yet starts with the store only, or with one cache.secret_file for all replicas",
			c.URL, err)
	case err != nil:
		return nil, fmt.Errorf("opening the shared store at %s: %w", c.URL, err)
	}
	keeps := !mine.Given && !c.InMemory
	if keeps && text != mine.Text {
		if mine.Text != "" {
			log.Warn("this replica adopts the secret of the others; what it stored with its "+
				"own is lost", "secret_file", c.SecretPath())
		}
		if err := cache.WriteSecretText(c.SecretPath(), text); err != nil {
			return nil, err
		}
	}
	mine.Text = text
	secret := cache.SecretOf(text)
	own, err := openOwn(c, secret, log)
	if err != nil {
		return nil, err
	}
	log.Info("replicas share a store", "url", c.URL.String(), "agreed", agreed)
	return &stores{own: own, secret: secret, shared: client.Open(shared.Config{
		Near: own, Secret: secret, Own: mine, TTL: c.TTL,
	})}, nil
}

// ownSecret returns what this replica has before it agrees with the others.
func ownSecret(c *config.Cache) (mine shared.Secret, err error) {
	switch {
	case c.SecretFile != "":
		mine.Given = true
		if _, err = cache.LoadSecret(c.SecretFile); err != nil {
			return mine, err
		}
		mine.Text, err = cache.ReadSecretText(c.SecretFile)
	case !c.InMemory:
		mine.Text, err = cache.ReadSecretText(c.SecretPath())
	}
	return mine, err
}

// OpenStore opens the store of this process under its secret. In memory both live as long as the
// process.
func OpenStore(c config.Cache, log *slog.Logger) (*cache.Store, cache.Secret, error) {
	secret := cache.NewSecret()
	if !c.InMemory {
		_, missing := os.Stat(c.SecretPath())
		var err error
		if secret, err = cache.LoadSecret(c.SecretPath()); err != nil {
			return nil, cache.Secret{}, err
		}
		if missing != nil && cache.Exists(c.Dir) {
			log.Warn("the secret of the store was missing: a new one was made, and nothing that "+
				"is stored under the old one is found; keep this file together with the "+
				"directory", "secret_file", c.SecretPath(), "dir", c.Dir)
		}
	}
	store, err := openOwn(&c, secret, log)
	return store, secret, err
}

func openOwn(c *config.Cache, secret cache.Secret, log *slog.Logger) (*cache.Store, error) {
	options := cache.Options{
		Dir: c.Dir, InMemory: c.InMemory, TTL: c.TTL, MaxBytes: int64(c.MaxSize),
		Secret: secret, Logger: log,
	}
	if !c.InMemory && c.EncryptionKeyFile != "" {
		var err error
		if options.EncryptionKey, err = cache.LoadKey(c.EncryptionKeyFile); err != nil {
			return nil, err
		}
	}
	return cache.Open(options)
}
