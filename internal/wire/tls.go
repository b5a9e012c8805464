package wire

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime"
	"sync"
	"time"

	"killick/internal/config"
)

// recheck is how long files are believed to be the ones that were read.
const recheck = time.Second

// reloader gives every handshake the certificate that the files hold, so that
// one which is renewed needs no restart.
type reloader struct {
	files config.TLS
	log   *slog.Logger

	mu      sync.Mutex
	config  *tls.Config
	stamps  [3]stamp
	checked time.Time
}

// stamp is what changes when a file does.
type stamp struct {
	size     int64
	modified time.Time
}

func stampsOf(t config.TLS) (s [3]stamp) {
	for i, path := range []string{t.CertFile, t.KeyFile, t.ClientCAFile} {
		// of what a symbolic link points at, as cert-manager swaps them
		if info, err := os.Stat(path); err == nil {
			s[i] = stamp{info.Size(), info.ModTime()}
		}
	}
	return s
}

// current returns the settings for a handshake. Files that cannot be used, half
// written ones too, leave those that were.
func (r *reloader) current(*tls.ClientHelloInfo) (*tls.Config, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.checked) < recheck {
		return r.config, nil
	}
	r.checked = time.Now()
	now := stampsOf(r.files)
	if now == r.stamps {
		return r.config, nil
	}
	config, key, err := r.files.Load()
	if err != nil {
		r.log.Error("the changed certificate cannot be used; the previous one stays in use", "key",
			key, "cause", err.Error())
		return r.config, nil
	}
	r.config, r.stamps = config, now
	r.log.Info("loaded the changed certificate", "file", r.files.CertFile)
	return r.config, nil
}

// Secure puts TLS on a listener where the configuration asks for it.
func Secure(section string, t config.TLS, l net.Listener, log *slog.Logger) (net.Listener, error) {
	if !t.On() {
		return l, nil
	}
	r := &reloader{files: t, log: log, stamps: stampsOf(t)}
	settings, key, err := t.Load()
	if err != nil {
		return nil, fmt.Errorf("%s.%s: %w", section, key, err)
	}
	r.config = settings
	outer := settings.Clone()
	outer.GetConfigForClient = r.current
	if !config.HTTP2Sound(runtime.Version()) {
		log.Warn("HTTP/2 is not offered over TLS: the Go release that built this has a "+
			"vulnerability in it; build with "+config.FirstSoundHTTP2+" or later",
			"built_with", runtime.Version())
	}
	return tls.NewListener(l, outer), nil
}
