-- Calls are known by their project's id; '' is no project's. What was here was its name, which nobody asked for.
DROP TRIGGER calls_counted_again;
ALTER TABLE calls RENAME COLUMN project TO project_id;
UPDATE calls SET project_id = '';
CREATE TRIGGER calls_counted_again AFTER UPDATE ON calls BEGIN
  UPDATE sums
  SET tokens = tokens + NEW.input_tokens + NEW.output_tokens - OLD.input_tokens - OLD.output_tokens,
      usd = usd + coalesce(NEW.cost_usd, 0) - coalesce(OLD.cost_usd, 0)
  WHERE (kind = 'day' AND name = substr(OLD.at, 1, 10)) OR (kind = 'run' AND name = OLD.run_id);
END;
ALTER TABLE stops ADD COLUMN project_id TEXT NOT NULL DEFAULT '';
