package redact

// rule is one published format of a credential.
type rule struct {
	kind     string // the kind in the placeholder
	shape    *shape
	entropy  float64 // least entropy of what follows the literal, in bits per byte; if zero, 2.5
	random   bool    // what follows the literal must look random
	anywhere bool    // a letter or digit may precede it
}

// match tries the rule at an occurrence of its keyword. It returns the range of the credential.
func (r *rule) match(text string, at, past int) (start, end int, ok bool) {
	if len(r.shape.before) == 0 && !r.starts(text, at) {
		return 0, 0, false
	}
	start, body, end, ok := r.shape.match(text, at, past)
	if !ok || !r.starts(text, start) {
		return 0, 0, false
	}
	value := text[body:end]
	if len(r.shape.before) > 0 {
		value = text[start:end]
	}
	least := r.entropy
	if least == 0 {
		least = 2.5
	}
	if entropy(value[:min(len(value), 256)]) < least || isPlaceholder(value) {
		return 0, 0, false
	}
	if r.random &&
		(!looksRandom(value) || end < len(text) && (text[end] == '/' || text[end] == '+')) {
		return 0, 0, false
	}
	return start, end, true
}

// starts reports whether a credential may start at i: not in the middle of a word, nor in the
// middle of a run of its own characters.
func (r *rule) starts(text string, i int) bool {
	if r.anywhere || i == 0 {
		return true
	}
	if prev := text[i-1]; prev == '-' || prev == '_' {
		return !r.shape.after[0].class.has(prev)
	}
	return atWordStart(text, i)
}

// atWordStart reports whether i is not within a word: the byte before it is neither a letter nor a
// digit, or ends an escape sequence (\n, %3D, a terminal's color).
func atWordStart(text string, i int) bool {
	if i == 0 || !isAlnum(text[i-1]) {
		return true
	}
	if i < 2 {
		return false
	}
	switch prev, before := text[i-1], text[i-2]; {
	case before == '\\':
		return prev == 'n' || prev == 't' || prev == 'r'
	case prev == 'm':
		return before == '[' || before >= '0' && before <= '9' // ESC [ 3 2 m
	default:
		return i >= 3 && text[i-3] == '%' && isHex(before) && isHex(prev)
	}
}

// form returns a rule for a format that nothing else has.
func form(kind, pattern string) *rule { return &rule{kind: kind, shape: compile(pattern)} }

// likely returns a rule for a format that other things have too: what follows the fixed characters
// must look random.
func likely(kind, pattern string) *rule {
	return &rule{kind: kind, shape: compile(pattern), random: true}
}

// inside returns a rule for a format so specific that it may follow a letter or digit.
func inside(kind, pattern string) *rule {
	return &rule{kind: kind, shape: compile(pattern), anywhere: true}
}

// rules are the formats of credentials. If no page is named, the format is that of gitleaks 8.30
// (config/gitleaks.toml, MIT), which collects what vendors publish; upper limits are wider here
// because vendors lengthen their tokens.
var rules = []*rule{
	// Models. platform.openai.com/docs, docs.anthropic.com, openrouter.ai/docs,
	// console.groq.com, docs.x.ai, replicate.com/docs, docs.perplexity.ai,
	// huggingface.co/docs/hub/security-tokens.
	form("openai key", `sk-proj-[A-Za-z0-9_-]{20,}`),
	form("openai key", `sk-svcacct-[A-Za-z0-9_-]{20,}`),
	form("openai key", `sk-admin-[A-Za-z0-9_-]{20,}`),
	form("openai key", `sk-None-[A-Za-z0-9_-]{20,}`),
	// also DeepSeek, Moonshot and others with its API
	likely("openai key", `sk-[A-Za-z0-9_-]{20,}`),
	form("anthropic key", `sk-ant-[A-Za-z0-9_-]{20,}`),
	form("openrouter key", `sk-or-[A-Za-z0-9_-]{20,}`),
	form("langfuse key", `sk-lf-[0-9a-f-]{36}`),
	form("groq key", `gsk_[A-Za-z0-9]{40,64}`),
	form("xai key", `xai-[A-Za-z0-9]{60,100}`),
	form("replicate token", `r8_[A-Za-z0-9]{37,40}`),
	form("perplexity key", `pplx-[A-Za-z0-9]{40,64}`),
	form("hugging face token", `hf_[A-Za-z0-9]{34}`),
	form("hugging face token", `api_org_[A-Za-z]{34}`),
	form("langsmith key", `lsv2_pt_[0-9a-f]{32}_[0-9a-f]{10}`),
	form("langsmith key", `lsv2_sk_[0-9a-f]{32}_[0-9a-f]{10}`),
	form("pinecone key", `pcsk_[A-Za-z0-9_]{40,90}`),

	// Google. cloud.google.com/docs/authentication, developers.google.com/identity.
	form("google api key", `AIza[A-Za-z0-9_-]{35}`),
	form("google oauth token", `ya29\.[A-Za-z0-9_-]{20,}`),
	form("google oauth secret", `GOCSPX-[A-Za-z0-9_-]{24,40}`),
	likely("google refresh token", `1//0[A-Za-z0-9_-]{40,200}`),
	form("firebase key", `AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{100,200}`),

	// Amazon, Alibaba, Tencent. docs.aws.amazon.com/IAM, "unique identifiers".
	form("aws access key", `AKIA[A-Z2-7]{16}`),
	form("aws access key", `ASIA[A-Z2-7]{16}`),
	form("aws access key", `ABIA[A-Z2-7]{16}`),
	form("aws access key", `ACCA[A-Z2-7]{16}`),
	form("bedrock key", `ABSK[A-Za-z0-9+/]{109,269}=?=?`),
	form("bedrock key", `bedrock-api-key-[A-Za-z0-9+/=]{40,}`),
	likely("alibaba access key", `LTAI[A-Za-z0-9]{12,24}`),
	likely("tencent access key", `AKID[A-Za-z0-9]{28,36}`),

	// Microsoft. learn.microsoft.com: client secrets, SAS, DevOps.
	form("azure client secret", `[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}`),
	likely("azure devops token", `[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{18}AZDO[A-Za-z0-9]{4}`),
	form("teams webhook", `\.webhook\.office\.com/webhookb2/[0-9a-f@/A-Za-z-]{80,}`),

	// Code. docs.github.com "token prefixes", docs.gitlab.com/security/tokens,
	// support.atlassian.com, docs.npmjs.com, pypi.org/help, docs.docker.com.
	inside("github token", `ghp_[A-Za-z0-9]{36,251}`),
	inside("github token", `gho_[A-Za-z0-9]{36,251}`),
	inside("github token", `ghu_[A-Za-z0-9]{36,251}`),
	inside("github token", `ghs_[A-Za-z0-9]{36,251}`),
	inside("github token", `ghr_[A-Za-z0-9]{36,251}`),
	inside("github token", `github_pat_[A-Za-z0-9_]{60,255}`),
	inside("gitlab token", `glpat-[A-Za-z0-9_.-]{20,320}`),
	form("gitlab token", `glptt-[0-9a-f]{40}`),
	form("gitlab token", `gldt-[A-Za-z0-9_-]{20,64}`),
	form("gitlab token", `glrt-[A-Za-z0-9_.-]{20,320}`),
	form("gitlab token", `glcbt-[A-Za-z0-9_-]{20,80}`),
	form("gitlab token", `gloas-[A-Za-z0-9_-]{64}`),
	form("gitlab token", `GR1348941[A-Za-z0-9_-]{20}`),
	form("atlassian token", `ATATT3[A-Za-z0-9_=-]{60,}`),
	form("atlassian token", `ATCTT3[A-Za-z0-9_=-]{60,}`),
	form("bitbucket token", `ATBB[A-Za-z0-9_=-]{24,40}`),
	form("npm token", `npm_[A-Za-z0-9]{36,64}`),
	form("pypi token", `pypi-AgE[A-Za-z0-9_-]{50,}`),
	form("rubygems key", `rubygems_[0-9a-f]{48}`),
	likely("crates.io token", `cio[A-Za-z0-9]{32}`),
	form("clojars token", `CLOJARS_[0-9a-z]{60}`),
	likely("nuget key", `oy2[a-z0-9]{43}`),
	form("docker hub token", `dckr_pat_[A-Za-z0-9_-]{27,40}`),
	form("docker hub token", `dckr_oat_[A-Za-z0-9_-]{27,40}`),
	form("sourcegraph token", `sgp_[0-9a-zA-Z_]{40,64}`),
	form("circleci token", `CCIPAT_[A-Za-z0-9_]{40,80}`),
	form("buildkite token", `bkua_[0-9a-f]{40}`),
	form("artifactory key", `AKCp[A-Za-z0-9]{69}`),
	form("artifactory token", `cmVmd[A-Za-z0-9]{59}`),

	// Clouds and tools.
	form("digitalocean token", `dop_v1_[0-9a-f]{64}`),
	form("digitalocean token", `doo_v1_[0-9a-f]{64}`),
	form("digitalocean token", `dor_v1_[0-9a-f]{64}`),
	form("heroku key", `HRKU-[A-Za-z0-9_-]{36,64}`),
	form("cloudflare key", `v1\.0-[0-9a-f]{24}-[0-9a-f]{146}`),
	form("fly.io token", `fo1_[A-Za-z0-9_-]{43}`),
	form("fly.io token", `fm2_[A-Za-z0-9+/=]{100,}`),
	form("netlify token", `nfp_[A-Za-z0-9]{36,40}`),
	form("supabase token", `sbp_[0-9a-f]{40}`),
	form("planetscale token", `pscale_tkn_[A-Za-z0-9_.=-]{32,64}`),
	form("planetscale password", `pscale_pw_[A-Za-z0-9_.=-]{32,64}`),
	form("databricks token", `dapi[0-9a-f]{32}-?[0-9]?`),
	form("terraform token", `[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}`),
	form("pulumi token", `pul-[0-9a-f]{40}`),
	form("vault token", `hvs\.[A-Za-z0-9_-]{24,200}`),
	form("vault token", `hvb\.[A-Za-z0-9_-]{100,400}`),
	form("vault token", `hvr\.[A-Za-z0-9_-]{24,200}`),
	likely("vault token", `s\.[A-Za-z0-9]{24}`), // before Vault 1.10
	form("doppler token", `dp\.pt\.[A-Za-z0-9]{40,44}`),
	form("doppler token", `dp\.st\.[A-Za-z0-9_.-]{40,80}`),
	form("1password token", `ops_eyJ[A-Za-z0-9+/]{100,}=?=?=?`),
	form("1password key", `A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9-]{5,11}`),
	form("age key", `AGE-SECRET-KEY-1[A-Z0-9]{58}`),
	form("tailscale key", `tskey-[a-z]{3,10}-[A-Za-z0-9-]{20,80}`),
	form("openshift token", `sha256~[A-Za-z0-9_-]{43}`),
	// -----BEGIN RSA PRIVATE
	form("kubernetes key", `LS0tLS1CRUdJTiBSU0EgUFJJVkFURS[A-Za-z0-9+/]{40,}=?=?`),
	// -----BEGIN EC PRIVATE
	form("kubernetes key", `LS0tLS1CRUdJTiBFQyBQUklWQVRF[A-Za-z0-9+/]{40,}=?=?`),
	form("kubernetes key", `LS0tLS1CRUdJTiBQUklWQVRF[A-Za-z0-9+/]{40,}=?=?`), // -----BEGIN PRIVATE
	form("kubernetes key", `LS0tLS1CRUdJTiBPUEVOU1NI[A-Za-z0-9+/]{40,}=?=?`), // -----BEGIN OPENSSH

	// Monitoring. docs.datadoghq.com, docs.newrelic.com, docs.sentry.io, grafana.com/docs.
	form("datadog key", `ddapi_[A-Za-z0-9]{32,64}`),
	form("datadog key", `ddapp_[A-Za-z0-9]{32,64}`),
	form("new relic key", `NRAK-[A-Z0-9]{27}`),
	form("new relic key", `NRJS-[0-9a-f]{19}`),
	form("new relic key", `NRII-[A-Za-z0-9-]{32}`),
	form("sentry token", `sntrys_eyJ[A-Za-z0-9+/=_]{60,}`),
	form("sentry token", `sntryu_[0-9a-f]{64}`),
	form("grafana token", `glc_[A-Za-z0-9+/]{32,400}=?=?`),
	form("grafana token", `glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}`),
	form("grafana key", `eyJrIjoi[A-Za-z0-9]{70,400}=?=?`),
	form("dynatrace token", `dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}`),
	form("postman key", `PMAK-[0-9a-f]{24}-[0-9a-f]{34}`),

	// People, money, messages. api.slack.com/authentication/token-types,
	// docs.stripe.com/keys, twilio.com/docs, core.telegram.org/bots/api,
	// discord.com/developers/docs (the first part is an id of digits in base64).
	form("slack token", `xoxb-[A-Za-z0-9-]{12,}`),
	form("slack token", `xoxp-[A-Za-z0-9-]{12,}`),
	form("slack token", `xoxa-[A-Za-z0-9-]{12,}`),
	form("slack token", `xoxr-[A-Za-z0-9-]{12,}`),
	form("slack token", `xoxs-[A-Za-z0-9-]{12,}`),
	form("slack token", `xoxo-[A-Za-z0-9-]{12,}`),
	form("slack token", `xoxc-[A-Za-z0-9-]{12,}`),
	form("slack token", `xoxd-[A-Za-z0-9%-]{12,}`),
	form("slack token", `xoxe[.-][A-Za-z0-9.-]{12,}`),
	form("slack token", `xapp-[0-9]-[A-Za-z0-9-]{12,}`),
	form("slack webhook", `hooks\.slack\.com/[a-z]{8,9}/[A-Za-z0-9+/]{40,60}`),
	form("discord webhook", `/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60,80}`),
	likely("discord token",
		`MT[AEIMQUYcgk][w-z0-5][A-Za-z0-9]{18,24}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}`),
	likely("discord token",
		`Mj[AEIMQUYcgk][w-z0-5][A-Za-z0-9]{18,24}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}`),
	likely("discord token",
		`Mz[AEIMQUYcgk][w-z0-5][A-Za-z0-9]{18,24}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}`),
	likely("discord token",
		`ND[AEIMQUYcgk][w-z0-5][A-Za-z0-9]{18,24}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}`),
	likely("discord token",
		`NT[AEIMQUYcgk][w-z0-5][A-Za-z0-9]{18,24}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}`),
	likely("discord token",
		`Nj[AEIMQUYcgk][w-z0-5][A-Za-z0-9]{18,24}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}`),
	likely("discord token",
		`Nz[AEIMQUYcgk][w-z0-5][A-Za-z0-9]{18,24}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}`),
	likely("discord token",
		`OD[AEIMQUYcgk][w-z0-5][A-Za-z0-9]{18,24}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}`),
	likely("discord token",
		`OT[AEIMQUYcgk][w-z0-5][A-Za-z0-9]{18,24}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}`),
	form("telegram token", `[0-9]{8,10}:AA[A-Za-z0-9_-]{33}`),
	form("stripe key", `sk_live_[A-Za-z0-9]{16,}`),
	form("stripe key", `sk_test_[A-Za-z0-9]{16,}`),
	form("stripe key", `rk_live_[A-Za-z0-9]{16,}`),
	form("stripe key", `rk_test_[A-Za-z0-9]{16,}`),
	form("stripe secret", `whsec_[A-Za-z0-9+/=]{24,}`),
	likely("twilio key", `SK[0-9a-f]{32}`),
	form("sendgrid key", `SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}`),
	form("mailgun key", `key-[0-9a-f]{32}`),
	form("brevo key", `xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}`),
	form("mailchimp key", `[0-9a-f]{32}-us[0-9]{1,2}`),
	form("shopify token", `shpat_[A-Fa-f0-9]{32}`),
	form("shopify token", `shpca_[A-Fa-f0-9]{32}`),
	form("shopify token", `shppa_[A-Fa-f0-9]{32}`),
	form("shopify token", `shpss_[A-Fa-f0-9]{32}`),
	form("square token", `sq0atp-[A-Za-z0-9_-]{22,60}`),
	form("square secret", `sq0csp-[A-Za-z0-9_-]{43,60}`),
	likely("square token", `EAAA[A-Za-z0-9_-]{56,60}`),
	likely("facebook token", `EAAC[A-Za-z0-9]{100,}`),
	form("flutterwave key", `FLWSECK_TEST-[A-Za-z0-9]{12,40}`),
	form("shippo token", `shippo_live_[0-9a-f]{40}`),
	form("easypost key", `EZAK[A-Za-z0-9]{54}`),
	form("linear key", `lin_api_[A-Za-z0-9]{32,64}`),
	form("linear token", `lin_oauth_[A-Za-z0-9]{32,64}`),
	form("notion token", `ntn_[0-9]{11}[A-Za-z0-9]{35}`),
	likely("notion token", `secret_[A-Za-z0-9]{43}`),
	form("airtable token", `pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`),
	form("figma token", `figd_[A-Za-z0-9_-]{40,64}`),
	form("typeform token", `tfp_[A-Za-z0-9_.=-]{59}`),
	form("readme key", `rdme_[a-z0-9]{70}`),
	form("dropbox token", `sl\.[A-Za-z0-9_=-]{130,}`),

	// RFC 7519: a header and claims that are JSON objects, and a signature.
	form("json web token", `eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`),
}
