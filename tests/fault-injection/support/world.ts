import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { Portal } from './portal.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder with demo data, to be copied. */
    world: string;
  }
}

/** Creates the demo data once; every test uses a copy. */
export default async function makeWorld(project: TestProject): Promise<() => void> {
  if (!existsSync(path.join(import.meta.dirname, '../../../dist/server/server.mjs')))
    throw new Error(
      'There is no build in dist/. Run `npm run build` first: these tests drive the built portal.',
    );
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-world-'));
  const portal = await Portal.start({ folder });
  await portal.end('SIGTERM');
  project.provide('world', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}

const copies: string[] = [];

/** Removes the copies made by this process, except those on a disk of their own. */
export function removeCopies(): void {
  for (const folder of copies)
    if (path.basename(folder) !== 'disk') rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Copies the demo data to a new folder, or to `to`. */
export function copyWorld(world: string, to = mkdtempSync(path.join(os.tmpdir(), 'portal-faults-'))): string {
  cpSync(world, to, { recursive: true });
  copies.push(to);
  return to;
}

/**
 * The same in memory if available: a killed process loses nothing there either, and many more kills fit into
 * a minute.
 */
export const copyToMemory = (world: string): string =>
  copyWorld(
    world,
    mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir(), 'portal-faults-')),
  );
