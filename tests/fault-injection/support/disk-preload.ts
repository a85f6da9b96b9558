// Preloaded into the portal: one in FAULTS_ONE_IN writes, datasyncs and syncs of a file fails as on a broken
// disk.
import fs from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';

type Call = (...given: unknown[]) => unknown;

const oneIn = Number(process.env['FAULTS_ONE_IN']);
const probe = path.join(os.tmpdir(), `portal-probe-${process.pid}`);
const file = await open(probe, 'w');
const handles = Object.getPrototypeOf(file) as Record<string, Call>;
await file.close();
await rm(probe);

let seed = 11;
const chance = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;

function breakSometimes(
  holder: Record<string, Call>,
  name: string,
  fail: (given: unknown[], error: Error) => unknown,
) {
  const real = holder[name];
  if (!real) throw new Error(`There is no ${name}: this wrapper wraps nothing.`);
  const broken = function (this: unknown, ...given: unknown[]): unknown {
    if (chance() >= 1 / oneIn) return real.apply(this, given);
    process.stdout.write(`injected ${name}\n`);
    return fail(given, Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }));
  };
  // with what util.promisify reads
  holder[name] = Object.defineProperties(broken, Object.getOwnPropertyDescriptors(real));
}

const tellCallback = (given: unknown[], error: Error): void => process.nextTick(given.at(-1) as Call, error);
breakSometimes(fs as never, 'writev', tellCallback);
breakSometimes(fs as never, 'fdatasync', tellCallback);
breakSometimes(handles, 'sync', (_, error) => Promise.reject(error));
syncBuiltinESMExports();
