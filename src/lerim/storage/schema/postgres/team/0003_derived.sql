-- What is derived is not noted: the terms of records and their number, too.

-- Have what happens to a table noted. Not what is counted or derived while somebody reads, nor a queue's own business.
CREATE OR REPLACE FUNCTION watch(schema TEXT, name TEXT) RETURNS VOID LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  project TEXT := CASE WHEN schema = 'lerim_context' AND name = 'projects' THEN 'id' ELSE 'project_id' END;
  action  TEXT := CASE schema WHEN 'lerim_team' THEN 'rights' ELSE 'write' END;
  event   TEXT;
BEGIN
  IF schema IN ('lerim_usage', 'lerim_answers')
    OR name IN ('uses', 'cited_sessions', 'undated', 'vectors', 'record_terms', 'project_sizes') THEN RETURN; END IF;
  IF NOT EXISTS (
    SELECT FROM pg_attribute WHERE attrelid = format('%I.%I', schema, name)::regclass AND attname = project) THEN
    RETURN;
  END IF;
  FOREACH event IN ARRAY ARRAY['INSERT', 'UPDATE', 'DELETE'] LOOP
    CONTINUE WHEN schema = 'lerim_sessions' AND event = 'UPDATE';
    EXECUTE format(
      'CREATE OR REPLACE TRIGGER lerim_noted_%s AFTER %s ON %I.%I REFERENCING %s TABLE AS touched'
      ' FOR EACH STATEMENT EXECUTE FUNCTION lerim_team.note_rows(%L, %L)',
      lower(event), event, schema, name, CASE event WHEN 'DELETE' THEN 'OLD' ELSE 'NEW' END, action, project);
  END LOOP;
END
$$;
