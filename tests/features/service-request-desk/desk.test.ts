import { describe, expect, test } from 'vitest';
import { setFlag } from '#features/base/access/access.server.ts';
import { runPart } from '#features/base/batches/running.server.ts';
import { gridQueryOf } from '#features/base/grids/define.server.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import { assignClient } from '#features/base/people/rights.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import {
  loadBatch,
  beginBatch,
  countAssigned,
  listRows,
  prepareBatch,
  recipientsOfBatch,
  undoBatch,
} from '#features/brazil/service-request-desk/batches.server.ts';
import type { DeskAction } from '#features/brazil/service-request-desk/desk.ts';
import { queueGrid } from '#features/brazil/service-request-desk/queue-grid.server.ts';
import { assignRequest, performAction } from '#features/brazil/service-requests/acting.server.ts';
import { beginRequest } from '#features/brazil/service-requests/beginning.server.ts';
import { promisedDay, urgencyOf } from '#features/brazil/service-requests/deadlines.ts';
import { saveSection } from '#features/brazil/service-requests/saving.server.ts';
import { requestRow } from '#features/brazil/service-requests/scope.server.ts';
import { archiveClients, restoreClients } from '#features/clients/clients/archiving.server.ts';
import { changeSettings } from '#features/brazil/service-requests/settings.server.ts';
import { uploadToRequest } from '#features/brazil/service-requests/files.server.ts';
import { calendarOf } from '#features/base/work-calendars/calendar.ts';
import { db } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { DAY, HOUR } from '#platform/runtime/clock.server.ts';
import { apiAs } from '../../support/api.ts';
import { makeCast, person, standAt, uploadAs } from '../../support/cast.ts';
import { NO_QUERY } from '../../support/grid-query.ts';
import { storeClient } from '../../support/store-client.ts';
import { Readable } from 'node:stream';
import '../../../src/app.server.ts';

const { firmOne, ada, sam, tom, clientA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const rita = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });
await setFlag(olga, 'ServiceRequest.Denied', false);
const contact = await actorOf(ada.contactId);
const staff = await actorOf(sam.contactId);
const NOON = Date.UTC(2026, 10, 27, 15);
standAt(NOON);

const PATH = '/api/service-request/v1/exports';

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => refusal(error)?.code ?? String(error),
  );

/** A general request of a client that was sent. */
async function sent(subject = 'Segunda via do holerite', file?: string): Promise<string> {
  const id = await beginRequest(contact, { clientId: clientA, type: 'generalRequests' });
  const form = new FormData();
  for (const [name, value] of Object.entries({ subject, department: 'payroll', text: 'Por favor.' }))
    form.append(`request.${name}`, value);
  await saveSection(contact, id, { section: 'request', form, lang: 'pt' });
  if (file !== undefined)
    await uploadToRequest(contact, id, 'request.files', {
      name: file,
      bytes: Readable.from([Buffer.from('%PDF-1.4 of a test')]),
    });
  await performAction(contact, id, 'submit');
  return id;
}

/** The same, to which the firm has put a question. */
async function asked(): Promise<string> {
  const id = await sent();
  await performAction(staff, id, 'ask', { text: 'De qual mês?' });
  return id;
}

const listed = async (actor: Actor, fields: Record<string, string>): Promise<string[]> =>
  (await readGrid(queueGrid, actor, { ...NO_QUERY, fields })).rows.map(({ requestId }) => requestId);

/** What a batch says of each of its requests. */
async function outcomes(actor: Actor, batchId: string): Promise<string[]> {
  const { rows } = await listRows(actor, batchId, { show: 'all', from: 0 }, 'pt');
  return rows.map(({ state, problem }) => [state, problem].join(' ').trim());
}

const responsibleFor = async (id: string): Promise<string | null> =>
  (await requestRow(staff, id)).responsible;

const remindersTo = async (actor: Actor): Promise<number> =>
  (
    await db()
      .selectFrom('mails')
      .select('subject')
      .where('kind', '=', 'service-request')
      .where('contact_id', '=', actor.contactId)
      .execute()
  ).length;

describe('the queue', () => {
  test('has first what the firm must do, by the nearest of the two dates, then what clients must, then what is over', async () => {
    const [later, soon, waiting, over] = [await sent(), await sent(), await asked(), await sent()];
    const set = (id: string, dates: { due_on?: string; promised_on?: string }) =>
      db().updateTable('service_requests').set(dates).where('request_id', '=', id).execute();
    await set(later, { due_on: '2026-12-20', promised_on: '2026-12-18' });
    await set(soon, { due_on: '2026-12-10', promised_on: '2026-12-19' });
    await performAction(staff, over, 'reply', { text: 'Feito.' });
    expect(await listed(staff, { view: 'all' })).toEqual([soon, later, waiting, over]);
    expect(await listed(staff, { view: 'open' })).toEqual([soon, later]);
    expect(await listed(staff, { view: 'client' })).toEqual([waiting]);
    expect(await listed(staff, { view: 'done' })).toEqual([over]);
    standAt(Date.UTC(2026, 11, 19, 15));
    expect(await listed(staff, { view: 'late' })).toEqual([soon, later]);
    standAt(Date.UTC(2026, 11, 12, 15));
    expect(await listed(staff, { view: 'late' })).toEqual([soon]);
    standAt(NOON);
    await assignRequest(staff, later, { responsible: staff.contactId });
    expect(await listed(staff, { view: 'mine' })).toEqual([later]);
    expect(await listed(staff, { responsible: 'nobody', view: 'open' })).toEqual([soon]);
    expect(await listed(staff, { status: 'WaitingForClient' })).toEqual([waiting]);
  });

  test('finds requests by their number and by the name of the client', async () => {
    const id = await sent();
    const { year, number } = await requestRow(staff, id);
    const found = async (searchTerm: string) =>
      (await readGrid(queueGrid, staff, { ...NO_QUERY, searchTerm })).rows.map((row) => row.requestId);
    expect(await found(`${year}-${String(number).padStart(6, '0')}`)).toEqual([id]);
    expect(await found(String(number))).toEqual([id]);
    expect(await found('zzzz')).toEqual([]);
  });

  test('is only for staff, and has only requests of their clients', async () => {
    expect(await codeOf(readGrid(queueGrid, contact, NO_QUERY))).toBe('FORBIDDEN');
    expect(await listed(await actorOf(tom.contactId), {})).toEqual([]);
    const other = await storeClient(firmOne, { name: 'Other Ltda', code: 'O-1' });
    const begun = await beginRequest(olga, { clientId: other, type: 'generalRequests' });
    expect(await listed(olga, {})).toContain(begun);
    const paul = await person(firmOne, 'Paul Part', 'paul@one.example', {
      role: 'member',
      hasAllClients: false,
    });
    expect(await listed(paul, {})).toEqual([]);
    await assignClient(other, paul.contactId);
    expect(await listed(paul, {})).toEqual([begun]);
    const query = gridQueryOf(queueGrid, queueGrid.parameters.parse({ sort: '-due' }));
    expect((await readGrid(queueGrid, olga, query)).rows.length).toBeGreaterThan(0);
  });

  test('promises an answer in business days of the firm, while it waits for one', async () => {
    await changeSettings(olga, 'generalRequests', {
      isOpen: true,
      lapseDays: 30,
      promiseDays: 2,
      questions: {},
    });
    const id = await sent(); // on a Friday
    expect((await requestRow(staff, id)).promised_on).toBe('2026-12-01');
    await performAction(staff, id, 'ask', { text: 'De qual mês?' });
    expect((await requestRow(staff, id)).promised_on).toBeNull();
    await performAction(contact, id, 'answer', { text: 'De outubro.' });
    expect((await requestRow(staff, id)).promised_on).toBe('2026-12-01');
  });

  test('says how urgent a request is', () => {
    const open = { status: 'WaitingForAnswer', dueOn: null, promisedOn: null, isMinimum: false } as const;
    const today = '2026-11-27';
    expect(urgencyOf(open, today)).toBeUndefined();
    expect(urgencyOf({ ...open, dueOn: '2026-11-26' }, today)).toBe('late');
    expect(urgencyOf({ ...open, promisedOn: '2026-11-26' }, today)).toBe('late');
    expect(urgencyOf({ ...open, promisedOn: today }, today)).toBeUndefined();
    expect(urgencyOf({ ...open, dueOn: today }, today)).toBe('urgent');
    expect(urgencyOf({ ...open, isMinimum: true }, today)).toBe('urgent');
    expect(urgencyOf({ ...open, dueOn: '2026-11-30' }, today)).toBe('near');
    expect(urgencyOf({ ...open, dueOn: '2026-12-01' }, today)).toBeUndefined();
    expect(urgencyOf({ ...open, status: 'WaitingForClient', dueOn: '2026-11-01' }, today)).toBeUndefined();
    const { isBankDay } = calendarOf({ own: ['2026-11-30'] });
    expect(promisedDay(today, 1, isBankDay)).toBe('2026-12-01');
  });
});

describe('many requests', () => {
  const prepare = (action: DeskAction, ids: readonly string[], by: Actor = staff): Promise<string> =>
    prepareBatch(by, action, ids);

  test('are taken on but for those for which somebody is responsible, and given back', async () => {
    const [free, hers] = [await sent(), await sent()];
    await assignRequest(olga, hers, { responsible: olga.contactId });
    const batch = await prepare('take', [free, hers]);
    await beginBatch(staff, batch);
    expect(await responsibleFor(free)).toBe(staff.contactId);
    expect(await responsibleFor(hers)).toBe(olga.contactId);
    expect((await outcomes(staff, batch)).toSorted()).toEqual(['done', 'skipped TAKEN']);
    await undoBatch(staff, batch);
    expect(await responsibleFor(free)).toBeNull();
    expect((await loadBatch(staff, batch)).state).toBe('undone');
  });

  test('are assigned, and the assignment undone, unless someone else has assigned them in the meantime', async () => {
    const [first, second, third] = [await sent(), await sent(), await sent()];
    const batch = await prepare('assign', [first, second, third]);
    expect(await countAssigned(staff, batch)).toBe(0);
    expect(await codeOf(beginBatch(staff, batch))).toBe('NOT_POSSIBLE');
    expect(await codeOf(beginBatch(staff, batch, contact.contactId))).toBe('NOT_FOUND');
    await assignRequest(olga, second, { responsible: olga.contactId });
    await beginBatch(staff, batch, staff.contactId);
    expect(await outcomes(staff, batch)).toEqual(['done', 'failed CHANGED', 'done']);
    expect(await responsibleFor(second)).toBe(olga.contactId);
    await assignRequest(olga, third, { responsible: olga.contactId });
    await undoBatch(staff, batch);
    expect(await outcomes(staff, batch)).toEqual(['undone', 'failed CHANGED', 'kept CHANGED']);
    expect(await responsibleFor(first)).toBeNull();
    expect(await responsibleFor(third)).toBe(olga.contactId);
    expect(await countAssigned(staff, await prepare('assign', [first, third]))).toBe(1);
  });

  test('are reminded of in one mail to each contact, and not again for a day', async () => {
    const ids = [await asked(), await asked()];
    const withFirm = await sent();
    const before = await remindersTo(contact);
    const [batch, other] = [
      await prepare('remind', [...ids, withFirm]),
      await prepare('remind', ids, await actorOf(olga.contactId)),
    ];
    expect((await recipientsOfBatch(staff, batch)).flatMap(({ names }) => names)).toContain('Ada Amber');
    expect(await remindersTo(contact)).toBe(before);
    await beginBatch(staff, batch);
    expect((await outcomes(staff, batch)).toSorted()).toEqual(['done', 'done', 'skipped STATUS']);
    expect(await remindersTo(contact)).toBe(before + 1);
    // what another member of staff has prepared before reminds nobody a second time
    await beginBatch(olga, other);
    expect(await outcomes(olga, other)).toEqual(['failed TOO_SOON', 'failed TOO_SOON']);
    expect(await outcomes(staff, await prepare('remind', ids))).toEqual([
      'skipped TOO_SOON',
      'skipped TOO_SOON',
    ]);
    expect(await remindersTo(contact)).toBe(before + 1);
    standAt(NOON + DAY + HOUR);
    const again = await prepare('remind', ids);
    await beginBatch(staff, again);
    expect(await outcomes(staff, again)).toEqual(['done', 'done']);
    expect(await remindersTo(contact)).toBe(before + 2);
    expect(await codeOf(undoBatch(staff, again))).toBe('NOT_POSSIBLE');
    standAt(NOON);
  });

  test('of a client without a contact are not reminded of, and the list says so', async () => {
    const lonely = await storeClient(firmOne, { name: 'Sem Contato Ltda', code: 'S-1' });
    const id = await beginRequest(olga, { clientId: lonely, type: 'generalRequests' });
    await db()
      .updateTable('service_requests')
      .set({ status: 'WaitingForClient' })
      .where('request_id', '=', id)
      .execute();
    const batch = await prepare('remind', [id], olga);
    expect(await outcomes(olga, batch)).toEqual(['skipped UNREACHED']);
    expect(await recipientsOfBatch(olga, batch)).toMatchObject([{ unreached: 'no-contact' }]);
  });

  test('of an archived client are not reminded of, even if it was archived in the meantime', async () => {
    const id = await asked();
    const before = await remindersTo(contact);
    const batch = await prepare('remind', [id]);
    await archiveClients(olga, [clientA]);
    await beginBatch(staff, batch);
    expect(await outcomes(staff, batch)).toEqual(['failed UNREACHED']);
    const again = await prepare('remind', [id]);
    expect(await outcomes(staff, again)).toEqual(['skipped UNREACHED']);
    expect(await recipientsOfBatch(staff, again)).toEqual([]);
    await restoreClients(olga, [clientA]);
    expect(await remindersTo(contact)).toBe(before);
  });

  test('that were done twice in two jobs are done once', async () => {
    const ids = [await asked()];
    const batch = await prepare('remind', ids);
    const before = await remindersTo(contact);
    await Promise.all([
      beginBatch(staff, batch),
      codeOf(beginBatch(staff, batch)),
      runPart({ batchId: batch, state: 'running', position: 0 }),
    ]);
    expect(await remindersTo(contact)).toBe(before + 1);
  });

  test('are nothing for readers, contacts and staff of others', async () => {
    const id = await sent();
    expect(await codeOf(prepare('assign', [id], rita))).toBe('FORBIDDEN');
    expect(await codeOf(prepare('assign', [id], contact))).toBe('FORBIDDEN');
    expect(await codeOf(prepare('assign', [id], await actorOf(tom.contactId)))).toBe('NOT_FOUND');
    expect(await codeOf(prepare('assign', []))).toBe('EMPTY');
    const batch = await prepare('assign', [id]);
    expect(await codeOf(loadBatch(olga, batch))).toBe('NOT_FOUND');
    expect(await codeOf(loadBatch(await actorOf(tom.contactId), batch))).toBe('NOT_FOUND');
  });

  test('are exported as JSON, as a table, and as an archive with their files', async () => {
    const [plain, withFile] = [await sent('Um assunto'), await sent('Outro assunto', 'atestado.pdf')];
    const draft = await beginRequest(staff, { clientId: clientA, type: 'generalRequests' });
    const { id: payslip } = await uploadAs(
      staff,
      { id: clientA, containerType: 'Client' },
      'holerite.pdf',
      'the payslip itself',
    );
    await performAction(staff, withFile, 'reply', { text: 'Segue.', documentIds: [payslip] });
    const call = apiAs(staff);
    const answer = await call('POST', PATH, { json: { ids: [plain, withFile, draft] } });
    const { data: batch } = (await answer.json()) as { data: string };
    expect((await outcomes(staff, batch)).toSorted()).toEqual(['skipped NOT_SENT', 'waiting', 'waiting']);
    const fetched = (format: string, by = call) => by('GET', `${PATH}/${batch}?format=${format}&lang=pt`);
    const all = (await (await fetched('json')).json()) as { answers: { display: string }[] }[];
    expect(all).toHaveLength(2);
    expect(JSON.stringify(all)).toContain('Outro assunto');
    const table = await (await fetched('csv')).text();
    expect(table.match(/^.*Um assunto.*$/gm)).toHaveLength(1);
    expect(table.startsWith('number;type;')).toBe(true);
    const archive = Buffer.from(await (await fetched('zip')).arrayBuffer()).toString('latin1');
    for (const name of [
      '/request.json',
      '/answers.csv',
      '/files/atestado.pdf',
      '/reply/holerite.pdf',
      'index.csv',
    ])
      expect(archive).toContain(name);
    expect(archive).toContain('%PDF-1.4 of a test');
    expect(archive).toContain('the payslip itself');
    expect(JSON.stringify(all)).toContain('"replyFiles":[{"document":');
    const { n } = await db()
      .selectFrom('audit')
      .select((e) => e.fn.countAll<number>().as('n'))
      .where('action', '=', 'service-request.export')
      .where('target', '=', withFile)
      .executeTakeFirstOrThrow();
    expect(Number(n)).toBe(3);
    expect((await fetched('json', apiAs(olga))).status).toBe(404);
    expect((await fetched('json', apiAs(rita))).status).toBe(403);
    expect((await fetched('json', apiAs(contact))).status).toBe(403);
    expect(await codeOf(beginBatch(staff, batch))).toBe('NOT_POSSIBLE');
  });
});
