import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Half of the time after which an idle thread ends by itself. */
const LIMIT = 30_000;

const PROGRAM = `
  import { Readable } from 'node:stream';
  import { drawPage } from '#features/documents/viewer/worker.server.ts';
  const bytes = () => Readable.from((async function* () { throw new Error('damaged'); })());
  const source = { key: 'a file', bytes, asker: { person: 'ada', firm: 'maple' } };
  await drawPage(source, { page: 1, width: 160 }).catch((error) => console.log(error.message));
`;

test('a thread whose first file cannot be read does not keep the portal from exiting', async () => {
  const node = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    timeout: LIMIT,
  });
  expect((await node).stdout).toBe('damaged\n');
}, 60_000);
