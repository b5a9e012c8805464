{{- define "killick.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 55 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 55 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 55 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "killick.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "killick.labels" -}}
{{ include "killick.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "killick.serviceAccount" -}}
{{- default (include "killick.fullname" .) .Values.serviceAccount.name -}}
{{- end -}}

{{- define "killick.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "killick.kind" -}}
{{- ternary "StatefulSet" "Deployment" .Values.storage.persistent -}}
{{- end -}}

{{/* Fails where a release could not run, or would run otherwise than it looks. */}}
{{- define "killick.check" -}}
{{- $many := or (gt (int .Values.replicaCount) 1) .Values.autoscaling.enabled -}}
{{- if and $many (not .Values.cache.url) (not .Values.cache.sharedSecret.name) -}}
{{- fail "several replicas need cache.url, the store that they share (or at least cache.sharedSecret): with a secret of its own each would forward other bytes for the same conversation, and miss the provider's prompt cache" -}}
{{- end -}}
{{- if and .Values.metrics.enabled (not .Values.metrics.tokenSecret.name) -}}
{{- fail "metrics.enabled needs metrics.tokenSecret.name: the admin listener deletes data too, so it is open to the network with a token only" -}}
{{- end -}}
{{- if and .Values.metrics.serviceMonitor.enabled (not .Values.metrics.enabled) -}}
{{- fail "metrics.serviceMonitor.enabled needs metrics.enabled" -}}
{{- end -}}
{{- range $path, $instead := dict
      "listen" "service.port" "admin.listen" "metrics.enabled" "admin.token" "metrics.tokenSecret"
      "cache.dir" "storage" "cache.url" "cache.url (of the chart)"
      "cache.password" "cache.passwordSecret" "cache.secret_file" "cache.sharedSecret"
      "cache.encryption_key_file" "cache.encryptionKeySecret"
      "timeouts.notice" "noticeSeconds" "timeouts.drain" "drainSeconds" -}}
{{- $at := $.Values.config -}}
{{- $keys := splitList "." $path -}}
{{- range initial $keys -}}{{- $at = default dict (get $at .) -}}{{- end -}}
{{- if hasKey $at (last $keys) -}}
{{- fail (printf "config.%s is the chart's to set: use %s" $path $instead) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* What Killick reads: config with what the chart sets. */}}
{{- define "killick.config" -}}
{{- $cache := dict "dir" "/data/store" -}}
{{- with .Values.cache -}}
{{- if .url -}}{{- $_ := set $cache "url" .url -}}{{- end -}}
{{- if .sharedSecret.name -}}{{- $_ := set $cache "secret_file" "/run/killick/shared/secret" -}}{{- end -}}
{{- if .encryptionKeySecret.name -}}
{{- $_ := set $cache "encryption_key_file" "/run/killick/encryption/key" -}}
{{- end -}}
{{- end -}}
{{- $own := dict "listen" ":8080" "cache" $cache
      "timeouts" (dict "notice" (printf "%ds" (int .Values.noticeSeconds))
                       "drain" (printf "%ds" (int .Values.drainSeconds))) -}}
{{- if .Values.metrics.enabled -}}
{{- $_ := set $own "admin" (dict "listen" ":9464") -}}
{{- end -}}
{{- toYaml (mergeOverwrite (deepCopy .Values.config) $own) -}}
{{- end -}}
