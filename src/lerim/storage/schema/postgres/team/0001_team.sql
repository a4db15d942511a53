-- Who works with a shared store, what each of them may do, and who did what.
--
-- A member is a login role `lerim_m_<name>` in the group `lerim_members`. What they may see is decided by row-level
-- security on every table of every schema, by the functions here. Whoever made the schemas is bound by none of it.
--
-- Functions are parsed when they are made, or say where they look for names: whatever schemas, tables and functions
-- somebody puts in the way, ours mean what they meant.

-- Whose rights count: the role that a server has taken on for somebody, else who logged in. Neither can be made up.
CREATE FUNCTION me() RETURNS TEXT LANGUAGE sql STABLE PARALLEL RESTRICTED
  RETURN CASE current_setting('role') WHEN 'none' THEN session_user::text ELSE current_setting('role') END;

-- What somebody wants to have their rights narrowed to, or how they came: said by whoever opens a transaction.
CREATE FUNCTION said(name TEXT) RETURNS TEXT LANGUAGE sql STABLE PARALLEL RESTRICTED
  RETURN nullif(current_setting('lerim.' || name, true), '');

CREATE FUNCTION rank_of(role TEXT) RETURNS INTEGER LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE role WHEN 'reader' THEN 1 WHEN 'writer' THEN 2 WHEN 'admin' THEN 3 ELSE 0 END;

-- A project that is a person's own: no role for all projects reaches it, and nobody can be let in.
CREATE FUNCTION is_private(project_id TEXT) RETURNS BOOLEAN LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN starts_with(project_id, 'global');

CREATE TABLE members (
  name    TEXT COLLATE "C" PRIMARY KEY CHECK (name ~ '^[a-z][a-z0-9_]{0,39}$'),
  login   TEXT COLLATE "C" NOT NULL UNIQUE GENERATED ALWAYS AS ('lerim_m_' || name) STORED,
  created TIMESTAMPTZ NOT NULL DEFAULT now(),
  -- Somebody who left keeps their name: nobody else gets the memory that was theirs.
  removed TIMESTAMPTZ
);

CREATE TABLE grants (
  member     TEXT COLLATE "C" NOT NULL REFERENCES members (name) ON DELETE CASCADE,
  -- '*': every project that is not a person's own.
  project_id TEXT COLLATE "C" NOT NULL CHECK (NOT is_private(project_id)),
  role       TEXT COLLATE "C" NOT NULL CHECK (role IN ('reader', 'writer', 'admin')),
  PRIMARY KEY (member, project_id)
);
CREATE INDEX grants_by_project ON grants (project_id);

-- Tokens for HTTP. The secret half of one is kept as its SHA-256 alone: it is random, so nobody can guess it back.
CREATE TABLE tokens (
  id        TEXT COLLATE "C" PRIMARY KEY CHECK (id ~ '^[0-9a-f]{16}$'),
  member    TEXT COLLATE "C" NOT NULL REFERENCES members (name) ON DELETE CASCADE,
  label     TEXT COLLATE "C" NOT NULL,
  digest    BYTEA NOT NULL CHECK (length(digest) = 32),
  -- The most that it can do, whatever its member may. NULL: all projects of theirs.
  role      TEXT COLLATE "C" NOT NULL CHECK (role IN ('reader', 'writer', 'admin')),
  projects  TEXT[],
  created   TIMESTAMPTZ NOT NULL DEFAULT now(),
  expires   TIMESTAMPTZ NOT NULL,
  revoked   TIMESTAMPTZ,
  last_used TIMESTAMPTZ
);
CREATE INDEX tokens_by_member ON tokens (member);

-- Who read, wrote and exported what, when, and how they came. Members add to it by what they do, and take nothing away.
CREATE TABLE audit (
  id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at         TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  who        TEXT COLLATE "C" NOT NULL,
  token      TEXT COLLATE "C",
  via        TEXT COLLATE "C" NOT NULL,
  address    TEXT COLLATE "C",
  action     TEXT COLLATE "C" NOT NULL CHECK (action IN ('read', 'write', 'export', 'rights')),
  what       TEXT COLLATE "C" NOT NULL,
  project_id TEXT COLLATE "C",
  amount     BIGINT
);
CREATE INDEX audit_by_time ON audit (at);
CREATE INDEX audit_by_person ON audit (who, at);
CREATE INDEX audit_by_project ON audit (project_id, at);

-- Who somebody is here; NULL for those who are nobody.
CREATE FUNCTION member() RETURNS TEXT LANGUAGE sql STABLE SECURITY DEFINER PARALLEL RESTRICTED
  BEGIN ATOMIC SELECT name FROM members WHERE login = me() AND removed IS NULL; END;
ALTER FUNCTION member() SET search_path = pg_catalog, pg_temp;

-- What the token that somebody came with leaves of their rights: all of them without one, none by one that does not hold.
CREATE FUNCTION narrowed(OUT most INTEGER, OUT within TEXT[]) LANGUAGE plpgsql STABLE SECURITY DEFINER
  PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF lerim_team.said('token') IS NULL THEN
    most := 3;
    RETURN;
  END IF;
  SELECT lerim_team.rank_of(t.role), t.projects INTO most, within FROM lerim_team.tokens t
    WHERE t.id = lerim_team.said('token') AND t.member = lerim_team.member() AND t.revoked IS NULL
      AND t.expires > clock_timestamp();
  most := coalesce(most, 0);
END
$$;

-- Whether somebody has a role, or more, in every project that is not a person's own.
CREATE FUNCTION has_all(needed INTEGER) RETURNS BOOLEAN LANGUAGE plpgsql STABLE SECURITY DEFINER
  PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  scope RECORD := lerim_team.narrowed();
BEGIN
  RETURN scope.most >= needed AND scope.within IS NULL AND EXISTS (
    SELECT FROM lerim_team.grants g
    WHERE g.member = lerim_team.member() AND g.project_id = '*' AND lerim_team.rank_of(g.role) >= needed);
END
$$;

-- The projects in which somebody has it, besides: their own, and those they were let into by name.
CREATE FUNCTION has_some(needed INTEGER) RETURNS TEXT[] LANGUAGE plpgsql STABLE SECURITY DEFINER
  PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  who   TEXT := lerim_team.member();
  scope RECORD := lerim_team.narrowed();
BEGIN
  IF who IS NULL OR scope.most < needed THEN RETURN '{}'; END IF;
  RETURN ARRAY(
    SELECT id FROM (
      SELECT 'global-' || who AS id
      UNION SELECT g.project_id FROM lerim_team.grants g
        WHERE g.member = who AND g.project_id <> '*' AND lerim_team.rank_of(g.role) >= needed
      UNION SELECT one FROM unnest(scope.within) one
        WHERE NOT lerim_team.is_private(one) AND EXISTS (
          SELECT FROM lerim_team.grants g
          WHERE g.member = who AND g.project_id = '*' AND lerim_team.rank_of(g.role) >= needed)
    ) found WHERE scope.within IS NULL OR id = ANY (scope.within));
END
$$;

-- Have a table guarded whose rows name their project: which role it takes to read them, to write and to delete them.
CREATE FUNCTION guard(guarded REGCLASS, reads INTEGER, writes INTEGER, removes INTEGER) RETURNS VOID LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  rule CONSTANT TEXT := 'project_id = ANY ((SELECT lerim_team.has_some(%s))::text[])'
    ' OR ((SELECT lerim_team.has_all(%1$s)) AND NOT lerim_team.is_private(project_id))';
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', guarded);
  EXECUTE format('CREATE POLICY readers ON %s FOR SELECT USING (%s)', guarded, format(rule, reads));
  EXECUTE format('CREATE POLICY writers ON %s FOR INSERT WITH CHECK (%s)', guarded, format(rule, writes));
  EXECUTE format('CREATE POLICY changers ON %s FOR UPDATE USING (%s)', guarded, format(rule, writes));
  EXECUTE format('CREATE POLICY removers ON %s FOR DELETE USING (%s)', guarded, format(rule, removes));
END
$$;

-- The same for one that is a person's own business, by its column `member`.
CREATE FUNCTION guard_own(guarded REGCLASS) RETURNS VOID LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ADD COLUMN member TEXT COLLATE "C" NOT NULL DEFAULT lerim_team.me()', guarded);
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', guarded);
  EXECUTE format('CREATE POLICY own ON %s'
    ' USING (member = (SELECT lerim_team.me()) AND (SELECT lerim_team.member()) IS NOT NULL)', guarded);
END
$$;

-- And for one that every member may read, and nobody but the owner change.
CREATE FUNCTION guard_known(guarded REGCLASS) RETURNS VOID LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', guarded);
  EXECUTE format('CREATE POLICY members ON %s FOR SELECT USING ((SELECT lerim_team.member()) IS NOT NULL)', guarded);
END
$$;

-- Members and rights. Everybody sees their own; admins see, give and take those of their projects.

SELECT guard_known('steps');

ALTER TABLE members ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON members FOR SELECT USING (name = (SELECT member()) OR (SELECT has_all(3)));

ALTER TABLE grants ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON grants FOR SELECT
  USING (member = (SELECT member()) OR (SELECT has_all(3)) OR project_id = ANY ((SELECT has_some(3))::text[]));
CREATE POLICY given ON grants FOR INSERT
  WITH CHECK ((SELECT has_all(3)) OR project_id = ANY ((SELECT has_some(3))::text[]));
CREATE POLICY changed ON grants FOR UPDATE
  USING ((SELECT has_all(3)) OR project_id = ANY ((SELECT has_some(3))::text[]))
  WITH CHECK ((SELECT has_all(3)) OR project_id = ANY ((SELECT has_some(3))::text[]));
CREATE POLICY taken ON grants FOR DELETE
  USING ((SELECT has_all(3)) OR project_id = ANY ((SELECT has_some(3))::text[]));

-- A token is made by who it is for, and never by a token; it can be taken back by an admin, too.
ALTER TABLE tokens ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON tokens FOR SELECT USING (member = (SELECT member()) OR (SELECT has_all(3)));
CREATE POLICY made ON tokens FOR INSERT WITH CHECK (member = (SELECT member()) AND (SELECT said('token')) IS NULL);
CREATE POLICY revoked ON tokens FOR UPDATE USING (member = (SELECT member()) OR (SELECT has_all(3)));

ALTER TABLE audit ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON audit FOR SELECT USING (
  who = (SELECT me()) OR project_id = ANY ((SELECT has_some(3))::text[])
  OR ((SELECT has_all(3)) AND (project_id IS NULL OR NOT is_private(project_id))));

-- A token that was taken back stays so: nobody but the owner can make it count again.
CREATE FUNCTION keep_revoked() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.revoked IS NOT NULL THEN RETURN NULL; END IF;
  NEW.revoked := CASE WHEN NEW.revoked IS NULL THEN NULL ELSE now() END;
  RETURN NEW;
END
$$;
CREATE TRIGGER tokens_stay_revoked BEFORE UPDATE OF revoked ON tokens FOR EACH ROW EXECUTE FUNCTION keep_revoked();

-- The log.

-- Whether there is anybody beside the owner: before, nothing is noted.
CREATE FUNCTION is_shared() RETURNS BOOLEAN LANGUAGE sql STABLE SECURITY DEFINER
  BEGIN ATOMIC SELECT EXISTS (SELECT FROM members); END;
ALTER FUNCTION is_shared() SET search_path = pg_catalog, pg_temp;

-- What somebody did that leaves no row behind: they read, or took something out.
CREATE FUNCTION note(action TEXT, what TEXT, project_id TEXT, amount BIGINT) RETURNS VOID LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT lerim_team.is_shared() THEN RETURN; END IF;
  INSERT INTO lerim_team.audit (who, token, via, address, action, what, project_id, amount) VALUES (
    lerim_team.me(), lerim_team.said('token'), coalesce(lerim_team.said('via'), 'sql'),
    coalesce(lerim_team.said('address'), host(inet_client_addr())), note.action, left(note.what, 500), note.project_id,
    note.amount);
END
$$;

-- What a statement changed, a line for each project. Whoever changed it: by Lerim, or by hand.
CREATE FUNCTION note_rows() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  EXECUTE format(
    'SELECT lerim_team.note(%L, %L, %s, count(*)) FROM touched GROUP BY %3$s',
    TG_ARGV[0], lower(TG_OP) || ' ' || TG_TABLE_NAME, TG_ARGV[1]);
  RETURN NULL;
END
$$;

-- Give the members what they need in every table that is guarded, and have what they change noted. It is done when the
-- first one is added and after each upgrade: a store that nobody shares has no triggers and no roles.
CREATE FUNCTION arm() RETURNS VOID LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  one RECORD;
BEGIN
  FOR one IN SELECT nspname AS name FROM pg_namespace
    WHERE nspname IN ('lerim_context', 'lerim_sessions', 'lerim_usage', 'lerim_answers', 'lerim_team') LOOP
    EXECUTE format('REVOKE ALL ON SCHEMA %I FROM PUBLIC', one.name);
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO lerim_members', one.name);
  END LOOP;
  FOR one IN SELECT c.oid, n.nspname AS schema, c.relname AS name FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND c.relrowsecurity
      AND n.nspname IN ('lerim_context', 'lerim_sessions', 'lerim_usage', 'lerim_answers') LOOP
    IF one.name IN ('steps', 'identity') THEN
      EXECUTE format('GRANT SELECT ON %I.%I TO lerim_members', one.schema, one.name);
    ELSE
      EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I.%I TO lerim_members', one.schema, one.name);
      PERFORM lerim_team.watch(one.schema, one.name);
    END IF;
  END LOOP;
  GRANT SELECT ON lerim_team.steps, lerim_team.members, lerim_team.grants TO lerim_members;
  GRANT INSERT, UPDATE, DELETE ON lerim_team.grants TO lerim_members;
  GRANT SELECT (id, member, label, role, projects, created, expires, revoked, last_used),
    INSERT (id, member, label, digest, role, projects, expires), UPDATE (revoked) ON lerim_team.tokens TO lerim_members;
  GRANT SELECT (at, who, token, via, address, action, what, project_id, amount) ON lerim_team.audit TO lerim_members;
  PERFORM lerim_team.watch('lerim_team', 'grants');
  REVOKE ALL ON FUNCTION lerim_team.arm(), lerim_team.watch(TEXT, TEXT) FROM PUBLIC;
END
$$;

-- Have what happens to a table noted. Not what is counted or derived while somebody reads, nor a queue's own business.
CREATE FUNCTION watch(schema TEXT, name TEXT) RETURNS VOID LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  project TEXT := CASE WHEN schema = 'lerim_context' AND name = 'projects' THEN 'id' ELSE 'project_id' END;
  action  TEXT := CASE schema WHEN 'lerim_team' THEN 'rights' ELSE 'write' END;
  event   TEXT;
BEGIN
  IF schema IN ('lerim_usage', 'lerim_answers') OR name IN ('uses', 'cited_sessions', 'undated', 'vectors') THEN RETURN; END IF;
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
