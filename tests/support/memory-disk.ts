import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const MEMORY_DISK = '/dev/shm';
const MIN_FREE = 3 * 1024 ** 3; // bytes; a run leaves about a third of it

/**
 * Puts the temporary folders of this process and its children on a disk in memory, where there is a large one
 * (Linux): the portals of the tests wait for the disk at every commit, and on a busy disk that takes most of
 * the time. A TMPDIR from outside is kept. Removed when the process ends.
 */
export function useMemoryDisk(): void {
  if (process.env['TMPDIR'] !== undefined || !isRoomy()) return;
  removeLeftovers();
  const folder = mkdtempSync(path.join(MEMORY_DISK, `portal-tests-${process.pid}-`));
  chmodSync(folder, 0o711); // PostgreSQL, started by root, runs as somebody else
  // Playwright has begun to fill its cache of transformed files there
  process.env['PWTEST_CACHE_DIR'] ??= path.join(
    os.tmpdir(),
    `playwright-transform-cache-${process.geteuid?.()}`,
  );
  process.env['TMPDIR'] = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
}

function isRoomy(): boolean {
  try {
    accessSync(MEMORY_DISK, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY_DISK);
    return bavail * bsize >= MIN_FREE;
  } catch {
    return false; // none on this system
  }
}

/** Removes the folders of processes that were killed. */
function removeLeftovers(): void {
  for (const name of readdirSync(MEMORY_DISK)) {
    const pid = /^portal-tests-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(path.join(MEMORY_DISK, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // somebody else's
  }
}
