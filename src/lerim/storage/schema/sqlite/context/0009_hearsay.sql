-- What came with repositories that nobody trusts is seldom there, and every search and every list asks whether it is.
CREATE INDEX records_hearsay ON records (project_id, status) WHERE trust = 'shared';
