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

CREATE TRIGGER calls_counted AFTER INSERT ON calls BEGIN
  INSERT INTO sums (kind, name, tokens, usd)
  VALUES ('day', substr(NEW.at, 1, 10), NEW.input_tokens + NEW.output_tokens, coalesce(NEW.cost_usd, 0)),
         ('run', NEW.run_id, NEW.input_tokens + NEW.output_tokens, coalesce(NEW.cost_usd, 0))
  ON CONFLICT (kind, name) DO UPDATE SET tokens = tokens + excluded.tokens, usd = usd + excluded.usd;
END;
CREATE TRIGGER calls_counted_again AFTER UPDATE ON calls BEGIN
  UPDATE sums
  SET tokens = tokens + NEW.input_tokens + NEW.output_tokens - OLD.input_tokens - OLD.output_tokens,
      usd = usd + coalesce(NEW.cost_usd, 0) - coalesce(OLD.cost_usd, 0)
  WHERE (kind = 'day' AND name = substr(OLD.at, 1, 10)) OR (kind = 'run' AND name = OLD.run_id);
END;
CREATE TRIGGER calls_counted_out AFTER DELETE ON calls BEGIN
  UPDATE sums SET tokens = tokens - OLD.input_tokens - OLD.output_tokens, usd = usd - coalesce(OLD.cost_usd, 0)
  WHERE (kind = 'day' AND name = substr(OLD.at, 1, 10)) OR (kind = 'run' AND name = OLD.run_id);
END;
