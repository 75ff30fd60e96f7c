package tracker

import (
	"slices"
	"strings"
)

// Words are evidence: each adds weight to what the numbers themselves show.
// They are matched as whole words, with the languages that users' scripts print
// most. Chinese, Japanese and Korean names are one word; there a part suffices.

type vocabulary struct {
	words map[string]bool
	parts []string // of names in scripts without spaces
}

func vocab(words string, parts ...string) vocabulary {
	v := vocabulary{words: map[string]bool{}, parts: parts}
	for _, w := range strings.Fields(words) {
		v.words[w] = true
	}
	return v
}

// in tells whether one of the words belongs to the vocabulary.
func (v vocabulary) in(words []string) bool {
	for _, w := range words {
		if v.has(w) {
			return true
		}
	}
	return false
}

func (v vocabulary) has(w string) bool {
	if v.words[w] {
		return true
	}
	if len(w) > 0 && w[0] >= 0x80 {
		for _, p := range v.parts {
			if strings.Contains(w, p) {
				return true
			}
		}
	}
	return false
}

var (
	stepWords   = vocab("iterate runde runden step steps iter iters iteration iterations it its ite batch batches update updates global globalstep round rounds mb minibatch minibatches tree trees boosting schritt schritte paso pasos étape étapes pas passo krok kroków adım stap stappen шаг шагов итерация", "步", "迭代", "批", "ステップ", "バッチ", "스텝")
	epochWords  = vocab("epoch epochs epoche epochen época epoca époque epoka epoki dönem эпоха pass passes", "轮", "周期", "エポック", "에폭")
	otherCounts = vocab("instance instances sample samples exs examples example images image img imgs token tokens tok words frames frame episode episodes timesteps env consumed seen sentences sents seqs sequences pairs rollouts games transitions muestras muestra échantillons échantillon exemples exemple beispiele amostras proben", "サンプル", "样本", "回合")

	lossWords   = vocab("risk logz logl logp logprob ll llh loglik loss losses loglikelihood likelihood nll ppl perplexity xent crossentropy cross entropy objective elbo verlust perte pérdida perdida perdita perda strata kayıp verlies потери logloss multilogloss mlogloss cost criterion", "损失", "損失", "목적", "손실")
	metricWords = vocab("ndcg mrr hits kappa mcc gini acc correct accuracy top top1 top5 prec precision recall f1 auc map ap ar miou iou dice bleu rouge wer cer mse mae rmse mape r2 error err score inertia distortion improvement residual reward rewards return returns success fitness psnr ssim fid kl genauigkeit précision exactitude acierto acurácia accuratezza dokładność doğruluk nauwkeurigheid точность", "准确", "精度", "正确率", "奖励", "得分", "分数", "误差", "評価")
	// errorWords name what is minimised where no loss is called one.
	errorWords  = vocab("obj ce bce mse rms rmse mae err error")
	rewardWords = vocab("reward rewards rew return returns fitness", "奖励")
	rateWords   = vocab("lr lrs lernrate", "学习率", "学習率", "학습률")
	gradWords   = vocab("grad grads gradient gnorm gradnorm momentum", "梯度")

	heldOutWords = vocab("va val valid validation validating vali valid_0 valid_1 eval evals evaluation evaluate evaluating evaluated test tests testing tst dev devset sanity predict predicting prediction predictions inference infer generate generating sampling held holdout probe cv validación validação validazione validierung évaluation evaluación avaliação valutazione auswertung walidacja doğrulama validatie валидация", "验证", "驗證", "测试", "測試", "评估", "検証", "推理")
	// heldOutDoings are those of them that only name what is being done.
	heldOutDoings = vocab("evaluating validating testing predicting generating sampling")
	trainWords    = vocab("train training trn trainer fit learn learner pretrain finetune", "训练", "訓練", "学習", "훈련")
	// fits and evaluations say that it is done, and not only of what something is.
	fits          = vocab("fit fitting training learn learning")
	optimizations = vocab("optimization optimizing optimisation optimising")
	evaluations   = vocab("evaluate evaluating evaluated validate validating testing")
	// chores are what counts up without being training.
	chores = vocab("documents docs dedup deduplication tokenizer tokenization tokenisation download downloading downloaded upload uploading uploaded map mapping tokenize tokenizing tokenising loading load loaded fetch fetching extract extracting extracted unpack unpacking converting convert converted compiling compile compiled building build install installing collecting copy copying copied resolving receiving counting compressing writing written partition partitions saving saved filter filtering flatten generating preprocessing preprocess processing processed preparing scanning scan caching cache cached prefetch heartbeat shard shards part file files packing grouping decode encoding encoded transcoding hashing indexing indexed request requests response responses answer answers reply replies query queries req migrating migrate migration restoring restore rows row records bench benchmark compaction replay retry retrying accepted rejected imported importing submitted confirmed synced syncing delivered published scraped crawled attempt attempts ping seq pid port warning warnings linking linked generated completed frame frames bitrate", "下载", "上传", "加载", "编译", "解压", "处理")

	checkpointWords = vocab("checkpoint checkpoints ckpt saved saving snapshot", "检查点", "保存")
	// restarts are said of the steps and losses that are not of now.
	restarts   = vocab("config configuration args arguments resume resumed resuming restore restored continue continuing final finished done best result results")
	totalWords = vocab("total max maximum num number all overall full target", "总")

	// identities are the names of numbers that tell things apart and count nothing.
	identities = vocab("id layer rank ranks cuda gpu gpus device devices worker workers thread tid proc process node nodes replica host port core cpu")
	// updates are short names of steps that are too short to be words by themselves.
	updates = vocab("up upd ups")
	// generations are counted by what evolves.
	generations = vocab("gen generation generations")
	// evaluationCounts name how often an objective was evaluated.
	evaluationCounts = vocab("eval evals neval nevals evaluations feval fevals nfev funevals ncall ncalls calls")
	// samplers are said of chains that are sampled, whose first draws are no samples yet.
	samplers = vocab("warmup burnin divergences mcmc nuts hmc draws")
	// statistics are told of many of a kind, such as all of a generation.
	statistics = vocab("best worst sigma avg mean average std stdev min max median minimum maximum")
	// ends are said of what was before and after something.
	ends = vocab("initial final")
	// speeds are names that mean a rate by themselves.
	speeds = vocab("fps sps")
	// resources are what a machine has, and how fast it answers.
	resources  = vocab("memory mem ram vram heap rss swap disk free used cpu util load temp temperature battery queue backlog lag lat latency watt power temperature press pressure humidity voltage volume density kinetic", "内存", "显存")
	inferences = vocab("inferred predicted evaluated scored rendered", "推断")
	settings   = vocab("timeout limit window every interval deadline budget")

	elapsedWords   = vocab("elapsed lapse lapsed total wall wallclock since runtime uptime cumulative vergangen transcurrido écoulé", "已用", "累计", "总耗时", "経過")
	remainingWords = vocab("eta left remaining remain remains rest reste restzeit restante restant togo finish осталось", "剩余", "剩下", "预计", "残り")
	timeWords      = vocab("bt time times timing duration dur latency took takes timer tps secs sec seconds second ms speed zeit dauer tiempo temps durée durata czas süre tijd время", "耗时", "用时", "时间", "時間", "시간")
	partTimeWords  = vocab("data load loader loading io fetch wait forward fwd backward bwd bw fw optim optimizer opt allreduce reduce gather comm sync sampling collection learning generate generation gen compile eval val valid validation save ckpt checkpoint preprocess input h2d inner prep sample inference update grad clip", "数据", "前向", "反向", "加载")
	averageWords   = vocab("avg average mean running cumulative cum ema smoothed smooth total overall moyenne mittel durchschnitt", "平均")
)

// isCostOfTime tells whether the words name what a part of the work costs in time:
// batch_cost, reader_cost.
func isCostOfTime(words []string) bool {
	i := slices.Index(words, "cost")
	if i <= 0 {
		return false
	}
	switch words[i-1] {
	case "batch", "reader", "data", "step", "iter", "time", "train":
		return true
	}
	return false
}

// isScale tells whether the words name what a loss is multiplied by, so that it
// fits into few bits.
func isScale(words []string) bool {
	return slices.Contains(words, "scale") || slices.Contains(words, "scaler")
}

// abbreviatesLoss tells whether a name is that of a part of a loss, by its first
// letter: l_pix, l_total.
func abbreviatesLoss(words []string) bool {
	return len(words) == 2 && words[0] == "l" && len(words[1]) > 2 && words[1] != "rate"
}

// isObjective tells whether a name is that of the value of a function that is
// minimised: function value, fval.
func isObjective(words []string) bool {
	i := slices.Index(words, "function")
	return i >= 0 && i+1 < len(words) && words[i+1] == "value" || len(words) == 1 && (words[0] == "fval" || words[0] == "fun" || words[0] == "target")
}

// isEpoch tells whether the words name an epoch; ep alone is one, ep_rew_mean is
// of an episode.
func isEpoch(words []string) bool {
	return epochWords.in(words) || len(words) == 1 && words[0] == "ep"
}

// measured tells whether the words name what is learned, and so neither a time
// nor a rate.
func measured(words []string) bool {
	if isCostOfTime(words) {
		return false
	}
	return lossWords.in(words) || metricWords.in(words) || gradWords.in(words) || isLearningRate(words)
}

// isLearningRate tells whether the words name a learning rate: lr, 学习率, or a
// rate of learning.
func isLearningRate(words []string) bool {
	for i, w := range words {
		if rateWords.has(w) || w == "rate" && i > 0 && (words[i-1] == "learning" || words[i-1] == "learn") || w == "r" && i > 0 && words[i-1] == "l" {
			return true
		}
	}
	return slices.Contains(words, "taxa") && slices.Contains(words, "aprendizado") || slices.Contains(words, "tasa") && slices.Contains(words, "aprendizaje") ||
		slices.Contains(words, "öğrenme") && slices.Contains(words, "oranı")
}
