import type { SchemaChange } from './schema-change.server.ts';

/**
 * Adds prefixes of up to eight letters to the index of words: searching for a letter or a common word no
 * longer scans all matching words. PostgreSQL keeps its index.
 */
export const searchBeginnings: SchemaChange = {
  sqlite: [
    `drop table document_words`,
    `create virtual table document_words using fts5 (client_id, name_key, content = 'documents', content_rowid = 'seq', tokenize = 'unicode61 remove_diacritics 0', prefix = '1 2 3 4 5 6 7 8')`,
    `insert into document_words (document_words) values ('rebuild')`,
  ],
  postgres: [],
};
