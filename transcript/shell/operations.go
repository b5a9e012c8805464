package shell

import "strings"

// operator is a program that operates a system by subcommands.
type operator struct {
	valued []string        // its options before the subcommand whose value is the next argument
	reads  map[string]bool // subcommands of one or two words that only show something
	writes []string        // options with which they write a file
}

// operators are those of clusters, containers, infrastructure and services (kubectl 1.34, helm 4.0,
// docker 29, Terraform 1.14, OpenTofu 1.11, systemd 258).
var operators = func() map[string]operator {
	list := func(names string) map[string]bool {
		all := map[string]bool{}
		for name := range strings.SplitSeq(names, ", ") {
			all[name] = true
		}
		return all
	}
	docker := operator{
		valued: []string{"-c", "--context", "-H", "--host", "--config", "-l", "--log-level"},
		reads: list("ps, images, logs, inspect, top, stats, port, version, info, history, " +
			"compose ps, compose logs, compose config, compose ls, container ls, image ls, " +
			"volume ls, network ls, network inspect, volume inspect, context ls"),
		writes: []string{"-o", "--output"},
	}
	terraform := operator{reads: list("show, output, version, graph, " +
		"state list, state show, workspace list, workspace show")}
	return map[string]operator{
		"kubectl": {
			valued: []string{"-n", "--namespace", "--context", "--kubeconfig", "--cluster",
				"-s", "--server", "--user", "--as", "--request-timeout"},
			reads: list("get, describe, logs, top, explain, version, api-resources, " +
				"api-versions, events, diff, auth can-i, config view, config get-contexts, " +
				"config current-context, rollout history"),
		},
		"helm": {
			valued: []string{"-n", "--namespace", "--kube-context", "--kubeconfig"},
			reads: list("list, ls, history, status, get, show, version, diff upgrade, " +
				"diff revision, diff rollback, search repo, search hub, repo list"),
		},
		"docker": docker, "podman": docker, "terraform": terraform, "tofu": terraform,
		"systemctl": {reads: list("status, show, cat, is-active, is-enabled, is-failed, " +
			"list-units, list-timers, list-unit-files")},
	}
}()

// onlyReads reports whether the program is called with a subcommand that only shows something.
func (o *operator) onlyReads(p *Program) bool {
	operands := p.operands(o.valued...)
	if len(operands) == 0 || len(o.writes) > 0 && p.option("", o.writes...) {
		return false
	}
	return o.reads[operands[0]] || len(operands) > 1 && o.reads[operands[0]+" "+operands[1]]
}
