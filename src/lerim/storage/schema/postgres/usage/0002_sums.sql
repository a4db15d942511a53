-- What each run and each day used so far: a budget is held against it, however many calls there were.

CREATE TABLE sums (
  kind   TEXT COLLATE "C" NOT NULL CHECK (kind IN ('run', 'day')),
  name   TEXT COLLATE "C" NOT NULL,   -- the run, or the day (UTC)
  tokens BIGINT NOT NULL,
  usd    DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (kind, name)
);
INSERT INTO sums (kind, name, tokens, usd)
SELECT 'run', run_id, sum(input_tokens + output_tokens), coalesce(sum(cost_usd), 0) FROM calls GROUP BY run_id;
INSERT INTO sums (kind, name, tokens, usd)
SELECT 'day', substr(at, 1, 10), sum(input_tokens + output_tokens), coalesce(sum(cost_usd), 0) FROM calls
GROUP BY substr(at, 1, 10);

-- Until when a provider wants no more requests, as it said to one of all who ask it.
CREATE TABLE holds (
  provider TEXT COLLATE "C" NOT NULL,
  model    TEXT COLLATE "C" NOT NULL,
  until    DOUBLE PRECISION NOT NULL,   -- seconds since 1970
  PRIMARY KEY (provider, model)
);

-- Counted for all, whoever may see it.
CREATE FUNCTION count_calls() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  add CONSTANT TEXT := format(
    'INSERT INTO %I.sums AS s (kind, name, tokens, usd) VALUES (''day'', $1, $3, $4), (''run'', $2, $3, $4)'
    ' ON CONFLICT (kind, name) DO UPDATE SET tokens = s.tokens + excluded.tokens, usd = s.usd + excluded.usd',
    TG_TABLE_SCHEMA);
BEGIN
  IF TG_OP <> 'INSERT' THEN
    EXECUTE add USING substr(OLD.at, 1, 10), OLD.run_id, -OLD.input_tokens - OLD.output_tokens,
      -coalesce(OLD.cost_usd, 0);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    EXECUTE add USING substr(NEW.at, 1, 10), NEW.run_id, NEW.input_tokens + NEW.output_tokens,
      coalesce(NEW.cost_usd, 0);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER calls_counted AFTER INSERT OR UPDATE OR DELETE ON calls FOR EACH ROW EXECUTE FUNCTION count_calls();
