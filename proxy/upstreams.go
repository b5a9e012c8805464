package proxy

import (
	"net/http"
	"strconv"

	"killick/proxy/class"
	"killick/proxy/fault"
	"killick/proxy/target"
)

// routeByPath chooses the upstream if the path decides. It reports whether to continue, which
// is without an upstream if the model decides, or if the request goes to none.
func (x *exchange) routeByPath() (ok bool) {
	if x.class == class.Compress {
		return true
	}
	i := target.ByPath(x.proxy.rules, x.asked, x.kind)
	if i == target.Unknown {
		return true
	}
	return x.useUpstream(i, "")
}

// routeByModel chooses the upstream of a request by its model, if the path does not decide.
// model is "" if the request names none.
func (x *exchange) routeByModel(model string) (ok bool) {
	return x.useUpstream(target.ByModel(x.proxy.rules, x.asked, x.kind, model), model)
}

// useUpstream directs a request to the upstream of an index, or answers it if there is none.
func (x *exchange) useUpstream(i int, model string) (ok bool) {
	if i == target.None {
		x.fail(x.noUpstream(model))
		return false
	}
	x.dest.up = x.proxy.upstreams[i]
	x.dest.path = x.dest.up.Base.Path(x.asked)
	x.dest.target = x.dest.up.Base.URL(x.dest.path, x.query(), x.in.URL.ForceQuery)
	return true
}

// noUpstream is the error for a request that matches no upstream. It does not contain the path.
func (x *exchange) noUpstream(model string) *fault.Fault {
	what := "requests of the format " + string(x.kind.Format())
	if model = printable(model); model != "" && len(model) <= 100 {
		what += " for the model " + strconv.Quote(model)
	}
	return &fault.Fault{Status: http.StatusNotFound, Kind: "no_upstream",
		Message: "No upstream in Killick's configuration matches " + what + ". Add the format to " +
			"formats, or the model to models, of an entry of upstreams; or add a last entry " +
			"without formats, paths and models, which matches everything."}
}
