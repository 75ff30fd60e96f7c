"""Not training: tokenizes made-up documents with worker processes under a tqdm bar."""
import collections, multiprocessing, random, re, sys
from tqdm import tqdm


def shard(i):
    r = random.Random(i)
    text = " ".join("".join(r.choices("abcdefghij", k=r.randrange(2, 9))) for _ in range(30_000))
    return i, len(re.findall(r"\w+", text)), collections.Counter(text[j:j + 2] for j in range(len(text) - 1))


if __name__ == "__main__":
    workers = int(sys.argv[1])
    print(f"Preprocessing 240 shards with {workers} workers", flush=True)
    pairs, tokens = collections.Counter(), 0
    with multiprocessing.Pool(workers) as pool:
        for i, n, c in tqdm(pool.imap_unordered(shard, range(240)), total=240, desc=f"Tokenizing (num_proc={workers})", unit=" shards"):
            tokens += n
            pairs += c
            if i % 100 == 99:
                tqdm.write(f"flushed shard group {i // 100}: {tokens} tokens so far")
    print(f"Done: {tokens} tokens, {len(pairs)} distinct pairs, most common {pairs.most_common(2)}")
