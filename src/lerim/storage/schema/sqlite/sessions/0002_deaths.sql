-- A worker that is killed is not the session's failure: it is counted apart.

-- How often in a row a worker ended without a word while it held the session.
ALTER TABLE sessions ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
-- 1: its turn comes after all others, in a process of its own.
ALTER TABLE sessions ADD COLUMN last INTEGER NOT NULL DEFAULT 0;

DROP INDEX sessions_waiting;
CREATE INDEX sessions_waiting ON sessions (last, coalesce(started, active), id) WHERE state IN ('pending', 'failed');

-- Sessions that were given up because somebody stopped their workers.
UPDATE sessions SET state = 'pending', reason = NULL, attempts = 0, due = 0
WHERE state IN ('failed', 'dead') AND project_id IS NOT NULL AND reason LIKE 'worker % stopped without reporting';
