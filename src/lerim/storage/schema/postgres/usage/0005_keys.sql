-- The project leads every key of what belongs to one; '' is no project's. Sums are of all projects together, and what a
-- provider wants is for all of them.

DROP POLICY all_projects ON calls;
DROP POLICY all_projects ON stops;
ALTER TABLE calls DISABLE TRIGGER calls_counted;
ALTER TABLE calls RENAME project TO project_id;
-- It was a name before. Where it could be that of several, it is nobody's.
DO $$
BEGIN
  IF to_regclass('lerim_context.projects') IS NOT NULL THEN
    UPDATE calls SET project_id = p.id
      FROM (SELECT name, min(id) AS id FROM lerim_context.projects GROUP BY name HAVING count(*) = 1) p
      WHERE p.name = calls.project_id;
    UPDATE calls SET project_id = ''
      WHERE project_id IS NULL OR NOT EXISTS (SELECT FROM lerim_context.projects p WHERE p.id = calls.project_id);
  ELSE
    UPDATE calls SET project_id = '';
  END IF;
END
$$;
ALTER TABLE calls ENABLE TRIGGER calls_counted;
ALTER TABLE calls
  ALTER project_id SET DEFAULT '', ALTER project_id SET NOT NULL,
  DROP CONSTRAINT calls_pkey, ADD PRIMARY KEY (project_id, id);
CREATE INDEX calls_by_number ON calls (id);

ALTER TABLE stops ADD COLUMN project_id TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE stops SET project_id = c.project_id
  FROM (SELECT run_id, member, max(project_id) AS project_id FROM calls GROUP BY run_id, member) c
  WHERE c.run_id = stops.run_id AND c.member = stops.member;
ALTER TABLE stops DROP CONSTRAINT stops_pkey, ADD PRIMARY KEY (project_id, member, run_id);

CREATE POLICY all_projects ON calls FOR SELECT
  USING ((SELECT lerim_team.has_all(2)) AND project_id <> '' AND NOT lerim_team.is_private(project_id));
CREATE POLICY all_projects ON stops FOR SELECT
  USING ((SELECT lerim_team.has_all(2)) AND project_id <> '' AND NOT lerim_team.is_private(project_id));
