{{/* The pod, of a Deployment or of a StatefulSet. */}}
{{- define "killick.pod" -}}
metadata:
  labels:
    {{- include "killick.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}{{ toYaml . | nindent 4 }}{{ end }}
  annotations:
    # A change of the configuration starts new pods.
    checksum/config: {{ include "killick.config" . | sha256sum }}
    {{- with .Values.podAnnotations }}{{ toYaml . | nindent 4 }}{{ end }}
spec:
  serviceAccountName: {{ include "killick.serviceAccount" . }}
  automountServiceAccountToken: false
  # Kubernetes' variables of a Service named killick would begin with KILLICK_ as settings do.
  enableServiceLinks: false
  # As long as it reports that it is not ready, then as long as running requests get, then 25 s to
  # close connections and the store.
  terminationGracePeriodSeconds: {{ add .Values.noticeSeconds .Values.drainSeconds 25 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: {type: RuntimeDefault}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  containers:
    - name: killick
      image: {{ include "killick.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [serve]
      env: {{- include "killick.env" . | nindent 8 }}
      ports:
        - {name: http, containerPort: 8080}
        {{- if .Values.metrics.enabled }}
        - {name: admin, containerPort: 9464}
        {{- end }}
      {{- include "killick.probes" . | nindent 6 }}
      resources: {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      volumeMounts:
        - {name: config, mountPath: /etc/killick, readOnly: true}
        - {name: data, mountPath: /data}
        {{- range .Values.secretFiles }}
        - {name: {{ printf "secret-%s" .name }}, mountPath: {{ printf "/run/secrets/%s" .name | quote }}, readOnly: true}
        {{- end }}
        {{- if .Values.cache.sharedSecret.name }}
        - {name: shared-secret, mountPath: /run/killick/shared, readOnly: true}
        {{- end }}
        {{- if .Values.cache.encryptionKeySecret.name }}
        - {name: encryption-key, mountPath: /run/killick/encryption, readOnly: true}
        {{- end }}
        {{- with .Values.extraVolumeMounts }}{{ toYaml . | nindent 8 }}{{ end }}
  volumes:
    - name: config
      configMap: {name: {{ include "killick.fullname" . }}}
    {{- if not .Values.storage.persistent }}
    - name: data
      emptyDir: {sizeLimit: {{ .Values.storage.size }}}
    {{- end }}
    {{- /* Files of mode 0440, and fsGroup as their group: Killick refuses what everybody may read. */}}
    {{- range .Values.secretFiles }}
    - name: {{ printf "secret-%s" .name }}
      secret: {secretName: {{ .secret | quote }}, defaultMode: 0440}
    {{- end }}
    {{- with .Values.cache.sharedSecret }}{{ if .name }}
    - name: shared-secret
      secret: {secretName: {{ .name | quote }}, defaultMode: 0440, items: [{key: {{ .key | quote }}, path: secret}]}
    {{- end }}{{ end }}
    {{- with .Values.cache.encryptionKeySecret }}{{ if .name }}
    - name: encryption-key
      secret: {secretName: {{ .name | quote }}, defaultMode: 0440, items: [{key: {{ .key | quote }}, path: key}]}
    {{- end }}{{ end }}
    {{- with .Values.extraVolumes }}{{ toYaml . | nindent 4 }}{{ end }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    {{- if .Values.topologySpreadConstraints }}
    {{- toYaml .Values.topologySpreadConstraints | nindent 4 }}
    {{- else }}
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "killick.selector" . | nindent 10 }}
    {{- end }}
{{- end -}}

{{- define "killick.env" -}}
- {name: KILLICK_CONFIG, value: /etc/killick/config.yaml}
{{- with .Values.goMemLimit }}
- {name: GOMEMLIMIT, value: {{ . | quote }}}
{{- end }}
{{- if .Values.metrics.enabled }}
- name: KILLICK_ADMIN_TOKEN
  valueFrom: {secretKeyRef: {name: {{ .Values.metrics.tokenSecret.name | quote }}, key: {{ .Values.metrics.tokenSecret.key | quote }}}}
{{- end }}
{{- with .Values.cache.passwordSecret }}{{ if .name }}
- name: KILLICK_CACHE_PASSWORD
  valueFrom: {secretKeyRef: {name: {{ .name | quote }}, key: {{ .key | quote }}}}
{{- end }}{{ end }}
{{- range .Values.secretEnv }}
- name: {{ .name }}
  valueFrom: {secretKeyRef: {name: {{ .secret | quote }}, key: {{ .key | quote }}}}
{{- end }}
{{- end -}}

{{/* The kubelet has no certificate to show: where clients need one, Killick's own check asks, which
     finds out that the process answers and no more. */}}
{{- define "killick.probes" -}}
{{- $tls := default dict .Values.config.tls -}}
{{- if $tls.client_ca_file -}}
startupProbe: {exec: {command: [/usr/local/bin/killick, healthcheck]}, periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 60}
livenessProbe: {exec: {command: [/usr/local/bin/killick, healthcheck]}, periodSeconds: 20, timeoutSeconds: 5, failureThreshold: 3}
{{- else -}}
{{- $scheme := ternary "HTTPS" "HTTP" (not (empty $tls.cert_file)) -}}
startupProbe: {httpGet: {path: /healthz, port: http, scheme: {{ $scheme }}}, periodSeconds: 1, timeoutSeconds: 3, failureThreshold: 120}
livenessProbe: {httpGet: {path: /healthz, port: http, scheme: {{ $scheme }}}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3}
readinessProbe: {httpGet: {path: /readyz, port: http, scheme: {{ $scheme }}}, periodSeconds: 3, timeoutSeconds: 3, failureThreshold: 1}
{{- end -}}
{{- end -}}
