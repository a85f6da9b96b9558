import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { databaseFile, snapshotSqlite } from './sqlite.server.ts';
import { ConfigurationError } from '../runtime/startup.server.ts';

/*
 * Copies a SQLite database, beside it, before it is migrated, so that an upgrade can be rolled back without a
 * backup (docs/operating.md, Upgrade).
 */

const COPY = /^before-[\w-]+\.sqlite$/;
const MAX_COPIES = 2;
const MIN_FREE = 1024 * 1024;
const SQLITE_FULL = 13;

/**
 * Copies the database before `migration`, the first pending one, and keeps the last two copies. Refuses to
 * continue without enough space.
 */
export async function keepCopyBefore(migration: string, dataDir: string): Promise<void> {
  const copy = path.join(dataDir, `before-${migration}.sqlite`);
  const part = `${copy}.new`;
  rmSync(part, { force: true }); // left by an interrupted start
  await assertSpaceForCopy(dataDir);
  try {
    snapshotSqlite(databaseFile(dataDir), part);
    sync(part);
  } catch (error) {
    rmSync(part, { force: true });
    throw isFull(error) ? noSpaceError(dataDir) : error;
  }
  renameSync(part, copy);
  sync(dataDir);
  for (const old of copiesIn(dataDir).slice(MAX_COPIES)) rmSync(old, { force: true });
}

/** The existing copies, newest first. */
function copiesIn(dataDir: string): string[] {
  const files = readdirSync(dataDir).filter((name) => COPY.test(name));
  const dated = files
    .map((name) => path.join(dataDir, name))
    .map((file) => ({ file, at: statSync(file).mtimeMs }));
  return dated.toSorted((a, b) => b.at - a.at).map(({ file }) => file);
}

async function assertSpaceForCopy(dataDir: string): Promise<void> {
  const database = databaseFile(dataDir);
  const files = [database, `${database}-wal`].filter((file) => existsSync(file));
  const needed = files.reduce((bytes, file) => bytes + statSync(file).size, MIN_FREE);
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize < needed) throw noSpaceError(dataDir);
}

function noSpaceError(dataDir: string): ConfigurationError {
  const why = 'The database is copied before it is migrated';
  const remedy = 'Free some space, or move earlier copies (before-*.sqlite) elsewhere, and start again.';
  return new ConfigurationError(
    `${why}, and DATA_DIR=${dataDir} has no space for the copy. Nothing was changed. ${remedy}`,
  );
}

function isFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    ('errcode' in error && error.errcode === SQLITE_FULL) || ('code' in error && error.code === 'ENOSPC')
  );
}

/** Flushes a file or a directory to disk. */
function sync(target: string): void {
  const handle = openSync(target, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
