import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { releaseJobs, rowsIn } from './support/database.ts';
import { Person } from './support/person.ts';
import { Portal } from './support/portal.ts';
import { copyToMemory } from './support/world.ts';

const FILES_EACH = 5;
const CLIENTS = 30;

test('a batch that a kill interrupts has published all files of a client or none, and continues where it was', async () => {
  const portal = await Portal.start({ folder: copyToMemory(inject('world')) });
  const file = path.join(portal.start.folder, 'data/portal.db');
  const hart = await new Person(portal.origin, 'hart@maplehart.example').arrive();
  const begun = await hart.form('/clientcenter/en-us/staff/publish', {
    form: 'batch',
    name: 'Payslips',
    folder: 'Payslips {year}',
    year: '2026',
  });
  const page = begun.headers.get('location') ?? '';
  const id = /batch_[\w-]+/.exec(page)?.[0] ?? '';
  const numbers = rowsIn(
    file,
    `select code from clients where archived_at is null and company_id in
       (select company_id from publish_batches where batch_id = '${id}') order by code limit ${CLIENTS}`,
  ).map((row) => String(row['code']));
  for (const number of numbers) {
    const form = new FormData();
    for (let each = 1; each <= FILES_EACH; each += 1)
      form.append('file[]', new File([`%PDF-1.7\n${number} ${each}`], `${number} payslip ${each}.pdf`));
    const { status } = await hart.ask(`/api/storage/v1/publish-batches/${id}/files`, {
      method: 'POST',
      body: form,
    });
    expect(status).toBe(200);
  }
  await hart.form(page, { act: 'match' });
  await expect.poll(() => stateOf(file, id)).toBe('open');
  const ready = countOf(file, `client_id is not null and problem is null`, id);
  expect(ready, 'the files name their clients').toBeGreaterThan(FILES_EACH * 10);
  await hart.form(page, { act: 'publish' });
  await expect.poll(() => countOf(file, 'document_id is not null', id), { interval: 1 }).toBeGreaterThan(0);
  await portal.end('SIGKILL');
  const published = countOf(file, 'document_id is not null', id);
  expect(published, 'the kill came in the middle').toBeLessThan(ready);
  expect(halfPublished(file, id)).toEqual([]);
  releaseJobs(file, 'publish');
  await portal.again();
  await expect.poll(() => countOf(file, 'document_id is not null', id)).toBe(ready);
  expect(
    rowsIn(
      file,
      `select name from documents where created_at > 0 and deleted_at is null and name like '%payslip _.pdf'`,
    ),
  ).toHaveLength(ready);
  await portal.end('SIGTERM');
});

const countOf = (file: string, condition: string, batch: string): number =>
  Number(
    rowsIn(
      file,
      `select count(*) as count from publish_files where batch_id = '${batch}' and ${condition}`,
    )[0]?.['count'],
  );

const stateOf = (file: string, batch: string): unknown =>
  rowsIn(file, `select state from publish_batches where batch_id = '${batch}'`)[0]?.['state'];

/** The clients of whom some files are published and some not. */
const halfPublished = (file: string, batch: string): unknown[] =>
  rowsIn(
    file,
    `select client_id from publish_files where batch_id = '${batch}' and client_id is not null and problem is null
     group by client_id having count(document_id) not in (0, count(*))`,
  );
