package redact

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// told are secrets as people and programs tell them: what is said around each, in
// which {} stands for it.
var told = []struct{ text, secret string }{
	// passwords that a program takes from its environment
	{"PGPASSWORD={}", "s3cretpw"}, {"export PGPASSWORD='{}'", "correct horse"}, {"MYSQL_PWD={}", "letmein"}, {"REDISCLI_AUTH={}", "b4dcafe9x"},
	{"MINIO_ROOT_PASSWORD: {}", "sesame77"}, {"RSYNC_PASSWORD={}", "openup1"}, {"SSHPASS={}", "openup1"}, {"DB_PASS={}", "openup"}, {`"dbPassword":"{}"`, "open up"},

	// in Chinese
	{"密码：{}", "hunter2x"}, {"密码={}", "hunter2x"}, {"密码: {}", "hunter2x"}, {"密码为 {}", "hunter2x"}, {"口令：{}", "hunter2x"}, {"令牌：{}", "tk90ab12cd34"}, {"访问令牌={}", "tk90ab12cd34"},
	{"密钥：{}", "tk90ab12cd34"}, {"登录密码是：{}", "hunter2x"}, {`"密码": "{}"`, "hunter2x"},

	// signed URLs and their headers
	{"GET https://b.s3.amazonaws.com/k?X-Amz-Signature={}&x=1", hex40 + hex40[:24]}, {"X-Amz-Signature={}", hex40 + hex40[:24]},
	{"https://b.s3.amazonaws.com/k?a=1&X-Amz-Credential={}%2F20261130%2Fus-east-1", awsKey}, {"X-Amz-Security-Token: {}", letters}, {"&X-Amz-Security-Token={}", "IQoJb3JpZ2luX2VjEJr//////" + letters},
	{"x-amz-security-token={}", letters}, {"https://store.blob.core.windows.net/c/b?sv=2022-11-02&sr=b&sig={}&se=2026", "q1W2e3R4t5Y6u7I8o9P0%2Babc%3D"}, {"?sig={}", "q1W2e3R4t5Y6u7I8o9P0%2Babc%3D"},
	{"SharedAccessSignature=sv=2022-11-02&ss=b&sig={}", "q1W2e3R4t5Y6u7I8%3D"}, {"sas token sig={}&sv=2022-11-02", letters[:41] + "%2Bx%3D"}, {"https://storage.googleapis.com/b/o?X-Goog-Signature={}&x=1", hex40 + hex40}, {"?GoogleAccessId=a&Signature={}", "Q1w2E3r4T5y6%2B"}, {"&OSSAccessKeyId=x&Signature={}", "Q1w2E3r4T5y6%3D"},

	// command lines
	{"mysql -u root -p{} runs", "hunter2x"}, {"+ mysqldump -h db -uroot -p{} --all", "hunter2x"}, {"mysql -p'{}' -u root", "hunter2x"}, {"mysql --password={}", "hunter2x"}, {"curl -u user:{} https://x.org/y", "hunter2x"},
	{"curl -sS --user 'bob:{}' https://x.org", "hunter2x"}, {"curl -ubob:{} https://x.org", "hunter2x"}, {"wget --http-password={} https://x.org", "hunter2x"}, {"sshpass -p {} ssh node7", "hunter2x"},
	{"docker login -u bob -p {} nvcr.io", "hunter2x"}, {"huggingface-cli login --token {}", hfToken}, {"redis-cli -a {} ping", "hunter2x"}, {"python x.py --password {}", "hunter2x"},

	// keys without a shape
	{"wandb key {}", hex40}, {"wandb key: {}", hex40}, {"W&B API key {}", hex40}, {"your api key is {}", hex40}, {"using API key '{}'", hex40}, {"wandb.login(key=\"{}\")", hex40}, {"apikey {}", hex40},
	{"WANDB_API_KEY={}", hex40}, {"api_key={}", "12345abcdef"}, {"COMET_API_KEY: {}", letters[:25]}, {"AWS_SECRET_ACCESS_KEY={}", awsWord}, {"SWANLAB_API_KEY={}", letters[:21]},

	// URLs and requests
	{"https://bob:{}@host.org/x", "hunter2x"}, {"postgresql://mlflow:{}@db:5432/runs", "hunter2x"}, {"Authorization: Bearer {}", "abc.def-123456"}, {"Authorization: Basic {}", "dXNlcjpwYXNz"},
	{"-H 'Authorization: {}'", letters[:24]}, {"authorization: {}", "0123abcd0123abcd"}, {`{"Authorization":"Bearer {}"}`, letters[:24]}, {"Proxy-Authorization: Basic {}", "dXNlcjpwYXNz"}, {"X-Api-Key: {}", "0123abcd0123abcd"},
	{"Private-Token: {}", "0123abcd0123abcd"},

	// shapes that need no words
	{"{}", jwt}, {"{}", ghToken}, {"{}", part("github_pat_", letters[:30])}, {"{}", hfToken}, {"{}", skKey}, {"{}", part("sk-ant-api03-", letters[:60])}, {"{}", part("xoxb-", "123456789012-", letters[:24])}, {"{}", awsKey},
	{"{}", part("glpat-", letters[:20])}, {"{}", part("AIza", letters[:35])}, {"{}", part("nvapi-", letters[:60])}, {pemHead + `\n{}\n` + pemFoot, letters[:64]}, {"key=" + pemHead + "{}" + pemFoot, letters[:64]},
}

// What may stand around a secret, or around what is none.
var (
	before = []string{"", "login failed: ", "2026-11-30 02:11:09,123 INFO [rank0] ", "[rank3]: ", "(", "\"", "'", "\t", "step 5 loss 2.31 ", "配置 ", "error, ", "+ ", "env: A=1 ", `{"msg": "`, "> ", "`"}
	after  = []string{"", ".", ",", ", retry in 5 s", ")", "\"", "'", ";", " and so on", "\r", " loss=2.3", "，请重试", "。", "\\n", `", "level": "info"}`, "`", " password"}
)

// Property: no secret survives, whatever stands around it in a sentence.
func TestNoSecretSurvivesInASentence(t *testing.T) {
	for _, s := range told { // each by itself, too
		if got := Redact(strings.ReplaceAll(s.text, "{}", s.secret)); strings.Contains(got, s.secret) {
			t.Errorf("%q gives %q", s.text, got)
		}
	}
	if t.Failed() {
		return
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(told).Draw(t, "secret")
		text := rapid.SampledFrom(before).Draw(t, "before") + strings.ReplaceAll(s.text, "{}", s.secret) + rapid.SampledFrom(after).Draw(t, "after")
		if got := Redact(text); strings.Contains(got, s.secret) {
			t.Fatalf("%q gives %q", text, got)
		}
	})
}

// Property: what is no secret stays as it is, whatever stands around it.
func TestOrdinaryTextStaysInASentence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom(plain).Draw(t, "line")
		text := rapid.SampledFrom(before).Draw(t, "before") + line + rapid.SampledFrom(after).Draw(t, "after")
		if got := Redact(text); got != text {
			t.Fatalf("%q gives %q", text, got)
		}
	})
}
