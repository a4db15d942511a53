-- When a person last gave a record other words: what they said, they said then.
ALTER TABLE records ADD COLUMN worded TEXT;
UPDATE records SET worded = (
  SELECT max(v.at) FROM versions v
    JOIN versions earlier ON earlier.record_seq = v.record_seq AND earlier.version = v.version - 1
    JOIN changes c ON c.id = v.change_id
  WHERE v.record_seq = records.seq AND v.operation <> 'undo' AND c.author <> 'lerim' AND (
    json_extract(v.snapshot, '$.title') IS NOT json_extract(earlier.snapshot, '$.title')
    OR json_extract(v.snapshot, '$.body') IS NOT json_extract(earlier.snapshot, '$.body'))
) WHERE source = 'manual' AND version > 1;
