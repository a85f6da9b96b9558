import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { Portal } from './portal.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder with the data of a demo world, to be copied. */
    world: string;
  }
}

/** Fills one demo world; every test copies it. */
export default async function makeWorld(project: TestProject): Promise<() => void> {
  if (!existsSync(path.join(import.meta.dirname, '../../../dist/server/server.mjs'))) throw new Error('There is no build in dist/. Run `npm run build` first: these tests drive the built portal.');
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-world-'));
  const portal = await Portal.start({ folder });
  await portal.end('SIGTERM');
  project.provide('world', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}

const copies: string[] = [];

/** Removes the copies that were made in this process, but for what is a disk of its own. */
export function removeCopies(): void {
  for (const folder of copies) if (path.basename(folder) !== 'disk') rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** A copy of the demo world in a folder of its own, or in the one that is given. */
export function copyWorld(world: string, to = mkdtempSync(path.join(os.tmpdir(), 'portal-faults-'))): string {
  cpSync(world, to, { recursive: true });
  copies.push(to);
  return to;
}

/** The same in memory where the machine has such a place: a killed process loses nothing that it wrote there, and many more kills fit into a minute. */
export const copyToMemory = (world: string): string => copyWorld(world, mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir(), 'portal-faults-')));
