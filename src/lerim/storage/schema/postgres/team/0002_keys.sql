-- The project leads the key of the log; '' is what concerns none.
DROP POLICY seen ON audit;
UPDATE audit SET project_id = '' WHERE project_id IS NULL;
ALTER TABLE audit
  ALTER project_id SET DEFAULT '', ALTER project_id SET NOT NULL,
  DROP CONSTRAINT audit_pkey, ADD PRIMARY KEY (project_id, id);
CREATE POLICY seen ON audit FOR SELECT USING (
  who = (SELECT me()) OR (project_id <> '' AND project_id = ANY ((SELECT has_some(3))::text[]))
  OR ((SELECT has_all(3)) AND NOT is_private(project_id)));

CREATE OR REPLACE FUNCTION note(action TEXT, what TEXT, project_id TEXT, amount BIGINT) RETURNS VOID LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT lerim_team.is_shared() THEN RETURN; END IF;
  INSERT INTO lerim_team.audit (who, token, via, address, action, what, project_id, amount) VALUES (
    lerim_team.me(), lerim_team.said('token'), coalesce(lerim_team.said('via'), 'sql'),
    coalesce(lerim_team.said('address'), host(inet_client_addr())), note.action, left(note.what, 500),
    coalesce(note.project_id, ''), note.amount);
END
$$;
