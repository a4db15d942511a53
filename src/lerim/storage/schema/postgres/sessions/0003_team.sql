-- Who sees which sessions: those who read their project. What has no project, and what a machine notes for itself, is
-- seen by whoever put it there.

SELECT lerim_team.guard_own(name::regclass) FROM unnest(ARRAY['sessions', 'containers', 'copies', 'places', 'aliases',
  'seen_records', 'connections', 'served', 'served_records', 'repeated']) name;
SELECT lerim_team.guard(name::regclass, 1, 2, 2)
  FROM unnest(ARRAY['sessions', 'containers', 'pieces', 'traces', 'trace_pieces']) name;
SELECT lerim_team.guard_known('steps');
-- What belongs to a project is nobody's own.
ALTER POLICY own ON sessions
  USING (project_id IS NULL AND member = (SELECT lerim_team.me()) AND (SELECT lerim_team.member()) IS NOT NULL);
ALTER POLICY own ON containers
  USING (project_id IS NULL AND member = (SELECT lerim_team.me()) AND (SELECT lerim_team.member()) IS NOT NULL);

-- Who listens is nobody's to choose: they hear that there is something to do, and not whose it is.
CREATE OR REPLACE FUNCTION tell_workers() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
  AS $$ BEGIN PERFORM pg_notify('lerim_sessions', md5(NEW.project_id)); RETURN NULL; END $$;
