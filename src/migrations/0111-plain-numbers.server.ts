import type { SchemaChange } from './schema-change.server.ts';

/** `plainNumberSql` of src/features/clients/clients/duplicates.server.ts, as it was when this was written. */
const PLAIN = `ltrim(replace(replace(replace(replace(replace(replace(case when substr(code_key, length(code_key) - 1) = '.0' then substr(code_key, 1, length(code_key) - 2) else code_key end, '-', ''), '.', ''), '/', ''), ' ', ''), '_', ''), ',', ''), '0')`;

/** Finds clients whose numbers are equal but for leading zeros and punctuation. */
export const plainNumbers: SchemaChange = {
  sqlite: [`create index clients_by_plain_number on clients (company_id, ${PLAIN})`],
  postgres: [`create index clients_by_plain_number on clients (company_id, ${PLAIN})`],
};
