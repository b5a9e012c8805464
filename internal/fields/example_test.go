package fields_test

import (
	"fmt"

	"killick/internal/fields"
)

// A file and the environment set the fields of a struct; what is wrong is reported with its place.
func Example() {
	type limits struct {
		Retries int `yaml:"retries"`
	}
	type settings struct {
		Listen string `yaml:"listen"`
		Limits limits `yaml:"limits"`
	}
	schema := &fields.Schema{Keys: fields.KeysOf[settings](), Prefix: "APP_"}

	s := settings{Listen: ":8080"}
	r := fields.NewReader(schema, &s)
	r.File("app.yaml", []byte("limits:\n  retries: 3\n  retrys: 4\n"))
	r.Env([]string{"APP_LISTEN=:9090"})

	fmt.Println(s.Listen, s.Limits.Retries, "by", r.OriginOf("limits.retries").Where)
	fmt.Println(r.Faults)
	// Output:
	// :9090 3 by app.yaml:2
	// app.yaml:3: limits.retrys: unknown key; did you mean limits.retries?
}
