import { randomBytes } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { digestOf, Person } from './support/person.ts';
import { Portal } from './support/portal.ts';
import { copyToMemory } from './support/world.ts';

const PARTS = 3;
const PART = 300_000;

test('a resumable upload continues from the last acknowledged part after each kill of the portal and is complete', async () => {
  const portal = await Portal.start({ folder: copyToMemory(inject('world')) });
  const olivia = await new Person(portal.origin, 'olivia@juniper.example').arrive();
  const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(PARTS * PART - 9)]);
  const metadata = Object.entries({
    filename: 'Killed.pdf',
    containerType: 'Client',
    containerId: olivia.clientId,
    onConflict: 'rename',
  }).map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`);
  const begun = await olivia.ask('/api/storage/v1/uploads', {
    method: 'POST',
    headers: { 'upload-length': String(bytes.length), 'upload-metadata': metadata.join(',') },
  });
  const address = begun.headers.get('location') ?? '';
  const told: number[] = [];
  let last = begun;
  for (let part = 0; part < PARTS; part += 1) {
    last = await olivia.ask(address, {
      method: 'PATCH',
      headers: { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(part * PART) },
      body: new Blob([bytes.subarray(part * PART, (part + 1) * PART)]).stream(),
    });
    await portal.end('SIGKILL');
    await portal.again();
    told.push(Number((await olivia.ask(address, { method: 'HEAD' })).headers.get('upload-offset')));
  }
  expect(told).toEqual(Array.from({ length: PARTS }, (_, part) => (part + 1) * PART));
  const { data } = JSON.parse(last.body.toString()) as { data: { sha256: string; id: string }[] };
  expect(data[0]?.sha256).toBe(digestOf(bytes));
  const kept = await olivia.ask(`/api/storage/v1/clients/${olivia.clientId}/documents/${data[0]?.id}`);
  expect(digestOf(kept.body)).toBe(digestOf(bytes));
  await portal.end('SIGTERM');
});
