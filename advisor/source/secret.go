package source

import (
	"path"
	"slices"
	"strings"
)

// Secret reports whether a path's name says that it holds credentials. It looks
// at the names of the file and of its folders alone: what it matches is never
// opened.
func Secret(name string) bool {
	parts := strings.Split(strings.ToLower(name), "/")
	base := parts[len(parts)-1]
	for _, folder := range parts[:len(parts)-1] {
		if slices.Contains(secretFolders, folder) {
			return true
		}
	}
	if slices.Contains(secretFolders, base) || slices.Contains(secretNames, base) || slices.Contains(secretSuffixes, path.Ext(base)) {
		return true
	}
	if base == ".env" || strings.HasPrefix(base, ".env.") || strings.HasPrefix(base, "id_rsa") || strings.HasPrefix(base, "id_ed25519") || strings.HasPrefix(base, "id_ecdsa") {
		return true
	}
	if path.Ext(base) == ".py" { // code that handles tokens (a tokenizer, say) is code
		return false
	}
	stem := strings.FieldsFunc(strings.TrimSuffix(base, path.Ext(base)), func(c rune) bool { return c == '.' || c == '_' || c == '-' })
	return slices.ContainsFunc(stem, func(word string) bool { return slices.Contains(secretWords, word) })
}

var (
	secretFolders  = []string{".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".gcloud", ".git", "secrets", ".secrets"}
	secretNames    = []string{".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".htpasswd", "kubeconfig", "authorized_keys", "known_hosts", ".git-credentials", ".dockercfg", ".dockerconfigjson"}
	secretSuffixes = []string{".pem", ".key", ".pfx", ".p12", ".jks", ".keystore", ".kdbx", ".gpg", ".asc", ".ppk", ".crt", ".der"}
	secretWords    = []string{"secret", "secrets", "credential", "credentials", "password", "passwords", "passwd", "apikey", "token", "kubeconfig", "keytab"}
)
