-- What each run and each day used so far: a budget is held against it, however many calls there were.

CREATE TABLE sums (
  kind   TEXT NOT NULL CHECK (kind IN ('run', 'day')),
  name   TEXT NOT NULL,   -- the run, or the day (UTC)
  tokens INTEGER NOT NULL,
  usd    REAL NOT NULL,
  PRIMARY KEY (kind, name)
);
INSERT INTO sums (kind, name, tokens, usd)
SELECT 'run', run_id, sum(input_tokens + output_tokens), coalesce(sum(cost_usd), 0) FROM calls GROUP BY run_id;
INSERT INTO sums (kind, name, tokens, usd)
SELECT 'day', substr(at, 1, 10), sum(input_tokens + output_tokens), coalesce(sum(cost_usd), 0) FROM calls
GROUP BY substr(at, 1, 10);

-- Until when a provider wants no more requests, as it said to one of all who ask it.
CREATE TABLE holds (
  provider TEXT NOT NULL,
  model    TEXT NOT NULL,
  until    REAL NOT NULL,   -- seconds since 1970
  PRIMARY KEY (provider, model)
);
