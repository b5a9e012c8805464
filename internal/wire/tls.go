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

// recheck is the minimum time between two checks of the files for changes.
const recheck = time.Second

// reloader uses the current certificate in the files for each handshake, so that a renewal needs no
// restart.
type reloader struct {
	files config.TLS
	log   *slog.Logger

	mu      sync.Mutex
	config  *tls.Config
	stamps  [3]stamp
	checked time.Time
}

// stamp identifies the content of a file by its size and modification time.
type stamp struct {
	size     int64
	modified time.Time
}

func stampsOf(t config.TLS) (s [3]stamp) {
	for i, path := range []string{t.CertFile, t.KeyFile, t.ClientCAFile} {
		// Stat follows symbolic links, which cert-manager swaps.
		if info, err := os.Stat(path); err == nil {
			s[i] = stamp{info.Size(), info.ModTime()}
		}
	}
	return s
}

// current returns the settings for a handshake. If the files cannot be used, for example because
// they are half-written, the previous settings stay in use.
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

// Secure adds TLS to a listener if the configuration requires it.
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
