// Resolves imports for ESLint's boundaries plugin: the package imports (#features, #layouts, #platform, #ui) of
// package.json, and relative paths. Existence is checked by the type checker.
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const imports = Object.entries(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).imports).map(
  ([from, to]) => ({
    prefix: from.slice(0, -1),
    folder: path.join(root, to.slice(0, -1)),
  }),
);

export const interfaceVersion = 2;

/** @param {string} source @param {string} file */
export function resolve(source, file) {
  const [bare = ''] = source.split('?'); // `icon.svg?raw` is icon.svg
  if (isBuiltin(bare)) return { found: true, path: null };
  if (bare.startsWith('.')) return { found: true, path: path.resolve(path.dirname(file), bare) };
  const known = imports.find(({ prefix }) => bare.startsWith(prefix));
  return known
    ? { found: true, path: path.join(known.folder, bare.slice(known.prefix.length)) }
    : { found: false };
}
