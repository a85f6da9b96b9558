import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { releaseJobs, rowsIn } from './support/database.ts';
import { Person, type Answer } from './support/person.ts';
import { Portal } from './support/portal.ts';
import { copyToMemory } from './support/world.ts';

const ROWS = 6000;
/** Kills while it imports: each one third further. */
const KILLS = [0.1, 0.4, 0.7];
const CODES = Array.from({ length: ROWS }, (_, index) => `KILL-${String(index).padStart(4, '0')}`);

test('an import that is killed several times ends with every row once, and its undo removes exactly those', async () => {
  const portal = await Portal.start({ folder: copyToMemory(inject('world')) });
  const file = path.join(portal.start.folder, 'data/portal.db');
  const hart = await new Person(portal.origin, 'hart@maplehart.example').arrive();
  const before = otherClients(file);
  const table = ['code,name', ...CODES.map((code) => `${code},Client ${code}`)].join('\n');
  const form = new FormData();
  form.append('file', new File([table], 'clients.csv'));
  const { body } = await hart.ask('/api/client-center/v1/imports?kind=clients', {
    method: 'POST',
    body: form,
  });
  const { data: id } = JSON.parse(body.toString()) as { data: string };
  const post = (fields: string): Promise<Answer> =>
    hart.ask(`/clientcenter/en-us/staff/imports/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: fields,
    });
  const current = () =>
    rowsIn(file, `select state, position from batches where batch_id = '${id}'`)[0] as unknown as {
      state: string;
      position: number;
    };
  const stateIs = (state: string) => expect.poll(() => current().state, { interval: 20 }).toBe(state);
  let starting: Promise<void> = Promise.resolve();
  /** Kills the portal once the step has passed so many rows, checks what is there, and starts it again. */
  const killAfter = async (rows: number, state: string) => {
    await expect.poll(() => current().position, { interval: 1 }).toBeGreaterThanOrEqual(rows);
    await portal.end('SIGKILL');
    expect(current(), 'the kill came in the middle').toMatchObject({ state });
    expect(imported(file), 'rows that are done have their clients, and no others').toEqual(done(file, id));
    releaseJobs(file, 'batch');
    starting = portal.again().catch(() => undefined); // the next kill may come before it is ready
  };

  await post('act=check&field=code&field=name');
  await stateIs('ready');
  await post('act=import');
  for (const part of KILLS) await killAfter(ROWS * part, 'running');
  await stateIs('done');
  expect(imported(file)).toEqual(CODES);
  await starting;

  await post('act=undo');
  await killAfter(ROWS / 2, 'undoing');
  await stateIs('undone');
  expect(imported(file)).toEqual([]);
  expect(otherClients(file)).toEqual(before);
  await portal.end('SIGTERM');
});

const imported = (file: string): unknown[] =>
  rowsIn(file, `select code from clients where code like 'KILL-%' order by code`).map(({ code }) => code);

/** The numbers of the clients that the rows of an import have created, from the ids in these rows. */
const done = (file: string, id: string): unknown[] =>
  rowsIn(
    file,
    `select clients.code from import_rows left join clients on clients.client_id = import_rows.target_id
     where import_rows.import_id = '${id}' and import_rows.state = 'done' order by clients.code`,
  ).map(({ code }) => code);

const otherClients = (file: string): unknown[] =>
  rowsIn(file, `select * from clients where code not like 'KILL-%' order by client_id`);
