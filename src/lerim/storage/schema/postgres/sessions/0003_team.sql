-- Who sees which sessions: those who read their project. What has no project yet, and what a machine notes for itself,
-- is seen by whoever put it there.

ALTER TABLE sessions ADD COLUMN member TEXT COLLATE "C" NOT NULL DEFAULT lerim_team.me();
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON sessions
  USING (project_id IS NULL AND member = (SELECT lerim_team.me()) AND (SELECT lerim_team.member()) IS NOT NULL);
CREATE POLICY readers ON sessions FOR SELECT USING (
  project_id = ANY ((SELECT lerim_team.has_some(1))::text[])
  OR ((SELECT lerim_team.has_all(1)) AND NOT lerim_team.is_private(project_id)));
CREATE POLICY writers ON sessions USING (
  project_id = ANY ((SELECT lerim_team.has_some(2))::text[])
  OR ((SELECT lerim_team.has_all(2)) AND NOT lerim_team.is_private(project_id)));

DO $$
DECLARE
  name TEXT;
BEGIN
  FOREACH name IN ARRAY ARRAY['containers', 'copies', 'places', 'aliases', 'seen_records', 'connections', 'served',
    'served_records', 'repeated'] LOOP
    EXECUTE format('ALTER TABLE %I ADD COLUMN member TEXT COLLATE "C" NOT NULL DEFAULT lerim_team.me()', name);
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own ON %I'
      ' USING (member = (SELECT lerim_team.me()) AND (SELECT lerim_team.member()) IS NOT NULL)', name);
  END LOOP;
END
$$;
-- Whoever reads a session reads where it was.
CREATE POLICY readers ON containers FOR SELECT
  USING (EXISTS (SELECT FROM sessions s WHERE s.container_id = containers.id AND s.project_id IS NOT NULL));
ALTER TABLE steps ENABLE ROW LEVEL SECURITY;
CREATE POLICY members ON steps FOR SELECT USING ((SELECT lerim_team.member()) IS NOT NULL);
