import type { SchemaChange } from './schema-change.server.ts';

const columns = (text: string): string[] => [
  `alter table imports add column blob_key ${text}`,
  `alter table imports add column place ${text}`,
];

/** The files of imports that are not begun, so that another sheet can be read without uploading them again. */
export const importFiles: SchemaChange = { sqlite: columns('text'), postgres: columns('text collate "C"') };
