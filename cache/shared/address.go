package shared

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Example is an example of an address.
const Example = "redis://valkey.example:6379/0"

const defaultPort = "6379"

// address parses the address of a store:
//
//	redis://[user[:password]@]host[:port][/database]   one server
//	rediss://...                                       the same over TLS
//	...?addr=host:port&addr=host:port                  more nodes of a cluster
//	...?cluster=true                                   a cluster behind one name
//	...?master_name=NAME                               the hosts are sentinels of that master
//
// Its errors quote no part of the address, which may contain a password.
func address(raw string) (*redis.UniversalOptions, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, errors.New("is not a URL; write one such as " + Example)
	case u.Scheme != "redis" && u.Scheme != "rediss":
		return nil, errors.New(
			"must be a URL that begins with redis:// or, for TLS, rediss://, such as " +
				Example,
		)
	case u.Hostname() == "":
		return nil, errors.New("names no host; write a URL such as " + Example)
	}
	o := &redis.UniversalOptions{Addrs: []string{withPort(u.Host)}, Username: u.User.Username()}
	o.Password, _ = u.User.Password()
	if u.Scheme == "rediss" {
		o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, ServerName: u.Hostname()}
	}
	if db := strings.Trim(u.Path, "/"); db != "" {
		if o.DB, err = strconv.Atoi(db); err != nil || o.DB < 0 {
			return nil, errors.New(
				"ends in a path that is not a database number; write a URL such as " +
					Example,
			)
		}
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errors.New(
			"has a query that cannot be read; write addr=host:port, cluster=true or " +
				"master_name=NAME after the ?",
		)
	}
	for name, values := range query {
		switch name {
		case "addr":
			for _, v := range values {
				o.Addrs = append(o.Addrs, withPort(v))
			}
			o.IsClusterMode = true
		case "cluster":
			o.IsClusterMode = slices.Contains(values, "true") || o.IsClusterMode
		case "master_name":
			o.MasterName = values[0]
		default:
			return nil, fmt.Errorf(
				"has a query with %q; allowed are addr, cluster and "+
					"master_name",
				name,
			)
		}
	}
	if o.MasterName != "" {
		o.IsClusterMode = false
	}
	if o.IsClusterMode && o.DB != 0 {
		return nil, errors.New(
			"names a database, but a cluster has only the first; remove the number",
		)
	}
	return o, nil
}

func withPort(host string) string {
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), defaultPort)
}

// CheckAddress returns what is wrong with the address of a store, nil if nothing is.
func CheckAddress(raw string) error {
	_, err := address(raw)
	return err
}
