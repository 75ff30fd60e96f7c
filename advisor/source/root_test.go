package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// tree makes a repository in a folder that has something outside of it.
func tree(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	outer := t.TempDir()
	dir = filepath.Join(outer, "repository")
	files["../outside.txt"] = "nobody's business"
	for name, text := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t *testing.T, dir string, limits Limits) *Root {
	t.Helper()
	root, err := Open(dir, limits, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func link(t *testing.T, dir, target, name string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func TestLinksAreFollowedInsideAndNotOutside(t *testing.T) {
	dir := tree(t, map[string]string{"configs/base.yaml": "lr: 0.1"})
	link(t, dir, "configs", "settings")
	link(t, dir, "../outside.txt", "notes.txt")
	link(t, dir, "../..", "host")
	link(t, dir, "loop", "loop")
	link(t, dir, filepath.Join(dir, "configs/base.yaml"), "absolute.yaml")
	root := open(t, dir, DefaultLimits)
	if text, err := root.Read("settings/base.yaml"); err != nil || string(text) != "lr: 0.1" {
		t.Errorf("through a link inside: %q, %v", text, err)
	}
	for _, name := range []string{"notes.txt", "host/etc/hostname", "loop", "absolute.yaml", "../outside.txt", "/etc/hostname"} {
		if text, err := root.Read(name); err == nil {
			t.Errorf("%s was read: %q", name, text)
		}
		if root.IsFile(name) || root.IsDir(name) {
			t.Errorf("%s is said to stand there", name)
		}
	}
	if d := cmp.Diff([]string{"settings/base.yaml"}, root.FilesRead()); d != "" {
		t.Errorf("files read (-want +got):\n%s", d)
	}
}

func TestFilesNamedAfterSecretsAreNotOpened(t *testing.T) {
	secret := []string{".env", ".env.local", ".netrc", "id_rsa", "id_ed25519.pub", "config/credentials.json", "secrets/values.yaml", "deploy/api-token.txt", "tls/server.pem", ".kube/config", ".aws/config", "kubeconfig", ".git/config",
		".envrc", "prod.env", "creds", "creds.yaml", "credentials", "service-account.json", "service_account_prod.json", "gcp-key.json", "kaggle.json", "vault.yml", "terraform.tfstate",
		"etc/shadow", ".bash_history", ".s3cfg", ".boto", ".comet.config", ".modal.toml", "hub.token", "netrc", "SECRETS.PY", "conf/secrets.py", "api_key.py", ".kaggle/x.json", ".wandb/settings", ".config/gh.yml"}
	open0 := []string{"train.py", "tokenizer.py", "token.py", "tokens.json", "keys.yaml", "environment.yml", "configs/secretariat.yaml",
		"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "history.py", "vault.py", "config/train.yaml", "env.yaml", "keypoints.json", "shadow.py", "secret_sharing.py", "wandb/config.yaml"}
	for _, name := range secret {
		if !Secret(name) {
			t.Errorf("%s is not seen as a secret", name)
		}
	}
	for _, name := range open0 {
		if Secret(name) {
			t.Errorf("%s is taken for a secret", name)
		}
	}
	dir := tree(t, map[string]string{".env": "TOKEN=x", "config/credentials.json": "{}"})
	link(t, dir, ".env", "settings.yaml") // an innocent name that leads to it
	root := open(t, dir, DefaultLimits)
	for _, name := range []string{".env", "config/credentials.json", "settings.yaml"} {
		if _, err := root.Read(name); !errors.Is(err, ErrSecret) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLimitsHold(t *testing.T) {
	dir := tree(t, map[string]string{"a.py": strings.Repeat("a", 60), "b.py": strings.Repeat("b", 60), "big.py": strings.Repeat("c", 200), "weights.py": "x\x00y"})
	root := open(t, dir, Limits{FileBytes: 100, TotalBytes: 100, Files: 10, DirEntries: 2})
	if _, err := root.Read("missing.py"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := root.Read("big.py"); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a file over its limit: %v", err)
	}
	if _, err := root.Read("weights.py"); !errors.Is(err, ErrBinary) {
		t.Errorf("a file that is no text: %v", err)
	}
	if _, err := root.Read("a.py"); err != nil {
		t.Error(err)
	}
	if _, err := root.Read("b.py"); err == nil {
		t.Error("more bytes were read than the job may")
	}
	if _, err := root.Read("a.py"); err != nil {
		t.Errorf("a file that was read before: %v", err)
	}
	if got := len(root.List(".")); got > 2 {
		t.Errorf("%d entries were listed of 2", got)
	}
	late, err := Open(dir, DefaultLimits, time.Now().Add(-time.Second))
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	if _, err := late.Read("a.py"); !errors.Is(err, ErrBudget) {
		t.Errorf("after the deadline: %v", err)
	}
}
