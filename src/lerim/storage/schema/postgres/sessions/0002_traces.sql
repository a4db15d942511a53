-- Traces that machines uploaded, redacted, so that any worker can read a session.

-- Some lines of a trace, compressed. What several traces have in common is kept once.
CREATE TABLE pieces (
  project_id TEXT COLLATE "C" NOT NULL,
  digest     TEXT COLLATE "C" NOT NULL,  -- of the lines as they were before
  content    BYTEA NOT NULL,
  at         DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (project_id, digest)
);

-- A session's trace as it was at some moment. The session's row names the newest one as its fingerprint.
CREATE TABLE traces (
  project_id TEXT COLLATE "C" NOT NULL,
  digest     TEXT COLLATE "C" NOT NULL,  -- of the whole
  agent      TEXT COLLATE "C" NOT NULL,
  run_id     TEXT COLLATE "C" NOT NULL,
  machine    TEXT COLLATE "C" NOT NULL,  -- where it is from
  lines      BIGINT NOT NULL,
  size       BIGINT NOT NULL,
  at         DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (project_id, digest)
);
CREATE INDEX traces_by_session ON traces (project_id, agent, run_id);

CREATE TABLE trace_pieces (
  project_id TEXT COLLATE "C" NOT NULL,
  trace      TEXT COLLATE "C" NOT NULL,
  number     BIGINT NOT NULL,
  piece      TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (project_id, trace, number),
  FOREIGN KEY (project_id, trace) REFERENCES traces (project_id, digest) ON DELETE CASCADE,
  FOREIGN KEY (project_id, piece) REFERENCES pieces (project_id, digest)
);
CREATE INDEX traces_by_piece ON trace_pieces (project_id, piece);

-- They are compressed already.
ALTER TABLE pieces ALTER COLUMN content SET STORAGE EXTERNAL;

-- Workers that have nothing to do hear of the next session.
CREATE FUNCTION tell_workers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('lerim_sessions', coalesce(NEW.project_id, ''));
  RETURN NULL;
END $$;
CREATE TRIGGER sessions_told AFTER INSERT OR UPDATE OF state ON sessions
  FOR EACH ROW WHEN (NEW.state IN ('pending', 'done')) EXECUTE FUNCTION tell_workers();

-- Whose sessions it holds, where these were uploaded; else several projects may have some in it.
ALTER TABLE containers ADD COLUMN project_id TEXT COLLATE "C";
