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

// Example is an address as an operator writes it.
const Example = "redis://valkey.example:6379/0"

const defaultPort = "6379"

// address reads the address of a store:
//
//	redis://[user[:password]@]host[:port][/database]   one server
//	rediss://...                                       the same over TLS
//	...?addr=host:port&addr=host:port                  more nodes of a cluster
//	...?cluster=true                                   a cluster behind one name
//	...?master_name=NAME                               the hosts are sentinels of that master
//
// Its errors quote no part of the address, which may hold a password.
func address(raw string) (*redis.UniversalOptions, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, errors.New("is not a URL; write one such as " + Example)
	case u.Scheme != "redis" && u.Scheme != "rediss":
		return nil, errors.New(
			"wants a URL that begins with redis:// or, for TLS, rediss://, such as " +
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
				"ends in a path that is no number of a database; write a URL such as " +
					Example,
			)
		}
	}
	if err := readQuery(o, u.RawQuery); err != nil {
		return nil, err
	}
	if o.IsClusterMode && o.DB != 0 {
		return nil, errors.New(
			"names a database, and a cluster has only the first; leave the number out",
		)
	}
	return o, nil
}

// readQuery reads what stands behind the question mark of an address.
func readQuery(o *redis.UniversalOptions, raw string) error {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return errors.New("has a query that cannot be read; write addr=host:port, cluster=true " +
			"or master_name=NAME behind the ?")
	}
	for name, values := range query {
		switch name {
		case "addr", "cluster", "master_name":
		default:
			return fmt.Errorf("has a query with %q; what may stand there is addr, cluster and "+
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
			return errors.New("has cluster and master_name, and a store is one of both; leave " +
				"master_name out for a cluster, cluster out for sentinels")
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

// withPort returns a host with its port, the usual one if it names none.
func withPort(address string) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		host, port = strings.Trim(address, "[]"), defaultPort
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", errors.New("names a port that is none; write a number from 1 to 65535")
	}
	if host == "" || strings.ContainsAny(host, " /@") {
		return "", errors.New("names a host that is none; write host:port, such as " +
			"valkey.example:6379")
	}
	return net.JoinHostPort(host, port), nil
}

// CheckAddress returns what is wrong with the address of a store, nil if nothing is.
func CheckAddress(raw string) error {
	_, err := address(raw)
	return err
}
