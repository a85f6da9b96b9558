import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { pdfOf } from '../support/pdf.ts';
import { releaseJobs, rowsIn } from './support/database.ts';
import { Person } from './support/person.ts';
import { Portal } from './support/portal.ts';
import { copyToMemory } from './support/world.ts';

const TITLE = 'Sealed in spite of kills';

test('a document whose sealing is killed again and again is sealed once, filed once, and completes its task', async () => {
  const portal = await Portal.start({ folder: copyToMemory(inject('world')) });
  const file = path.join(portal.start.folder, 'data/portal.db');
  const marcus = await new Person(portal.origin, 'marcus@holdings.example').arrive();
  await askToSign(await new Person(portal.origin, 'hart@maplehart.example').arrive(), marcus.clientId);
  const [{ task_id: taskId = '', client_id: clientId = '', prepared_sha256: sha256 = '' } = {}] = rowsIn(
    file,
    `select task_id, client_id, prepared_sha256 from sign_documents where title = '${TITLE}'`,
  );
  const page = `/clientcenter/en-us/tasks/clients/${clientId}/task/${taskId}`;
  const { body } = await marcus.ask(`${page}?step=agree`);
  const version = /name="version" value="(\w{64})"/.exec(body.toString())?.[1] ?? '';
  await marcus.form(page, { form: 'agree', version, canOpen: 'on', agree: 'on' });
  await marcus.form(page, { form: 'sign', sha256: String(sha256), timeZone: 'UTC', drawing: '', name: 'M' });
  expect(stateOf(file), 'the signature completes the request').toMatch(/^signed|sealed$/);
  let interrupted = 0;
  for (let kills = 1; kills <= 3; kills += 1) {
    // its thread seals now, unless it was quicker
    await expect
      .poll(() => attemptsOf(file) >= kills || stateOf(file) === 'sealed', { interval: 1 })
      .toBe(true);
    await portal.end('SIGKILL');
    const state = stateOf(file);
    if (state === 'signed') interrupted += 1;
    expect(sealedOf(file), `killed while ${state}`).toBe(state === 'sealed' ? 1 : 0);
    releaseJobs(file, 'seal-signed');
    await portal.again();
  }
  expect(interrupted, 'a kill came in the middle').toBeGreaterThan(0);
  await expect.poll(() => stateOf(file)).toBe('sealed');
  expect(sealedOf(file)).toBe(1);
  expect(
    rowsIn(file, `select document_id from documents where name = 'Fees (signed).pdf'`),
    'one sealed document',
  ).toHaveLength(1);
  expect(rowsIn(file, `select status from tasks where task_id = '${String(taskId)}'`)).toEqual([
    { status: 'Done' },
  ]);
  await portal.end('SIGTERM');
});

/** Asks Marcus for a signature, as the pages of staff do it. */
async function askToSign(hart: Person, clientId: string): Promise<void> {
  const begin = `/clientcenter/en-us/staff/tasks/sign?to=${clientId}`;
  const { body } = await hart.ask(begin);
  const contactId = /value="(contact_[\w-]+)"[^>]*>\s*Marcus/.exec(body.toString())?.[1] ?? '';
  const form = new FormData();
  form.append('file', new File([new Uint8Array(pdfOf(['Fees']))], 'Fees.pdf'));
  const uploaded = await hart.ask(`/api/client-center/v3/signing/clients/${clientId}/documents`, {
    method: 'POST',
    body: form,
  });
  const { data } = JSON.parse(uploaded.body.toString()) as { data: { id: string } };
  const begun = await hart.form(begin, {
    form: 'request',
    document: data.id,
    title: TITLE,
    'signers.count': '1',
    'signers[0].contact': contactId,
    'signers[0].order': '1',
    identity: 'none',
  });
  const draft = begun.headers.get('location') ?? '';
  await hart.form(draft, { form: 'fields:place', 'fields.count': '1' });
  const row = { kind: 'signature', signer: '1', page: '1', x: '10', y: '80', width: '30', height: '5' };
  await hart.form(draft, {
    form: 'fields:send',
    'fields.count': '1',
    ...Object.fromEntries(Object.entries(row).map(([key, value]) => [`fields[0].${key}`, value])),
    'fields[0].required': 'on',
  });
}

const stateOf = (file: string): string =>
  String(rowsIn(file, `select state from sign_documents where title = '${TITLE}'`)[0]?.['state']);

/** How often the evidence says that it was sealed. */
const sealedOf = (file: string): number =>
  rowsIn(
    file,
    `select sequence from sign_evidence join sign_documents using (signing_id)
       where title = '${TITLE}' and kind = 'sealed'`,
  ).length;

const attemptsOf = (file: string): number =>
  Number(
    rowsIn(file, `select attempts from jobs where kind = 'seal-signed' order by created_at desc`)[0]?.[
      'attempts'
    ],
  );
