-- Who sees and changes what, for everybody but the owner. What decides it is in the schema of the team; each of its
-- functions is asked once a statement.

-- A key that does not begin with the project would tell whoever tries it what others have.
ALTER TABLE former_roots DROP CONSTRAINT former_roots_pkey, ADD PRIMARY KEY (project_id, root);

-- Nothing is deleted by those who write, but what is there for as long as a change can be taken back.
SELECT lerim_team.guard(name::regclass, 1, 2, 3)
  FROM unnest(ARRAY['sessions', 'records', 'changes', 'versions', 'review']) name;
SELECT lerim_team.guard(name::regclass, 1, 2, 2)
  FROM unnest(ARRAY['former_roots', 'file_images', 'undated', 'cited_sessions']) name;
-- Whoever reads a memory is counted as having used it.
SELECT lerim_team.guard('uses', 1, 1, 3);
SELECT lerim_team.guard_known(name::regclass) FROM unnest(ARRAY['identity', 'steps']) name;

-- Projects: a new one is made by those who write in all of them, and a person's own by that person.
ALTER TABLE projects ENABLE ROW LEVEL SECURITY;
CREATE POLICY readers ON projects FOR SELECT USING (
  id = ANY ((SELECT lerim_team.has_some(1))::text[])
  OR ((SELECT lerim_team.has_all(1)) AND NOT lerim_team.is_private(id)));
CREATE POLICY founders ON projects FOR INSERT WITH CHECK (
  id = 'global-' || (SELECT lerim_team.member()) AND id = ANY ((SELECT lerim_team.has_some(2))::text[])
  OR ((SELECT lerim_team.has_all(2)) AND NOT lerim_team.is_private(id)));
CREATE POLICY changers ON projects FOR UPDATE USING (
  id = ANY ((SELECT lerim_team.has_some(2))::text[])
  OR ((SELECT lerim_team.has_all(2)) AND NOT lerim_team.is_private(id)));
CREATE POLICY removers ON projects FOR DELETE USING (
  id = ANY ((SELECT lerim_team.has_some(3))::text[])
  OR ((SELECT lerim_team.has_all(3)) AND NOT lerim_team.is_private(id)));

-- A root belongs to one project. Whoever may not see all of them must not find out by trying which are taken: the root
-- of a person's own project is that of nothing else, and others are set by those who see them all.
CREATE FUNCTION guard_root() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT row_security_active('lerim_context.projects') THEN RETURN NEW; END IF;
  IF lerim_team.is_private(NEW.id) THEN
    IF NEW.root IS DISTINCT FROM 'person:' || lerim_team.member() THEN
      RAISE insufficient_privilege USING MESSAGE = 'a memory of your own is known by your name';
    END IF;
  ELSIF starts_with(NEW.root, 'person:') OR NOT lerim_team.has_all(2) THEN
    RAISE insufficient_privilege USING MESSAGE = 'new projects are made by those who may write in all of them';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER projects_root_made BEFORE INSERT ON projects FOR EACH ROW EXECUTE FUNCTION guard_root();
CREATE TRIGGER projects_root_changed BEFORE UPDATE OF id, root ON projects
  FOR EACH ROW WHEN (NEW.root <> OLD.root OR NEW.id <> OLD.id) EXECUTE FUNCTION guard_root();

-- What is in these columns is nobody's to guess from what the planner expects to find.
ALTER TABLE records ALTER title SET STATISTICS 0, ALTER body SET STATISTICS 0, ALTER tags SET STATISTICS 0,
  ALTER description SET STATISTICS 0, ALTER evidence SET STATISTICS 0, ALTER extra SET STATISTICS 0,
  ALTER words SET STATISTICS 0, ALTER raw_trace_path SET STATISTICS 0, ALTER repo_name SET STATISTICS 0;
ALTER TABLE versions ALTER snapshot SET STATISTICS 0;
ALTER TABLE changes ALTER reason SET STATISTICS 0, ALTER author SET STATISTICS 0;
ALTER TABLE review ALTER title SET STATISTICS 0, ALTER title_words SET STATISTICS 0, ALTER body SET STATISTICS 0,
  ALTER tags SET STATISTICS 0, ALTER evidence SET STATISTICS 0, ALTER signals SET STATISTICS 0,
  ALTER against SET STATISTICS 0, ALTER reason SET STATISTICS 0;
ALTER TABLE projects ALTER root SET STATISTICS 0, ALTER name SET STATISTICS 0, ALTER identity SET STATISTICS 0;
ALTER TABLE former_roots ALTER root SET STATISTICS 0;

-- Who listens is nobody's to choose, so what they hear names no project: that something changed, and not what.
CREATE OR REPLACE FUNCTION tell_change() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
  AS $$ BEGIN PERFORM pg_notify('lerim_changes', md5(NEW.project_id)); RETURN NULL; END $$;
