-- The vectors of records, made by whichever machine came first: the others need not make them again, and a machine whose
-- own index is not there yet finds by meaning all the same. Derived: deleted, they are made again.
--
-- It takes pgvector. Where that is not installed each machine makes its own, and nothing else is missing.
CREATE FUNCTION make_vectors() RETURNS BOOLEAN LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector') THEN
    RETURN FALSE;
  END IF;
  BEGIN
    CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
  EXCEPTION WHEN insufficient_privilege THEN
    -- On some servers only a superuser can: once they did, it is found here.
    RETURN FALSE;
  END;
  IF to_regclass('vectors') IS NOT NULL THEN
    RETURN TRUE;
  END IF;
  CREATE TABLE vectors (
    project_id TEXT COLLATE "C" NOT NULL,
    model      TEXT COLLATE "C" NOT NULL,
    record_seq BIGINT NOT NULL,
    -- Of the text that it was made from.
    digest     BYTEA NOT NULL,
    vector     public.vector NOT NULL,
    PRIMARY KEY (project_id, model, record_seq),
    FOREIGN KEY (project_id, record_seq) REFERENCES records (project_id, seq) ON DELETE CASCADE
  );
  -- For the model that comes with Lerim; those of others are compared one by one. Vectors have the length 1: their
  -- product tells how near they are.
  CREATE INDEX vectors_by_meaning ON vectors
    USING hnsw ((vector::public.vector(384)) public.vector_ip_ops) WHERE public.vector_dims(vector) = 384;
  PERFORM lerim_team.guard('vectors', 1, 2, 2);
  RETURN TRUE;
END
$$;
SELECT make_vectors();
