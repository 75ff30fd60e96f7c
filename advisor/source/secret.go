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
	ext := path.Ext(base)
	if slices.Contains(secretFolders, base) || slices.Contains(secretNames, base) || slices.Contains(secretSuffixes, ext) {
		return true
	}
	if slices.ContainsFunc(secretStarts, func(start string) bool { return strings.HasPrefix(base, start) }) || slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(base, end) }) {
		return true
	}
	if ext == ".json" && (strings.HasPrefix(base, "service-account") || strings.HasPrefix(base, "service_account")) {
		return true
	}
	if ext == ".py" { // code that handles tokens (a tokenizer, say) is code
		return slices.Contains(secretCode, base)
	}
	if strings.HasPrefix(base, "vault.") {
		return true
	}
	stem := strings.FieldsFunc(strings.TrimSuffix(base, ext), func(c rune) bool { return c == '.' || c == '_' || c == '-' })
	return slices.ContainsFunc(stem, func(word string) bool { return slices.Contains(secretWords, word) })
}

var (
	secretFolders = []string{".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".gcloud", ".git", "secrets", ".secrets", ".kaggle", ".wandb", ".config"}
	secretNames   = []string{".netrc", "_netrc", "netrc", ".npmrc", ".pypirc", ".pgpass", ".htpasswd", "kubeconfig", "authorized_keys", "known_hosts", ".git-credentials", ".dockercfg", ".dockerconfigjson",
		".env", ".envrc", "kaggle.json", "shadow", ".s3cfg", ".boto", ".comet.config", ".modal.toml", "api_key", "api_key.txt", "api_keys.txt", "api-key.txt"}
	secretSuffixes = []string{".pem", ".key", ".pfx", ".p12", ".jks", ".keystore", ".kdbx", ".gpg", ".asc", ".ppk", ".crt", ".der", ".env", ".tfstate", ".token"}
	secretStarts   = []string{".env.", "id_rsa", "id_ed25519", "id_ecdsa"}
	secretEnds     = []string{"_history", "-key.json", ".tfstate.backup"}
	secretWords    = []string{"secret", "secrets", "cred", "creds", "credential", "credentials", "password", "passwords", "passwd", "apikey", "token", "kubeconfig", "keytab"}

	// secretCode is code of which the name says that it holds nothing else.
	secretCode = []string{"secrets.py", "secret.py", "api_key.py", "api_keys.py", "apikey.py", "credentials.py", "creds.py"}
)
