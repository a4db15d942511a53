-- Searching one project among many, by a member as quickly as by the owner.
--
-- Row-level security lets nothing look into a row before the row may be seen, so for a member no index of words or
-- vectors would be asked: the whole project would be read. These functions ask first whether the project may be read,
-- then the indexes, with their owner's rights; they give numbers of that project's rows and nothing else.

-- Whether whoever asks may read a project: as the rules for its rows have it.
CREATE FUNCTION may_read(project TEXT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
  SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  me CONSTANT NAME := lerim_team.me();
BEGIN
  -- The rules bind neither the owner, who this function is, nor those who may pass by all of them.
  RETURN pg_has_role(me, current_user, 'USAGE') OR EXISTS (SELECT FROM pg_roles WHERE rolname = me AND rolbypassrls)
    OR project = ANY (lerim_team.has_some(1)) OR (lerim_team.has_all(1) AND NOT lerim_team.is_private(project));
END
$$;

-- The words of a record as one index for all projects knows them: a word of one project is another number than the same
-- word of another. So a search reads of the index what is its own project's, and takes as long as that takes.
CREATE FUNCTION project_words(project TEXT, words TSVECTOR) RETURNS BIGINT[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  COST 1000 RETURN ARRAY(
    SELECT hashtextextended(word COLLATE "C", hashtextextended(project COLLATE "C", 0))
    FROM unnest(tsvector_to_array(words)) word);
DROP INDEX records_by_words;
CREATE INDEX records_by_words ON records USING gin (project_words(project_id, words));
-- As of the columns that it is made from: what is in it is nobody's to guess from what the planner expects.
ALTER INDEX records_by_words ALTER COLUMN 1 SET STATISTICS 0;

-- The same as before, wherever it is called from.
CREATE OR REPLACE FUNCTION asked_words(asked TEXT) RETURNS TSQUERY LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
  SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  word  TEXT;
  one   TSQUERY;
  found TSQUERY;
BEGIN
  FOR word IN SELECT jsonb_array_elements_text(asked::jsonb -> 'words') LOOP
    one := phraseto_tsquery('english', lerim_context.bare(word));
    IF numnode(one) = 0 THEN CONTINUE; END IF;
    IF found IS NULL THEN found := one;
    ELSIF (asked::jsonb ->> 'every')::boolean THEN found := found && one;
    ELSE found := found || one;
    END IF;
  END LOOP;
  RETURN coalesce(found, ''::tsquery);
END
$$;

-- The numbers of a word's parts in the index: several of a name such as `conftest.py`, none of one that says nothing.
CREATE FUNCTION word_numbers(project TEXT, word TEXT) RETURNS BIGINT[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN project_words(project, to_tsvector('english', bare(word)));

-- How many records of a project hold each of some words, `most` at most. Asked as JSON.
CREATE FUNCTION words_held(asked TEXT, OUT word TEXT, OUT held BIGINT) RETURNS SETOF RECORD
  LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED ROWS 20
  SET search_path = pg_catalog, pg_temp SET work_mem = '64MB' AS $$
DECLARE
  project CONSTANT TEXT := asked::jsonb ->> 'project';
  most    CONSTANT BIGINT := (asked::jsonb ->> 'most')::bigint;
  query   TSQUERY;
  numbers BIGINT[];
BEGIN
  IF NOT lerim_context.may_read(project) THEN RETURN; END IF;
  FOR word IN SELECT jsonb_array_elements_text(asked::jsonb -> 'words') LOOP
    numbers := lerim_context.word_numbers(project, word);
    IF cardinality(numbers) = 1 THEN
      -- What the index says is all there is to it: no text is looked at.
      SELECT count(*) INTO held FROM (SELECT FROM lerim_context.records r
        WHERE lerim_context.project_words(r.project_id, r.words) @> numbers AND r.project_id || '' = project LIMIT most) counted;
    ELSE
      query := phraseto_tsquery('english', lerim_context.bare(word));
      SELECT count(*) INTO held FROM (SELECT FROM lerim_context.records r
        WHERE lerim_context.project_words(r.project_id, r.words) @> numbers AND r.project_id || '' = project
          AND r.words @@ query AND numbers <> '{}' LIMIT most) counted;
    END IF;
    RETURN NEXT;
  END LOOP;
END
$$;

-- The records of a project with every one of some words, or with any of them, and how well they match: lower is better.
-- Title words say most, tags were chosen with care, a description sums up; from body to title, as `ts_rank` wants it.
-- Two words that have one number are sorted out after; by the index of projects, all of one would be looked at.
-- Asked as JSON: the project, the words, whether it takes every one, and how many records a word may stand in to find any
-- by itself; of words that all stand in more, the two rarest do.
CREATE FUNCTION found_by_words(asked TEXT, OUT project_id TEXT, OUT seq BIGINT, OUT rank REAL) RETURNS SETOF RECORD
  LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED ROWS 200
  SET search_path = pg_catalog, pg_temp SET work_mem = '64MB' AS $$
DECLARE
  project CONSTANT TEXT := asked::jsonb ->> 'project';
  query   CONSTANT TSQUERY := lerim_context.asked_words(asked);
  every   CONSTANT BOOLEAN := (asked::jsonb ->> 'every')::boolean;
  common  CONSTANT BIGINT := (asked::jsonb ->> 'common')::bigint;
  words   JSONB := asked::jsonb -> 'words';
  numbers BIGINT[] := '{}';
  one     BIGINT[];
  word    TEXT;
BEGIN
  IF numnode(query) = 0 OR NOT lerim_context.may_read(project) THEN RETURN; END IF;
  IF NOT every AND common IS NOT NULL AND jsonb_array_length(words) > 1 THEN
    SELECT coalesce(jsonb_agg(w.word), '[]') INTO words FROM (
      SELECT h.word, h.held, row_number() OVER (ORDER BY h.held) AS place, min(h.held) OVER () AS least
      FROM lerim_context.words_held(jsonb_build_object('project', project, 'words', words, 'most', common + 1)::text) h
      WHERE h.held > 0) w WHERE w.held <= common OR (w.least > common AND w.place <= 2);
  END IF;
  FOR word IN SELECT jsonb_array_elements_text(words) LOOP
    one := lerim_context.word_numbers(project, word);
    -- Of a word with several parts, a record that has it has the first of them.
    numbers := numbers || CASE WHEN every THEN one ELSE one[1:1] END;
  END LOOP;
  IF every THEN
    RETURN QUERY SELECT r.project_id, r.seq, -ts_rank('{0.25, 0.5, 0.5, 1.0}', r.words, query)
      FROM lerim_context.records r
      WHERE lerim_context.project_words(r.project_id, r.words) @> numbers AND r.project_id || '' = project AND r.words @@ query;
  ELSE
    RETURN QUERY SELECT r.project_id, r.seq, -ts_rank('{0.25, 0.5, 0.5, 1.0}', r.words, query)
      FROM lerim_context.records r
      WHERE lerim_context.project_words(r.project_id, r.words) && numbers AND r.project_id || '' = project AND r.words @@ query;
  END IF;
END
$$;

-- What stands beside a record in its session, as the index has it.
DROP INDEX records_by_session;
CREATE INDEX records_by_session ON records (project_id, first_agent, first_run, first_line, seq)
  WHERE first_agent IS NOT NULL;

-- The terms that records are found by, as the machine found them that came first: whoever ranks them need not read the
-- texts again. Derived, as the vectors are; gone as soon as a record says something else.
CREATE TABLE record_terms (
  project_id TEXT COLLATE "C" NOT NULL,
  record_seq BIGINT NOT NULL,
  -- By which a vector knows its text.
  digest     BYTEA NOT NULL,
  -- As numbers of 32 bits, in the order of the text.
  terms      BYTEA NOT NULL,
  PRIMARY KEY (project_id, record_seq),
  FOREIGN KEY (project_id, record_seq) REFERENCES records (project_id, seq) ON DELETE CASCADE
);
CREATE FUNCTION forget_terms() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM lerim_context.record_terms WHERE project_id = OLD.project_id AND record_seq = OLD.seq;
  RETURN NULL;
END
$$;
CREATE TRIGGER records_say_otherwise AFTER UPDATE OF title, body, tags, description ON records FOR EACH ROW
  WHEN ((NEW.title, NEW.body, NEW.tags, NEW.description) IS DISTINCT FROM (OLD.title, OLD.body, OLD.tags, OLD.description))
  EXECUTE FUNCTION forget_terms();
SELECT lerim_team.guard('record_terms', 1, 2, 2);
ALTER TABLE record_terms ALTER digest SET STATISTICS 0, ALTER terms SET STATISTICS 0;

-- The records of a project whose vectors are nearest to one.
CREATE FUNCTION found_by_meaning(project TEXT, by_model TEXT, asked TEXT, most INTEGER, OUT seq BIGINT)
  RETURNS SETOF BIGINT LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED ROWS 200
  SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  -- Up to so many, each is compared: that is exact, and takes no longer than the graph.
  few CONSTANT INTEGER := coalesce(nullif(current_setting('lerim.few_vectors', true), '')::integer, 10000);
  there INTEGER;
BEGIN
  IF NOT lerim_context.may_read(project) THEN RETURN; END IF;
  SELECT count(*) INTO there FROM (SELECT FROM lerim_context.vectors v
    WHERE v.project_id = project AND v.model = by_model LIMIT few + 1) counted;
  IF there <= few OR public.vector_dims(asked::public.vector) <> 384 THEN
    RETURN QUERY SELECT v.record_seq FROM lerim_context.vectors v WHERE v.project_id = project AND v.model = by_model
      ORDER BY v.vector OPERATOR(public.<#>) asked::public.vector LIMIT most;
    RETURN;
  END IF;
  -- The graph knows all projects: it is searched on until there are enough of this one.
  PERFORM set_config('hnsw.ef_search', least(greatest(2 * most, 40), 1000)::text, true);
  IF current_setting('hnsw.iterative_scan', true) IS NOT NULL THEN
    PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true),
      set_config('hnsw.max_scan_tuples', '100000', true);
  END IF;
  RETURN QUERY SELECT v.record_seq FROM lerim_context.vectors v
    WHERE v.project_id = project AND v.model = by_model AND public.vector_dims(v.vector) = 384
    ORDER BY v.vector::public.vector(384) OPERATOR(public.<#>) asked::public.vector(384) LIMIT most;
END
$$;

-- The same by what each word is worth: a row for each word of a record that has it, with how much that says for it.
CREATE FUNCTION weighed_by_words(asked TEXT, OUT seq BIGINT, OUT worth REAL) RETURNS SETOF RECORD
  LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED ROWS 1000
  SET search_path = pg_catalog, pg_temp SET work_mem = '64MB' AS $$
DECLARE
  project CONSTANT TEXT := asked::jsonb ->> 'project';
  one     RECORD;
  query   TSQUERY;
  numbers BIGINT[];
BEGIN
  IF NOT lerim_context.may_read(project) THEN RETURN; END IF;
  FOR one IN SELECT key AS word, value::real AS worth FROM jsonb_each_text(asked::jsonb -> 'worths') LOOP
    query := phraseto_tsquery('english', lerim_context.bare(one.word));
    numbers := lerim_context.word_numbers(project, one.word);
    RETURN QUERY SELECT r.seq, (one.worth * (1 + ts_rank('{0.25, 0.5, 0.5, 1.0}', r.words, query)))::real
      FROM lerim_context.records r
      WHERE lerim_context.project_words(r.project_id, r.words) @> numbers AND r.project_id || '' = project
        AND r.words @@ query AND numbers <> '{}';
  END LOOP;
END
$$;

-- How many records each project has: every search asks, and to count a million takes longer than the search.
CREATE TABLE project_sizes (
  project_id TEXT COLLATE "C" PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  records    BIGINT NOT NULL
);
SELECT lerim_team.guard('project_sizes', 1, 2, 2);
INSERT INTO project_sizes (project_id, records) SELECT project_id, count(*) FROM records GROUP BY project_id;
CREATE FUNCTION count_records() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO lerim_context.project_sizes AS p (project_id, records)
      SELECT t.project_id, count(*) FROM touched t GROUP BY t.project_id
      ON CONFLICT (project_id) DO UPDATE SET records = p.records + excluded.records;
  ELSE
    UPDATE lerim_context.project_sizes p SET records = p.records - gone.records
      FROM (SELECT t.project_id, count(*) AS records FROM touched t GROUP BY t.project_id) gone
      WHERE p.project_id = gone.project_id;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER records_came AFTER INSERT ON records REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION count_records();
CREATE TRIGGER records_went AFTER DELETE ON records REFERENCING OLD TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION count_records();
