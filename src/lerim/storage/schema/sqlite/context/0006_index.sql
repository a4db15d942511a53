-- The search index is a machine's own: it follows the changes from its local database, and needs no triggers.
DROP TRIGGER records_unindexed_insert;
DROP TRIGGER records_unindexed_update;
DROP TRIGGER records_unembedded_update;
DROP TABLE unindexed;
DROP TABLE unembedded;
DROP TABLE embeddings;
DROP TABLE index_parts;
DROP TABLE index_model;
