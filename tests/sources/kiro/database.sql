CREATE TABLE auth_kv (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE conversations (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE conversations_v2 (key TEXT NOT NULL, conversation_id TEXT NOT NULL, value TEXT NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (key, conversation_id));
INSERT INTO conversations VALUES ('/work/old', '{"conversation_id":"old-1","history":[[{"content":{"Prompt":{"prompt":"first words"}}},{"Response":{"content":"Hello."}}],7]}');
INSERT INTO conversations VALUES ('/work/shop', '{"conversation_id":"new-1","history":[]}');
INSERT INTO conversations_v2 VALUES ('/work/shop', 'new-1', '{"conversation_id":"new-1","history":[{"user":{"content":{"Prompt":{"prompt":"second words"}}},"assistant":{"Response":{"content":"Again."}}}]}', 1772614800000, 1772614900000);
INSERT INTO conversations_v2 VALUES ('/work/shop', 'cut-1', '{"conversation_id":"cut-1","hist', 1772614800000, 1772614900000);
