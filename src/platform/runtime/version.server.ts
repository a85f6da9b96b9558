import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './root.server.ts';

/*
 * The version is for operators only: the log, the metrics, npm run doctor and backups. No response to a
 * browser contains it, because it would show an attacker which known vulnerabilities to try.
 */

const built = path.join(ROOT, 'dist', 'version');

/**
 * The version of this process: that of package.json and the commit that it was built from, as in
 * `0.2.0+4e20d362` (semver.org, section 10). Without a Git clone, or from source, only the first.
 */
export const VERSION: string = existsSync(built)
  ? readFileSync(built, 'utf8').trim()
  : (JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
