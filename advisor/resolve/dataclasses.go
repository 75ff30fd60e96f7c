package resolve

import "strings"

// dataClass is the part of a class's name that names its data.
func dataClass(name string) string {
	for _, suffix := range []string{"DataModule", "Dataset", "Data", "Train", "Training"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}

// telling reports whether what a class is called says which data it has: the
// words that say how they are stored or handed on do not.
func telling(class string) bool {
	if strings.Contains(class, "From") {
		return false
	}
	for _, word := range words(class) {
		if len(word) > 1 && !storage[word] {
			return true
		}
	}
	return false
}

// storage are words in the names of classes for any data.
var storage = setOf("my our the of for with and or to by in base abstract simple basic dummy fake toy custom general generic default common mixed multi single raw new " +
	"data dataset datasets loader file files folder dir directory path list dict array numpy np hdf5 h5 lmdb json jsonl csv parquet arrow hf torch tf memmap mmap mapped npz pickle pkl record records tfrecord webdataset wds zip s3 hub huggingface " +
	"multiresolution resolution resolutions speaker speakers mem lazy cached cache chunk chunked packed packing block blocked concat concatenated padded pad shuffled sorted sharded shard iterable iter iterator map mapping stream streaming streamed buffer buffered infinite random distributed parallel async wrapper wrapped subset split indexed index lookup transform transformed augmented preprocessed processed collated batch batched weighted balanced sampled bucket " +
	"train training trainer val valid validation test eval supervised unsupervised unlabeled labeled labelled self semi pretrain pretraining finetune finetuning sft instruction instructions instruct prompt prompts chat conversation dialogue " +
	"mel mels spectrogram spectrograms wav wave waveform waveforms speech voice pyt py pytorch pil cv2 caption captions image images img text texts audio video videos pair pairs paired sequence sequences seq token tokens tokenized tensor example examples sample samples item items feature features label labels mask masks target targets input inputs point points cloud graph lm mlm gpt bert t5 clm language model modeling classification detection segmentation regression spec specs wavs frame frames clip clips latent latents")

func setOf(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// words are the words of a name in CamelCase, in lower case.
func words(name string) []string {
	var all []string
	from := 0
	upper := func(i int) bool { return name[i] >= 'A' && name[i] <= 'Z' }
	for i := 1; i <= len(name); i++ {
		if i == len(name) || name[i] == '_' || upper(i) && (!upper(i-1) || i+1 < len(name) && !upper(i+1) && name[i+1] != '_') {
			if word := strings.Trim(strings.ToLower(name[from:i]), "_"); word != "" {
				all = append(all, word)
			}
			from = i
		}
	}
	return all
}
