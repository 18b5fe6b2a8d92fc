{{- define "nominee.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 63 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" }}{{ end -}}
{{- end }}
{{- define "nominee.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}
{{- define "nominee.labels" -}}
{{ include "nominee.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
{{- end }}
{{- define "nominee.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (include "nominee.name" .) }}
{{- end }}
{{- define "nominee.leaseNamespace" -}}
{{ .Values.leaseNamespace | default .Release.Namespace }}
{{- end }}
