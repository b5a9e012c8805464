package shared

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
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
	first, err := withPort(u.Host)
	if err != nil {
		return nil, err
	}
	o := &redis.UniversalOptions{Addrs: []string{first}, Username: u.User.Username()}
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
	if err := readQuery(o, u.RawQuery); err != nil {
		return nil, err
	}
	if o.IsClusterMode && o.DB != 0 {
		return nil, errors.New(
			"names a database, but a cluster has only the first; remove the number",
		)
	}
	return o, nil
}

// readQuery reads the query of an address.
func readQuery(o *redis.UniversalOptions, raw string) error {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return errors.New("has a query that cannot be read; write addr=host:port, cluster=true " +
			"or master_name=NAME after the ?")
	}
	for name, values := range query {
		switch name {
		case "addr", "cluster", "master_name":
		default:
			return fmt.Errorf("has a query with %q; allowed are addr, cluster and "+
				"master_name", name)
		}
		if len(values) > 1 && name != "addr" {
			return fmt.Errorf("has %s more than once; write it once", name)
		}
	}
	for _, host := range query["addr"] {
		node, err := withPort(host)
		if err != nil {
			return err
		}
		o.Addrs = append(o.Addrs, node)
	}
	o.MasterName = query.Get("master_name")
	switch query.Get("cluster") {
	case "true":
		if o.MasterName != "" {
			return errors.New("has both cluster and master_name; remove master_name for a " +
				"cluster, or cluster for sentinels")
		}
		o.IsClusterMode = true
	case "", "false":
		o.IsClusterMode = o.MasterName == "" && len(o.Addrs) > 1
	default:
		return errors.New("has a cluster that is neither true nor false; write cluster=true")
	}
	if query.Has("master_name") && o.MasterName == "" {
		return errors.New("has an empty master_name; write the name that the sentinels know")
	}
	return nil
}

// withPort returns a host with its port, the default one if it has none.
func withPort(address string) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		host, port = strings.Trim(address, "[]"), defaultPort
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", errors.New("has an invalid port; write a number from 1 to 65535")
	}
	if host == "" || strings.ContainsAny(host, " /@") {
		return "", errors.New("has an invalid host; write host:port, such as valkey.example:6379")
	}
	return net.JoinHostPort(host, port), nil
}

// CheckAddress returns what is wrong with the address of a store, nil if nothing is.
func CheckAddress(raw string) error {
	_, err := address(raw)
	return err
}
