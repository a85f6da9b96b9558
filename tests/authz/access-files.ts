import fs from 'node:fs';
import path from 'node:path';

const FOLDER = path.join(import.meta.dirname, '../features');

/** The files in which features say who may use them, by feature. */
export const ACCESS_FILES: Readonly<Record<string, string>> = Object.fromEntries(
  fs
    .globSync('*/access.ts', { cwd: FOLDER })
    .map((file) => [path.dirname(file), path.join(FOLDER, file)] as const),
);
