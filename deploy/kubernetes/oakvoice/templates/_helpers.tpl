{{- define "oakvoice.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/* Labels that select pods. Give a list of the root context and the component. */}}
{{- define "oakvoice.selector" -}}
app.kubernetes.io/name: oakvoice
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "oakvoice.labels" -}}
{{ include "oakvoice.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version }}
{{- end }}

{{/* oakvoice.yaml. */}}
{{- define "oakvoice.config" -}}
{{- $limits := dict "max_connections" (int .Values.calls.perPod) "drain" "calls" "drain_timeout_seconds" (int .Values.calls.longestSeconds) "refuse_before_upgrade" .Values.balancer.enabled }}
{{- $made := dict "host" "0.0.0.0" "port" 8787 "data_dir" "/var/lib/oakvoice" "metrics_public" true "limits" $limits }}
{{- if .Values.tlsSecret }}
{{- $_ := set $made "tls" (dict "cert_file" "/etc/oakvoice/tls/tls.crt" "key_file" "/etc/oakvoice/tls/tls.key") }}
{{- else }}
{{- $_ := set $made "allow_insecure" true }}
{{- end }}
{{- if .Values.balancer.enabled }}{{ $_ := set $made "agent_check_port" 8788 }}{{ end }}
{{- if .Values.cluster.url }}
{{- $cluster := dict "url" .Values.cluster.url "secret_file" "/etc/oakvoice/cluster/secret" }}
{{- if .Values.cluster.hasPassword }}{{ $_ := set $cluster "password_file" "/etc/oakvoice/cluster/password" }}{{ end }}
{{- if .Values.cluster.hasCa }}{{ $_ := set $cluster "ca_file" "/etc/oakvoice/cluster/ca.crt" }}{{ end }}
{{- $_ := set $made "cluster" $cluster }}
{{- end }}
{{- if .Values.voicesConfigMap }}{{ $_ := set $made "voices_dir" "/etc/oakvoice/voices" }}{{ end }}
{{- toYaml (mergeOverwrite $made (deepCopy .Values.config)) }}
{{- end }}

{{- define "oakvoice.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "oakvoice.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}
