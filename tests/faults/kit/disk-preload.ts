// Loaded before the portal: every FAULTS_EVERY-th write, datasync and sync of a file fails as on a disk that breaks.
import { open, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const every = Number(process.env['FAULTS_EVERY']);
const probe = path.join(os.tmpdir(), `portal-probe-${process.pid}`);
const file = await open(probe, 'w');
const prototype = Object.getPrototypeOf(file) as Record<string, (...given: unknown[]) => Promise<unknown>>;
await file.close();
await rm(probe);

let calls = 0;
for (const name of ['writev', 'datasync', 'sync']) {
  const real = prototype[name];
  if (!real) throw new Error(`A file has no ${name}: this wrapper wraps nothing.`);
  prototype[name] = function (this: unknown, ...given: unknown[]) {
    calls += 1;
    if (calls % every !== 0) return real.apply(this, given);
    process.stdout.write(`injected ${name}\n`);
    return Promise.reject(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }));
  };
}
