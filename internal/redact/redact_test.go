package redact

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"schedmate"
)

// part joins the pieces of an invented key, so that scanners of repositories
// find none in this file.
func part(pieces ...string) string { return strings.Join(pieces, "") }

var (
	hex40    = "0123456789abcdef0123456789abcdef01234567"
	letters  = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"
	awsKey   = part("AKIA", "IOSFODNN7EXAMPLE") // the one of the vendor's documentation
	awsWord  = part("wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY")
	ghToken  = part("ghp_", letters[:36])
	hfToken  = part("hf_", letters[:34])
	skKey    = part("sk-", "proj-", letters[:48])
	jwt      = part("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.", "eyJzdWIiOiIxMjM0NTY3ODkwIn0.", "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U")
	pemHead  = part("-----BEGIN RSA ", "PRIVATE KEY-----")
	pemFoot  = part("-----END RSA ", "PRIVATE KEY-----")
	pemLines = "MIIEpAIBAAKCAQEA04up8hoqzS1+APIB0RhjXyObwHQnOzhAk5Bd7mhkSbPkyhP1\niWlX9HNavcydATJc1f0DpzF0u4zY8PY24RVoW8vk+bJANPp1o2IAkeajCaF3w9nf\nq/SyqAWVmvwYuIhDiHDaV2A==\n"
)

func TestSecretsAreTakenOut(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// keys and tokens by their looks, wherever they stand
		{"using key " + awsKey + " in eu-west-1", "using key ‹redacted:aws-key› in eu-west-1"},
		{"git clone failed: " + ghToken + ".", "git clone failed: ‹redacted:github-token›."},
		{part("github_pat_", letters[:30], "_", letters[:40]), "‹redacted:github-token›"},
		{part("gho_", letters[:36]), "‹redacted:github-token›"},
		{part("glpat-", letters[:20]), "‹redacted:gitlab-token›"},
		{"login(" + `"` + hfToken + `")`, `login("‹redacted:hf-token›")`},
		{"key='" + skKey + "'", "key='‹redacted:openai-key›'"},
		{part("sk-ant-api03-", letters[:60]), "‹redacted:openai-key›"},
		{part("xoxb-", "123456789012-123456789012-", letters[:24]), "‹redacted:slack-token›"},
		{part("https://hooks.slack.com/services/", "T00000000/B00000000/", letters[:24]), "https://hooks.slack.com/services/‹redacted:slack-webhook›"},
		{part("AIza", letters[:35]) + " is over its quota", "‹redacted:google-key› is over its quota"},
		{part("nvapi-", letters[:60]), "‹redacted:nvidia-key›"},
		{part("LTAI", "5tAbCdEfGhIjKlMnOp12"), "‹redacted:aliyun-key›"},
		{"got " + jwt, "got ‹redacted:jwt›"},
		{"SLURM_JWT=" + jwt, "SLURM_JWT=‹redacted:jwt›"},
		{"wandb login --relogin " + hex40, "wandb login --relogin ‹redacted:wandb-key›"},
		{"wandb: Paste an API key from your profile and hit enter: " + hex40, "wandb: Paste an API key from your profile and hit enter: ‹redacted:wandb-key›"},

		// values behind names
		{"WANDB_API_KEY=" + hex40, "WANDB_API_KEY=‹redacted:wandb-key›"},
		{"export HF_TOKEN=" + hfToken, "export HF_TOKEN=‹redacted:hf-token›"},
		{"HF_TOKEN=opensesame", "HF_TOKEN=‹redacted:token›"},
		{"AWS_SECRET_ACCESS_KEY=" + awsWord, "AWS_SECRET_ACCESS_KEY=‹redacted:secret›"},
		{`{"aws_secret_access_key": "` + awsWord + `", "region": "x"}`, `{"aws_secret_access_key": "‹redacted:secret›", "region": "x"}`},
		{"declare -x MYSQL_PWD=\"let me in\"", "declare -x MYSQL_PWD=\"‹redacted:password›\""},
		{"password: hunter2, user: bob", "password: ‹redacted:password›, user: bob"},
		{"DB_PASSWORD=a,b&c host=db1", "DB_PASSWORD=‹redacted:password› host=db1"},
		{"dsn: password=pw1,user=bob,max_tokens=3", "dsn: password=‹redacted:password›,user=bob,max_tokens=3"},
		{"Namespace(lr=0.1, hub_token='abc123def456', max_tokens=512)", "Namespace(lr=0.1, hub_token='‹redacted:token›', max_tokens=512)"},
		{`msg="{\"password\":\"pa ss\",\"n\":1}"`, `msg="{\"password\":\"‹redacted:password›\",\"n\":1}"`},
		{"python train.py --api-key 12ab34cd --lr 1e-4 --hub-token deadbeef01", "python train.py --api-key ‹redacted:key› --lr 1e-4 --hub-token ‹redacted:token›"},
		{"os.environ['OPENAI_API_KEY'] = 'abcd-efgh'", "os.environ['OPENAI_API_KEY'] = '‹redacted:key›'"},
		{"clientSecret=b'qwerty'", "clientSecret=b'‹redacted:secret›'"},
		{"Your API key: 12345abcde is not valid", "Your API key: ‹redacted:key› is not valid"},
		{"AccountName=store;AccountKey=q1w2e3r4t5==;EndpointSuffix=x", "AccountName=store;AccountKey=‹redacted:key›;EndpointSuffix=x"},
		{"machine api.wandb.ai login user password " + hex40, "machine api.wandb.ai login user password ‹redacted:password›"},

		// URLs, data sources, requests
		{"postgresql://mlflow:s3cr@t@db.local:5432/runs", "postgresql://mlflow:‹redacted:password›@db.local:5432/runs"},
		{"redis://:hunter2@cache:6379/0 refused", "redis://:‹redacted:password›@cache:6379/0 refused"},
		{"http_proxy=http://bob:pw@proxy:3128", "http_proxy=http://bob:‹redacted:password›@proxy:3128"},
		{"fatal: https://" + hex40 + "@github.com/a/b.git", "fatal: https://‹redacted:token›@github.com/a/b.git"},
		{"user:pw1234@tcp(db:3306)/runs", "user:‹redacted:password›@tcp(db:3306)/runs"},
		{"> Authorization: Bearer abcdef123456", "> Authorization: Bearer ‹redacted:authorization›"},
		{"'Authorization': 'Basic dXNlcjpwYXNz'", "'Authorization': 'Basic ‹redacted:authorization›'"},
		{"curl -H 'authorization: token 0123abcd'", "curl -H 'authorization: token ‹redacted:authorization›'"},
		{"sent Bearer 0123456789abcdef01", "sent Bearer ‹redacted:authorization›"},
		{"Set-Cookie: session=abcd1234; Path=/", "Set-Cookie: ‹redacted:cookie›"},
		{"X-Auth-Token: 0123456789abcdef", "X-Auth-Token: ‹redacted:token›"},
		{"GET https://b.s3.amazonaws.com/k?X-Amz-Signature=" + hex40 + "&x=1", "GET https://b.s3.amazonaws.com/k?X-Amz-Signature=‹redacted:signature›&x=1"},

		// private keys, over lines and in one
		{"key:\n" + pemHead + "\n" + pemLines + pemFoot + "\nstep 5\n", "key:\n" + pemHead + "\n" + strings.Repeat("‹redacted:private-key›\n", 3) + pemFoot + "\nstep 5\n"},
		{"[r0] " + pemHead + "\r\n[r0] " + strings.ReplaceAll(strings.TrimSpace(pemLines), "\n", "\r\n[r0] ") + "\r\n[r0] step 5 of 10", "[r0] " + pemHead + "\r\n" + strings.Repeat("[r0] ‹redacted:private-key›\r\n", 3) + "[r0] step 5 of 10"},
		{`"private_key": "` + pemHead + `\n` + strings.ReplaceAll(pemLines, "\n", `\n`) + pemFoot + `\n", "x": 1`, `"private_key": "‹redacted:key›", "x": 1`},
	} {
		if got := Redact(c.text); got != c.want {
			t.Errorf("redacting %q:\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

// What a reader of training logs needs and what only looks secret.
var plain = []string{
	"",
	"num_tokens=512, max_tokens: 4096, eos_token_id=2, pad_token='<pad>' tokens/s: 12345.6",
	"throughput: 81234 tokens/s | tokens per GPU 1.2e9 | time_to_first_token=0.123",
	"Token indices sequence length is longer than the specified maximum sequence length for this model (1041 > 512)",
	`"bos_token": "<s>", "eos_token": "</s>", "additional_special_tokens": ["<|im_end|>"], "image_token": "<image_0123>"`,
	"TOKENIZERS_PARALLELISM=false tokenizer: meta-llama/Llama-3.1-8B",
	"password policy: at least 12 characters",
	"Password: incorrect", "password is required", "secret: not found", `secret "regcred" not found`,
	"commit 3f786850e387550fdab836ed7e6dc881de23001b", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	"GPU-b6c3b2be-c55b-d076-fa0e-d464e4c7e08b", "run id 550e8400-e29b-41d4-a716-446655440000", "md5 d41d8cd98f00b204e9800998ecf8427e",
	"gpu-node-17.cluster.local:29500", "tcp://10.0.0.1:29500", "ssh git@github.com:org/repo.git", "docker://nvcr.io/nvidia/pytorch@sha256:9f86d081884c7d659a2feaa0c55ad015",
	"s3://bucket/checkpoints/step-4000/model.safetensors", "https://huggingface.co/org/model/resolve/main/config.json",
	"Missing key(s) in state_dict: \"module.encoder.layers.0.self_attn.k_proj.weight\"", "KeyError: 'attention_mask'", "key: conv1.weight", "PRIMARY_KEY=user_id_column",
	"401 Client Error: Unauthorized. Bearer token is missing", "Bearer authentication required", "authorization: failed", "Authorization: required",
	"token=$HF_TOKEN password=${DB_PASSWORD} api_key=<your key> secret=None auth_token=null", "password=******** token=xxxx",
	"GOOGLE_APPLICATION_CREDENTIALS=/etc/keys/account.json", "token_file: /run/secrets/kubernetes.io/token", "PWD=/home/bob/run", "access_key_id: none",
	"-----BEGIN CERTIFICATE-----", "Could not parse: expected '" + pemHead + "' here", "/etc/passwd: no such file",
	"cookie: disabled", "disk-0123456789abcdef0123", "task-0123456789abcdefghij", "sk-learn-contrib-extra-modules-for-pipelines",
	"NVRM: Xid (PCI:0000:3b:00): 48, pid=4121, name=python3, DBE", "[rank3]: torch.distributed.DistBackendError: NCCL error: unhandled system error",
	"hf_hub_download hf_transformers_cache_directory_for_models", "step 5 loss 2.31 lr 1e-4", "训练完成，密钥已加载",
	"saw ‹redacted:password› before",
	"| epoch | loss   | lr     | sig=0.05 |", "epoch 3 | train 2.31 | val 2.40 | 0.91", "wandb: key metrics of commit 3f786850e387550fdab836ed7e6dc881de23001b are synced",
	"wandb: 🚀 View run at https://wandb.ai/org/proj/runs/abc12345", "API key found; git sha 3f786850e387550fdab836ed7e6dc881de23001b", "sha1sum 3f786850e387550fdab836ed7e6dc881de23001b  model.bin",
	"密码错误", "密码：错误", "密码: required", "密码长度：8", "令牌数：4096", "每秒令牌：8123.4", "密钥: 未找到", "令牌 512 个", "密码=${DB_PASSWORD}", "密码：******",
	"mysql -u root -p", "mysql -h db -u root --port 3306", "mkdir -p /data/mysql && cp -pr a b", "curl -u $USER:$PASS https://x.org", "curl -L https://x.org/y:8080/z -o out", "curl: (22) The requested URL returned error: 401",
	"docker run -p 8080:80 nvcr.io/nvidia/pytorch", "docker login nvcr.io failed", "docker pull x@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "redis-cli -h cache -p 6379 ping",
	"mpirun -x PATH -np 8 python train.py -p bf16", "author=bob", "auth failed", "SLURM_AUTHTYPE=munge", "COMPASS=north BYPASS=1", "passes=3 pass 1/4 PASS: test_auth",
	"X-Amz-Date=20261130T021109Z&X-Amz-Expires=3600", "signature=(loss, grads)", "ETag: \"d41d8cd98f00b204e9800998ecf8427e\"",
}

func TestTextWithoutSecretsIsUnchanged(t *testing.T) {
	for _, text := range plain {
		if got := Redact(text); got != text {
			t.Errorf("redacting %q gives %q", text, got)
		}
	}
}

func TestEmailsOnlyWhenAsked(t *testing.T) {
	const text = "mail bob.b+x@example.org, git@github.com:org/repo, a@b"
	if got := Redact(text); got != text {
		t.Errorf("got %q, want it unchanged", got)
	}
	want := "mail ‹redacted:email›, ‹redacted:email›:org/repo, a@b"
	if got := (Redactor{Emails: true}).Redact(text); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// snippets that tend to meet each other in the wrong place.
var snippets = append([]string{"", " ", "\n", "\r\n", "=", ": ", "'", `"`, `\"`, ",", "@", "://", "‹", "›", "‹redacted:", "token", "password", "--token ", "PASSWORD=",
	"Authorization: ", "Bearer ", "Cookie: a=", pemHead, pemFoot, pemHead + "\n", pemLines, awsKey, awsWord, ghToken, hfToken, skKey, jwt, hex40, "x", "_", "-", "/", "{", "API key: ",
	"DEK-Info: ", "https://", "a:b@", "abc12345"}, plain...)

func drawText(t *rapid.T) string {
	if rapid.Bool().Draw(t, "any") {
		return rapid.String().Draw(t, "text")
	}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(snippets), 0, 12).Draw(t, "snippets"), "")
}

// Property: redacting twice is redacting once.
func TestRedactionIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		once := Redact(drawText(t))
		if twice := Redact(once); twice != once {
			t.Fatalf("redacted once:  %q\nredacted twice: %q", once, twice)
		}
	})
}

// Property: it does not matter in which pieces a text is written.
func TestWriterRedactsAsTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t)
		var out strings.Builder
		w := Redactor{}.NewWriter(&out)
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			if _, err := w.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if want := Redact(text); out.String() != want {
			t.Fatalf("written %q, want %q", out.String(), want)
		}
	})
}

// Property: lines stay lines.
func TestLineBreaksStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t)
		if got := Redact(text); strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Fatalf("%q has other lines than %q", got, text)
		}
	})
}

func TestWriterCutsLinesWithoutEnd(t *testing.T) {
	var out strings.Builder
	w := Redactor{}.NewWriter(&out)
	piece := []byte(strings.Repeat("step 5 token=abc123def456 ", 1000))
	for range 100 {
		if _, err := w.Write(piece); err != nil {
			t.Fatal(err)
		}
		if len(w.rest) > maxLine+len(piece) {
			t.Fatalf("keeps %d bytes of a line", len(w.rest))
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "‹redacted:token›"); got != 100_000 || strings.Contains(out.String(), "abc123") {
		t.Errorf("took out %d secrets of 100,000", got)
	}
}

// Every text of a diagnosis is redacted, also one in a field that is added later,
// and the caller's diagnosis stays as it is.
func TestDiagnosisIsRedactedThroughout(t *testing.T) {
	one := 1
	d := schedmate.Diagnosis{
		Rank: &one, Root: &schedmate.Quote{}, Evidence: []schedmate.Quote{{}}, Witnesses: []schedmate.Quote{{}}, Also: []schedmate.Finding{{}},
		Alternatives: []schedmate.Alternative{{}}, LastStep: &schedmate.Reading{}, LastCheckpoint: &schedmate.Reading{},
	}
	each := func(v any, do func(reflect.Value)) {
		var walk func(reflect.Value)
		walk = func(v reflect.Value) {
			switch v.Kind() {
			case reflect.String:
				if name := v.Type().Name(); name == "string" { // not one of a closed list
					do(v)
				}
			case reflect.Struct:
				for i := range v.NumField() {
					walk(v.Field(i))
				}
			case reflect.Slice:
				for i := range v.Len() {
					walk(v.Index(i))
				}
			case reflect.Pointer:
				if !v.IsNil() {
					walk(v.Elem())
				}
			}
		}
		walk(reflect.ValueOf(v))
	}
	each(&d, func(v reflect.Value) { v.SetString("password=hunter2") })
	clean := Redactor{}.Diagnosis(d)
	texts := 0
	each(&clean, func(v reflect.Value) {
		texts++
		if v.String() != "password=‹redacted:password›" {
			t.Errorf("a text of the diagnosis is %q", v.String())
		}
	})
	each(&d, func(v reflect.Value) {
		if v.String() != "password=hunter2" {
			t.Errorf("the caller's diagnosis has %q", v.String())
		}
	})
	if texts < 20 {
		t.Errorf("looked at %d texts, want all of them", texts)
	}
}

func FuzzRedact(f *testing.F) {
	for _, s := range snippets {
		f.Add(s)
	}
	f.Add("password=" + pemHead + "\n" + pemLines)
	f.Fuzz(func(t *testing.T, text string) {
		once := Redact(text)
		if twice := Redact(once); twice != once {
			t.Fatalf("redacted once:  %q\nredacted twice: %q", once, twice)
		}
		if strings.Count(once, "\n") != strings.Count(text, "\n") {
			t.Fatalf("%q has other lines than %q", once, text)
		}
		Redactor{Emails: true}.Redact(text)
	})
}

// The labelled logs of failed runs hold no secrets, and much that looks like
// them: nothing is taken out.
func TestLogsAreLeftReadable(t *testing.T) {
	folder := os.Getenv("SCHEDMATE_CASES")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "cases")
	}
	files, err := filepath.Glob(filepath.Join(folder, "failure", "logs", "*.log"))
	if err != nil || len(files) == 0 {
		t.Skipf("no labelled logs in %s/failure/logs: set SCHEDMATE_CASES to their folder", folder)
	}
	lines := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(data), "\n") {
			lines++
			if got := Redact(line); got != line {
				t.Errorf("%s: %q", filepath.Base(file), got[:min(len(got), 300)])
			}
		}
	}
	t.Logf("%d lines of %d logs", lines, len(files))
}

func BenchmarkRedact(b *testing.B) {
	text := strings.Join(plain, "\n")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Redact(text)
	}
}
