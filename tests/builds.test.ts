import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { makeCurrent, newBuildIn } from '../scripts/builds.mjs';

/* A build is exchanged under a running portal, whose pages go on working until it is restarted. */

let dist: string;
let hour = 0;
beforeEach(() => {
  dist = mkdtempSync(path.join(os.tmpdir(), 'portal-builds-'));
});

/** Writes a build, each at a time of its own, without making it the current one. */
function write(content: string): string {
  const clock = vi.spyOn(Date, 'now').mockReturnValue((hour += 3_600_000));
  const folder = newBuildIn(dist);
  clock.mockRestore();
  for (const part of ['client', 'server']) {
    mkdirSync(path.join(folder, part));
    writeFileSync(path.join(folder, part, 'file'), content);
  }
  return folder;
}
const build = (content: string): void => makeCurrent(dist, write(content));
const current = (): string[] =>
  ['client', 'server'].map((part) => readFileSync(path.join(dist, part, 'file'), 'utf8'));

test('a build replaces the one before, whose files stay for the portal that runs from them', () => {
  build('first');
  const running = realpathSync(path.join(dist, 'server'));
  build('second');
  expect(current()).toEqual(['second', 'second']);
  for (const part of ['client', 'server'])
    expect(readFileSync(path.join(running, '..', part, 'file'), 'utf8')).toBe('first');
});

test('five builds are kept, and one that was interrupted leaves the current one', () => {
  for (const content of ['1', '2', '3', '4', '5']) build(content);
  write('interrupted');
  expect(current()).toEqual(['5', '5']);
  build('6');
  expect(current()).toEqual(['6', '6']);
  const kept = globSync('builds/*/server/file', { cwd: dist }).map((file) =>
    readFileSync(path.join(dist, file), 'utf8'),
  );
  expect(kept.toSorted()).toEqual(['3', '4', '5', '6', 'interrupted']);
});

test('a build replaces one that was made in place, and links that an interruption left', () => {
  for (const part of ['client', 'server']) {
    mkdirSync(path.join(dist, part));
    writeFileSync(path.join(dist, part, 'file'), 'in place');
  }
  symlinkSync('nowhere', path.join(dist, 'server.next'));
  build('first');
  expect(current()).toEqual(['first', 'first']);
  expect(existsSync(path.join(dist, 'server.next'))).toBe(false);
});
