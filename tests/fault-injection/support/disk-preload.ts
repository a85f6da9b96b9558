// Preloaded into the portal: one in FAULTS_ONE_IN writes, datasyncs and syncs of a file fails as on a broken
// disk.
import { open, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const oneIn = Number(process.env['FAULTS_ONE_IN']);
const probe = path.join(os.tmpdir(), `portal-probe-${process.pid}`);
const file = await open(probe, 'w');
const prototype = Object.getPrototypeOf(file) as Record<string, (...given: unknown[]) => Promise<unknown>>;
await file.close();
await rm(probe);

let seed = 11;
const chance = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
for (const name of ['writev', 'datasync', 'sync']) {
  const real = prototype[name];
  if (!real) throw new Error(`A file has no ${name}: this wrapper wraps nothing.`);
  prototype[name] = function (this: unknown, ...given: unknown[]) {
    if (chance() >= 1 / oneIn) return real.apply(this, given);
    process.stdout.write(`injected ${name}\n`);
    return Promise.reject(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }));
  };
}
