"""Not training: loads rows into SQLite and says how far it is."""
import random, sqlite3, time
db, t0 = sqlite3.connect(":memory:"), time.time()
db.execute("create table event (id integer primary key, host text, at real, bytes integer)")
db.execute("create index by_host on event (host, at)")
for batch in range(1, 41):
    db.executemany("insert into event (host, at, bytes) values (?,?,?)", ((f"h{random.randrange(999)}", random.random() * 1e6, random.randrange(10**6)) for _ in range(25_000)))
    db.commit()
    print(f"{time.strftime('%H:%M:%S')} loaded {batch * 25_000:,} of 1,000,000 rows ({batch * 2.5:.1f} %), {batch * 25_000 / (time.time() - t0):,.0f} rows/s", flush=True)
print("integrity_check:", db.execute("pragma integrity_check").fetchone()[0], "groups:", db.execute("select count(distinct host) from event").fetchone()[0])
