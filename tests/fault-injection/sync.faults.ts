import { expect, inject, test } from 'vitest';
import { compare, Ledger, verify } from './support/ledger.ts';
import { Person } from './support/person.ts';
import { Portal } from './support/portal.ts';
import { report } from './support/report.ts';
import { copyWorld } from './support/world.ts';

const UPLOADS = Number(process.env['TIMES'] ?? 60);

test('a failing write or sync is never acknowledged, and nothing of it becomes visible', async () => {
  const portal = await Portal.start({
    folder: copyWorld(inject('world')),
    preload: ['disk-preload.ts'],
    env: { FAULTS_ONE_IN: '8' },
  });
  const olivia = await new Person(portal.origin, 'olivia@juniper.example').arrive();
  const ledger = new Ledger();
  const refused: string[] = [];
  for (let i = 0; i < UPLOADS; i += 1) {
    const name = `w0-${i}-${1000 + ((i * 40_961) % 600_000)}.pdf`; // half of them synced by their only write
    const answer = await olivia.uploadAs([name]);
    if (ledger.noteDocuments(answer).length === 0) refused.push(name);
  }
  const listed = (await olivia.documents()).map(({ name }) => name);
  const injected = [...portal.said.matchAll(/^injected (\w+)/gm)].map((match) => match[1]);
  report('EIO at write, fdatasync and sync', {
    uploads: UPLOADS,
    injected: injected.length,
    kinds: [...new Set(injected)].join(' '),
    acknowledged: ledger.documents.length,
    refused: refused.length,
    'acknowledged after a failure': injected.length - refused.length,
  });

  expect(new Set(injected), 'each kind of failure was there').toEqual(
    new Set(['writev', 'fdatasync', 'sync']),
  );
  expect(refused.length, 'every failure is an upload that was refused').toBe(injected.length);
  expect(listed.filter((name) => refused.includes(name))).toEqual([]);
  expect(await compare(olivia, ledger)).toEqual({ lost: [], torn: [], twice: [] });
  await portal.end('SIGTERM');
  const left = (await verify(portal, 2 * 3_600_000)).filter((fault) => !fault.includes('faults.'));
  expect(left, 'a failed upload leaves nothing in the store').toEqual([]);
});
