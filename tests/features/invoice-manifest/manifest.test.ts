import '../../../src/app.server.ts';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { setFlag } from '#features/base/access/access.server.ts';
import { gridQueryOf } from '#features/base/grids/define.server.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import { actorOf, decideAccess } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { restoreContact } from '#features/base/people/rights.server.ts';
import { listInvoices } from '#features/brazil/invoice-manifest/documents.server.ts';
import { invoiceGrid, worklistGrid } from '#features/brazil/invoice-manifest/grids.server.ts';
import {
  acceptIntent,
  listIntents,
  markInvoice,
  refuseIntent,
  takeBackAcceptance,
  withdrawMark,
} from '#features/brazil/invoice-manifest/intents.server.ts';
import { documentQuery, type Invoice } from '#features/brazil/invoice-manifest/invoice-manifest.ts';
import { remindOfInvoices } from '#features/brazil/invoice-manifest/notices.server.ts';
import { recordEvent } from '#features/brazil/invoice-manifest/registering.server.ts';
import { changeManifestSettings } from '#features/brazil/invoice-manifest/settings.server.ts';
import { archiveClients } from '#features/clients/clients/archiving.server.ts';
import { createClient, updateClient } from '#features/clients/clients/editing.server.ts';
import { linkContact } from '#features/clients/clients/clients.server.ts';
import { mergeClients } from '#features/documents/merging/merging.server.ts';
import { listInbox } from '#features/office/inbox/inbox.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, impersonating, sessionAs } from '../../support/api.ts';
import { makeCast, person, standAt, startMailServer } from '../../support/cast.ts';
import { exportOf, tableIn } from '../../support/exported.ts';
import { BAKERY, cancellationXml, keyOf, MILL, noteXml, openStorageOf, store } from '../../support/fiscal.ts';
import { rowsOf } from '../../support/home.ts';

const { firmOne, clientA, clientB, clientTwo, tom, ...cast } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const reader = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });
const NOON = Date.UTC(2026, 10, 27, 15);
const BOATS = '48217306000120';
const signal = new AbortController().signal;

let [ada, ben, cleo, sam, owner]: Actor[] = [];

beforeAll(async () => {
  await openStorageOf(olga);
  await setFlag(olga, 'NfeManifest.Disabled', false);
  for (const { contactId } of [cast.ada, cast.cleo, cast.sam])
    await decideAccess(firmOne, contactId, { kind: 'permission', name: 'ManifestReview' }, true);
  const reload = ({ contactId }: { contactId: string }): Promise<Actor> => actorOf(contactId);
  [ada, ben, cleo, sam, owner] = await Promise.all(
    [cast.ada, cast.ben, cast.cleo, cast.sam, olga].map(reload),
  );
  for (const [id, number] of [
    [clientA, BAKERY],
    [clientB, BOATS],
  ] as const)
    await updateClient(olga, id, { taxIds: [{ kind: 'cnpj', number }], allowDuplicate: true });
});
let minutes = 0;
beforeEach(() => standAt(NOON + (minutes += 1) * 60_000));

let number = 100;
/** Stores an invoice to the bakery, and returns it as the list has it. */
async function receive(
  note: Partial<Parameters<typeof noteXml>[0]> = {},
): Promise<Invoice & { xml: object }> {
  const xml = { number: (number += 1), ...note };
  await store(ada as Actor, clientA, noteXml(xml));
  return { ...(await invoiceWith(keyOf(xml))), xml };
}
async function invoiceWith(key: string, actor: Actor = ada as Actor): Promise<Invoice> {
  const { items } = await listInvoices(actor, documentQuery.parse({ key, clientId: clientA }));
  if (!items[0]) throw new Error('no such invoice');
  return items[0];
}
const again = ({ key }: Invoice): Promise<Invoice> => invoiceWith(key);
const intentIn = async (invoice: Invoice): Promise<string> => (await again(invoice)).intentId ?? '';
const mark = (
  actor: Actor | undefined,
  invoice: Invoice,
  event: 'confirmed' | 'aware' | 'unknown' | 'notDone',
  justification = '',
) => markInvoice(actor as Actor, { id: invoice.id, event, justification });
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: { code?: string; details?: { problem?: string } }) => error.details?.problem ?? error.code,
  );
const REASON = 'A carga voltou, o caminhão quebrou';
const manifestXml = (
  note: Parameters<typeof noteXml>[0],
  { type = '210200', sequence = 1, day = '2026-11-20', status = '135' } = {},
): string => {
  const key = keyOf(note);
  return `<procEventoNFe versao="1.00" xmlns="http://www.portalfiscal.inf.br/nfe"><evento versao="1.00"><infEvento Id="ID${type}${key}0${sequence}"><cOrgao>91</cOrgao><tpAmb>1</tpAmb><CNPJ>${BAKERY}</CNPJ><chNFe>${key}</chNFe><dhEvento>${day}T09:00:00-03:00</dhEvento><tpEvento>${type}</tpEvento><nSeqEvento>${sequence}</nSeqEvento><detEvento><descEvento>Confirmacao da Operacao</descEvento></detEvento></infEvento></evento><retEvento versao="1.00"><infEvento><cStat>${status}</cStat><xMotivo>Evento registrado</xMotivo><chNFe>${key}</chNFe><tpEvento>${type}</tpEvento><nSeqEvento>${sequence}</nSeqEvento><dhRegEvento>${day}T09:00:05-03:00</dhRegEvento><nProt>135260000000009</nProt></infEvento></retEvento></procEventoNFe>`;
};

describe('an invoice', () => {
  test('is there as soon as it is in the archive, with its last day', async () => {
    const invoice = await receive({ issuedAt: '2026-05-31T10:00:00-03:00', total: '1250.50' });
    expect(invoice).toMatchObject({
      clientId: clientA,
      issuer: { id: MILL, name: `Issuer ${MILL}` },
      total: 1250.5,
      hasXml: true,
      status: 'pending',
      intent: 'none',
      lastDay: '2026-11-27',
      daysLeft: 0,
      events: [],
      version: 1,
    });
  });

  test.each([
    ['that the client issued', { issuer: BAKERY, recipient: MILL }],
    ['of a consumer', { model: '65' as const }],
    ['of the test environment', { isTest: true }],
    ['without a protocol', { hasProtocol: false }],
  ])('%s is none of these', async (_, note) => {
    await expect(receive(note)).rejects.toThrow('no such invoice');
  });

  test('expires the day after its last one, without anybody doing anything', async () => {
    const invoice = await receive({ issuedAt: '2026-05-31T10:00:00-03:00' });
    standAt(Date.parse('2026-11-27T23:59:59-03:00'));
    expect(await again(invoice)).toMatchObject({ status: 'pending', daysLeft: 0 });
    standAt(Date.parse('2026-11-28T00:00:00-03:00'));
    expect(await again(invoice)).toMatchObject({ status: 'expired', daysLeft: -1 });
    expect(await codeOf(mark(ada, invoice, 'confirmed'))).toBe('expired');
  });

  test('that its issuer has cancelled takes nothing more, and what was marked has no effect, whatever came first', async () => {
    const invoice = await receive();
    await mark(ada, invoice, 'confirmed');
    await store(ada as Actor, clientA, cancellationXml(invoice.xml as never));
    expect(await again(invoice)).toMatchObject({ status: 'cancelled', intent: 'none', intentId: null });
    expect((await listIntents(invoice.id))[0]).toMatchObject({ state: 'void' });
    expect(await codeOf(mark(ada, invoice, 'aware'))).toBe('cancelled');
    const other = { number: (number += 1) };
    await store(ada as Actor, clientA, cancellationXml(other));
    await store(ada as Actor, clientA, noteXml(other));
    expect(await invoiceWith(keyOf(other))).toMatchObject({ status: 'cancelled' });
  });

  test('has what the files of events say is registered, whatever came first, once', async () => {
    const note = { number: (number += 1) };
    await store(ada as Actor, clientA, manifestXml(note));
    await store(ada as Actor, clientA, noteXml(note));
    const invoice = await invoiceWith(keyOf(note));
    expect(invoice).toMatchObject({ status: 'confirmed', events: [{ event: 'confirmed', sequence: 1 }] });
    await store(
      ada as Actor,
      clientA,
      `${manifestXml(note)}\n`,
      manifestXml(note, { type: '210240', day: '2026-11-21' }),
    );
    expect(await again(invoice)).toMatchObject({ status: 'notDone', events: [{}, { event: 'notDone' }] });
  });

  test('takes nothing from the file of an event that the authority has refused', async () => {
    const invoice = await receive();
    await store(ada as Actor, clientA, manifestXml(invoice.xml as never, { status: '596' }));
    expect(await again(invoice)).toMatchObject({ status: 'pending', events: [] });
  });
});

describe('a mark', () => {
  test('of a contact waits for the firm, with a confirmation and a line in the inbox', async () => {
    const invoice = await receive();
    await mark(ada, invoice, 'notDone', ` ${REASON}\n`);
    const marked = await again(invoice);
    expect(marked).toMatchObject({ intent: 'marked', version: 2 });
    expect((await listIntents(invoice.id))[0]).toMatchObject({
      event: 'notDone',
      state: 'marked',
      justification: REASON,
      marker: 'Ada Amber',
    });
    const receipt = await db()
      .selectFrom('receipts')
      .select(['kind', 'name', 'client_id'])
      .where('document_id', '=', marked.intentId ?? '')
      .executeTakeFirst();
    expect(receipt).toMatchObject({ kind: 'submission', client_id: clientA });
    expect(receipt?.name).toContain('Operation not carried out');
    const { items } = await listInbox(owner as Actor, inboxQuery.parse({ of: 'all' }));
    expect(items.map(({ kind }) => kind)).toContain('manifest');
  });

  test('is replaced and withdrawn by its side until the firm accepts it', async () => {
    const invoice = await receive();
    await mark(ada, invoice, 'confirmed');
    await mark(cleo, invoice, 'unknown');
    expect((await listIntents(invoice.id)).map(({ state }) => state)).toEqual(['marked', 'superseded']);
    expect(await codeOf(mark(sam, invoice, 'confirmed'))).toBe('FORBIDDEN');
    expect(await codeOf(withdrawMark(sam as Actor, { id: invoice.id }))).toBe('FORBIDDEN');
    await withdrawMark(ada as Actor, { id: invoice.id });
    expect(await again(invoice)).toMatchObject({ intent: 'none', intentId: null });
    expect(await codeOf(withdrawMark(ada as Actor, { id: invoice.id }))).toBe('NOT_FOUND');
    await mark(ada, invoice, 'confirmed');
    await acceptIntent(owner as Actor, await intentIn(invoice));
    expect(await codeOf(mark(ada, invoice, 'unknown'))).toBe('CLOSED');
    expect(await codeOf(withdrawMark(ada as Actor, { id: invoice.id }))).toBe('CLOSED');
  });

  test('of a version that others have changed is refused', async () => {
    const invoice = await receive();
    await mark(cleo, invoice, 'confirmed');
    const work = markInvoice(ada as Actor, {
      id: invoice.id,
      event: 'aware',
      justification: '',
      version: invoice.version,
    });
    expect(await codeOf(work)).toBe('CHANGED');
  });

  test.each([
    ['a contact without the permission', () => ben as Actor, 'FORBIDDEN'],
    ['staff without the permission', () => owner as Actor, 'FORBIDDEN'],
    ['a contact of another firm', () => tom, 'FORBIDDEN'],
  ])('by %s is refused', async (_, actor, code) => {
    const invoice = await receive();
    expect(await codeOf(mark(actor(), invoice, 'confirmed'))).toBe(code);
    expect(await again(invoice)).toMatchObject({ intent: 'none', version: 1 });
  });

  test('of an invoice of another client is not found', async () => {
    const invoice = await receive();
    await decideAccess(firmOne, cast.ben.contactId, { kind: 'permission', name: 'ManifestReview' }, true);
    expect(await codeOf(mark(await actorOf(cast.ben.contactId), invoice, 'confirmed'))).toBe('NOT_FOUND');
    await decideAccess(
      firmOne,
      cast.ben.contactId,
      { kind: 'permission', name: 'ManifestReview' },
      undefined,
    );
  });

  test('needs a justification of the authority’s form where the operation was not carried out', async () => {
    const invoice = await receive();
    expect(await codeOf(mark(ada, invoice, 'notDone', 'Não veio'))).toBe('short');
    expect(await codeOf(mark(ada, invoice, 'confirmed', REASON))).toBe('notTaken');
    expect(await again(invoice)).toMatchObject({ intent: 'none', version: 1 });
  });
});

describe('an acceptance', () => {
  test('is that of another person, also if whoever marked it has joined the firm since', async () => {
    const invoice = await receive();
    await mark(sam, invoice, 'confirmed');
    const intentId = await intentIn(invoice);
    expect(await codeOf(acceptIntent(sam as Actor, intentId))).toBe('SAME_PERSON');
    const { contactId } = await person(firmOne, 'Nina New', 'nina@one.example');
    await linkContact(clientA, contactId);
    await decideAccess(firmOne, contactId, { kind: 'permission', name: 'ManifestReview' }, true);
    const [other, another] = [await receive(), await receive()];
    await mark(await actorOf(contactId), other, 'confirmed');
    await mark(ada, another, 'confirmed');
    await restoreContact(contactId, { fullName: 'Nina New', role: 'member', hasAllClients: true });
    const nina = await actorOf(contactId);
    expect(nina.staff).toBe(true);
    expect(await codeOf(acceptIntent(nina, await intentIn(other)))).toBe('SAME_PERSON');
    expect(await codeOf(acceptIntent(nina, await intentIn(another)))).toBe('done');
    expect(await codeOf(acceptIntent(sam as Actor, await intentIn(other)))).toBe('done');
    expect(await codeOf(acceptIntent(owner as Actor, intentId))).toBe('done');
  });

  test('of two at once is that of one', async () => {
    const invoice = await receive();
    await mark(ada, invoice, 'confirmed');
    const intentId = await intentIn(invoice);
    const outcomes = await Promise.all(
      [owner, sam].map((actor) => codeOf(acceptIntent(actor as Actor, intentId))),
    );
    expect(outcomes.toSorted()).toEqual(['CHANGED', 'done']);
  });

  test('is refused to contacts, read-only staff and those of other firms, who learn nothing of the mark', async () => {
    const invoice = await receive();
    await mark(ada, invoice, 'confirmed');
    const intentId = await intentIn(invoice);
    expect(await codeOf(acceptIntent(cleo as Actor, intentId))).toBe('FORBIDDEN');
    expect(await codeOf(acceptIntent(await actorOf(reader.contactId), intentId))).toBe('FORBIDDEN');
    await decideAccess(tom.companyId, undefined, { kind: 'flag', name: 'NfeManifest.Disabled' }, false);
    expect(await codeOf(acceptIntent(await actorOf(tom.contactId), intentId))).toBe('NOT_FOUND');
    expect(await codeOf(acceptIntent(owner as Actor, 'intent_none'))).toBe('NOT_FOUND');
  });

  test('is taken back before anything is told to the authority, and asked for again', async () => {
    const invoice = await receive();
    await mark(ada, invoice, 'confirmed');
    const intentId = await intentIn(invoice);
    await acceptIntent(owner as Actor, intentId);
    expect(await again(invoice)).toMatchObject({ intent: 'accepted', intentId });
    await takeBackAcceptance(sam as Actor, intentId);
    expect(await again(invoice)).toMatchObject({ intent: 'marked', intentId });
    expect(await codeOf(takeBackAcceptance(sam as Actor, intentId))).toBe('CHANGED');
    await withdrawMark(ada as Actor, { id: invoice.id });
    expect(await codeOf(acceptIntent(owner as Actor, intentId))).toBe('CHANGED');
  });

  test('that comes too late is refused', async () => {
    const invoice = await receive({ issuedAt: '2026-05-31T10:00:00-03:00' });
    await mark(ada, invoice, 'confirmed');
    standAt(Date.parse('2026-11-28T00:00:00-03:00'));
    expect(await codeOf(acceptIntent(owner as Actor, await intentIn(invoice)))).toBe('expired');
  });

  test('or the refusal settles the line in the inbox', async () => {
    const invoice = await receive();
    await mark(ada, invoice, 'confirmed');
    const intentId = await intentIn(invoice);
    const isOpen = async (): Promise<boolean> => {
      const rows = await db()
        .selectFrom('inbox_items')
        .innerJoin('inbox_targets', 'inbox_targets.item_id', 'inbox_items.item_id')
        .select('inbox_items.item_id')
        .where('inbox_targets.target', '=', intentId)
        .execute();
      return rows.length > 0;
    };
    expect(await isOpen()).toBe(true);
    await acceptIntent(owner as Actor, intentId);
    expect(await isOpen()).toBe(false);
  });
});

describe('a refusal', () => {
  test('tells the contact who marked the invoice, without its key and the reason', async () => {
    const invoice = await receive();
    await mark(ada, invoice, 'unknown');
    const mailServer = await startMailServer();
    await refuseIntent(owner as Actor, await intentIn(invoice), 'This is the flour of Monday');
    const [letter] = await mailServer.deliver();
    await mailServer.close();
    expect(letter?.recipients).toEqual(['ada@one.example']);
    expect(letter?.mail.subject).toContain(String(invoice.number));
    expect(`${letter?.mail.text}${letter?.mail.html}`).not.toMatch(
      new RegExp(`flour of Monday|${invoice.key}`),
    );
    expect((await listIntents(invoice.id))[0]).toMatchObject({
      state: 'refused',
      reason: 'This is the flour of Monday',
    });
    expect(await again(invoice)).toMatchObject({ intent: 'none' });
    await mark(ada, invoice, 'confirmed');
  });
});

describe('a protocol', () => {
  const PROTOCOL = '135260000123456';
  const record = (actor: Actor | undefined, invoice: Invoice, more: object = {}) =>
    recordEvent(actor as Actor, {
      id: invoice.id,
      event: 'confirmed',
      protocol: PROTOCOL,
      registeredOn: '2026-11-27',
      ...more,
    });

  test('that staff record settles the invoice and what was accepted', async () => {
    const invoice = await receive();
    await mark(ada, invoice, 'confirmed');
    await acceptIntent(owner as Actor, await intentIn(invoice));
    await record(sam, invoice);
    expect(await again(invoice)).toMatchObject({
      status: 'confirmed',
      intent: 'none',
      events: [{ event: 'confirmed', sequence: 1, protocol: PROTOCOL }],
    });
    expect((await listIntents(invoice.id))[0]).toMatchObject({ state: 'registered' });
    expect(await codeOf(record(sam, invoice))).toBe('sameAlready');
  });

  test('of something else leaves what was marked open', async () => {
    const invoice = await receive();
    await mark(ada, invoice, 'confirmed');
    await record(sam, invoice, { event: 'aware' });
    expect(await again(invoice)).toMatchObject({ status: 'aware', intent: 'marked' });
  });

  test('whose file comes later is not registered twice', async () => {
    const invoice = await receive();
    await record(sam, invoice);
    await store(ada as Actor, clientA, manifestXml(invoice.xml as never));
    expect((await again(invoice)).events).toEqual([expect.objectContaining({ protocol: PROTOCOL })]);
  });

  test.each([
    ['with 14 digits', { protocol: '13526000012345' }, 'INVALID'],
    ['of tomorrow', { registeredOn: '2026-11-28' }, 'INVALID'],
    ['from before the invoice', { registeredOn: '2026-11-04' }, 'INVALID'],
  ])('%s is refused', async (_, more, code) => {
    expect(await codeOf(record(sam, await receive(), more))).toBe(code);
  });

  test('is recorded by staff who publish only', async () => {
    const invoice = await receive();
    expect(await codeOf(record(ada, invoice))).toBe('FORBIDDEN');
    expect(await codeOf(record(await actorOf(reader.contactId), invoice))).toBe('FORBIDDEN');
  });
});

describe('the calls', () => {
  const documents = (actor: Actor | undefined, query: Record<string, string>) =>
    apiAs(actor as Actor)('GET', `/api/manifesto/v1/documents?${new URLSearchParams(query)}`);
  const itemsOf = async (answer: Response) => ((await answer.json()) as { items: Invoice[] }).items;

  test('list by days left, filter, and show nothing of other clients', async () => {
    await receive({ issuedAt: '2026-06-03T10:00:00-03:00', total: '7000.00' });
    const late = await receive({
      issuedAt: '2026-06-02T10:00:00-03:00',
      total: '9000.00',
      issuer: '44812095000113',
    });
    const all = await itemsOf(await documents(ada, { clientId: clientA, itemsPerPage: '100' }));
    expect(all.map(({ lastDay }) => lastDay)).toEqual(all.map(({ lastDay }) => lastDay).toSorted());
    const found = async (query: Record<string, string>) =>
      (await itemsOf(await documents(ada, { clientId: clientA, ...query }))).map(({ key }) => key);
    expect(await found({ minValue: '8999.99' })).toEqual([late.key]);
    expect(await found({ issuer: '44.812.095/0001-13' })).toEqual([late.key]);
    expect(await found({ from: '2026-06-02', to: '2026-06-02' })).toEqual([late.key]);
    expect(await found({ key: late.key.replaceAll(/(.{4})/g, '$1 ') })).toEqual([late.key]);
    const filter = JSON.stringify({ groups: [{ items: [{ by: 'total', op: 'GE', value: 9000 }] }] });
    expect(await found({ filter })).toEqual([late.key]);
    expect(await found({ status: 'expired' })).toEqual([]);
    expect(await itemsOf(await documents(cleo, { clientId: clientB }))).toEqual([]);
    for (const clientId of [clientB, clientTwo])
      expect((await documents(ada, { clientId })).status).toBe(404);
  });

  test.each([
    ['without a client, by somebody with several', () => cleo, {}],
    [
      'a filter of an unknown column',
      () => ada,
      { filter: '{"groups":[{"items":[{"by":"secret","op":"BLANK"}]}]}' },
    ],
    ['a filter that is no JSON', () => ada, { filter: '{' }],
    ['a key of 43 characters', () => ada, { key: '1'.repeat(43) }],
  ])('refuse %s', async (_, actor, query) => {
    expect((await documents(actor(), query)).status).toBe(422);
  });

  test('name the clients with what waits for each', async () => {
    const answer = await apiAs(cleo as Actor)('GET', '/api/manifesto/v1/clients?searchTerm=amber');
    const { items } = (await answer.json()) as { items: { pending: number }[] };
    expect(items).toEqual([
      expect.objectContaining({
        id: clientA,
        name: 'Amber Bakery',
        cnpj: BAKERY,
        certificate: null,
        lastQueryAt: null,
      }),
    ]);
    expect(items[0]?.pending).toBeGreaterThan(0);
  });

  test('mark, accept and refuse, each with what became of it', async () => {
    const [one, other] = [await receive(), await receive()];
    const post = (actor: Actor | undefined, path: string, body: object) =>
      apiAs(actor as Actor)('POST', `/api/manifesto/v1/${path}`, { json: body });
    for (const { id, version } of [one, other])
      expect((await post(ada, `documents/${id}/intent`, { event: 'confirmed', version })).status).toBe(200);
    const ids = [await intentIn(one), await intentIn(other)];
    expect((await post(ada, 'intents/accept', { ids })).status).toBe(403);
    const accepted = await post(owner, 'intents/accept', { ids: [ids[0], 'intent_none'] });
    expect(await accepted.json()).toEqual({
      done: [ids[0]],
      refused: [{ id: 'intent_none', code: 'NOT_FOUND' }],
    });
    const refused = await post(owner, 'intents/refuse', { ids: [ids[1]], reason: 'Not yet' });
    expect(await refused.json()).toEqual({ done: [ids[1]], refused: [] });
    await mark(ada, other, 'aware');
    const withdrawn = await apiAs(ada as Actor)('DELETE', `/api/manifesto/v1/documents/${other.id}/intent`);
    expect(await withdrawn.json()).toMatchObject({ intent: 'none' });
  });

  test('are closed without the flag, and change nothing while staff view as a contact', async () => {
    const invoice = await receive();
    await decideAccess(firmOne, cast.ada.contactId, { kind: 'flag', name: 'NfeManifest.Denied' }, true);
    expect((await documents(await actorOf(cast.ada.contactId), {})).status).toBe(403);
    await decideAccess(firmOne, cast.ada.contactId, { kind: 'flag', name: 'NfeManifest.Denied' }, undefined);
    const session = impersonating(ada as Actor, owner as Actor);
    const answer = await apiAs(session.actor, session)(
      'POST',
      `/api/manifesto/v1/documents/${invoice.id}/intent`,
      { json: { event: 'confirmed', version: 1 } },
    );
    expect(answer.status).toBe(403);
    expect(await again(invoice)).toMatchObject({ intent: 'none' });
  });
});

describe('the lists', () => {
  const idsIn = async (
    actor: Actor | undefined,
    grid: typeof invoiceGrid | typeof worklistGrid,
    query: object,
    client?: string,
  ) => {
    const page = await readGrid(
      grid as never,
      actor as Actor,
      gridQueryOf(grid as never, grid.parameters.parse(query), client),
      100,
    );
    return page.rows.map((row) => grid.idOf(row as never));
  };

  test('of a client has its parts, and is closed to others', async () => {
    const [open, marked, done] = [await receive(), await receive(), await receive()];
    await mark(ada, marked, 'confirmed');
    await recordEvent(sam as Actor, {
      id: done.id,
      event: 'unknown',
      protocol: '135260000123456',
      registeredOn: '2026-11-27',
    });
    const inView = (view: string) => idsIn(ada, invoiceGrid, { view }, clientA);
    expect(await inView('open')).toEqual(expect.arrayContaining([open.id]));
    expect(await inView('open')).not.toEqual(expect.arrayContaining([marked.id]));
    expect(await inView('inProgress')).toContain(marked.id);
    expect(await inView('done')).toContain(done.id);
    expect(await idsIn(ada, invoiceGrid, { searchTerm: open.key }, clientA)).toEqual([open.id]);
    expect(await idsIn(ada, invoiceGrid, { searchTerm: String(open.number) }, clientA)).toEqual([open.id]);
    await expect(idsIn(ada, invoiceGrid, {}, clientB)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('of the firm has what waits, for staff who publish', async () => {
    const invoice = await receive();
    await mark(ada, invoice, 'confirmed');
    const intentId = await intentIn(invoice);
    expect(await idsIn(owner, worklistGrid, { intent: 'marked' })).toContain(intentId);
    await acceptIntent(owner as Actor, intentId);
    expect(await idsIn(owner, worklistGrid, { intent: 'marked' })).not.toContain(intentId);
    expect(await idsIn(owner, worklistGrid, { intent: 'accepted' })).toContain(intentId);
    await expect(idsIn(ada, worklistGrid, {})).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test('of the home page begins with the fewest days left', async () => {
    await receive({ issuedAt: '2026-05-31T10:00:00-03:00' });
    const rows = await rowsOf(ada as Actor, 'manifest');
    expect(rows?.[0]?.[0]).toContain(`Issuer ${MILL}`);
    expect(rows?.[0]?.at(-1)).toBe('Last day today');
  });
});

describe('reminders', () => {
  test('come 30, 10 and 3 days before the last one, in one mail for each client, to those who may decide', async () => {
    standAt(Date.parse('2026-12-01T12:00:00-03:00'));
    await remindOfInvoices(signal); // of earlier tests
    const [small, large] = [
      await receive({ issuedAt: '2026-08-01T10:00:00-03:00', total: '10.00' }),
      await receive({ issuedAt: '2026-08-01T10:00:00-03:00', total: '5000.00' }),
    ];
    expect(large.lastDay).toBe('2027-01-28');
    const mailServer = await startMailServer();
    const letters = async (day: string) => {
      standAt(Date.parse(`${day}T12:00:00-03:00`));
      await remindOfInvoices(signal);
      await remindOfInvoices(signal);
      return (await mailServer.deliver()).filter(({ mail }) => mail.subject?.includes('manifest'));
    };
    expect(await letters('2026-12-28')).toEqual([]);
    const sent = await letters('2026-12-29');
    expect(sent.flatMap(({ recipients }) => recipients).toSorted()).toEqual([
      'ada@one.example',
      'cleo@one.example',
    ]);
    expect(sent[0]?.mail.text).not.toContain(large.key);
    expect(await letters('2026-12-30')).toEqual([]);
    await changeManifestSettings(owner as Actor, { remindFrom: 500_000, isAwareAutomatic: false });
    await mark(ada, large, 'confirmed');
    expect(await letters('2027-01-18')).toEqual([]);
    await withdrawMark(ada as Actor, { id: large.id });
    expect(await letters('2027-01-25')).toHaveLength(2);
    expect(small.status).toBe('pending');
    await mailServer.close();
  });
});

describe('a client', () => {
  test('that is merged brings its invoices, and one that both had is there once', async () => {
    const from = await createClient(olga, { name: 'Amber Branch' });
    const into = await createClient(olga, { name: 'Amber Head' });
    await linkContact(from, cast.ada.contactId);
    await linkContact(into, cast.ada.contactId);
    await updateClient(olga, from, {
      taxIds: [{ kind: 'cnpj', number: '66019348000139' }],
      allowDuplicate: true,
    });
    await updateClient(olga, into, {
      taxIds: [{ kind: 'cnpj', number: '66019348000139' }],
      allowDuplicate: true,
    });
    const note = { number: (number += 1), recipient: '66019348000139' };
    const own = { number: (number += 1), recipient: '66019348000139' };
    await store(ada as Actor, from, noteXml(note), noteXml(own));
    await store(ada as Actor, into, noteXml(note));
    const before = await db()
      .selectFrom('manifest_documents')
      .select(['manifest_id', 'client_id', 'access_key'])
      .where('client_id', 'in', [from, into])
      .execute();
    const oldOne = before.find((row) => row.client_id === from && row.access_key === keyOf(note));
    await markInvoice(ada as Actor, { id: oldOne?.manifest_id ?? '', event: 'confirmed', justification: '' });
    await mergeClients(sessionAs(owner as Actor), from, into);
    const rows = await db()
      .selectFrom('manifest_documents')
      .selectAll()
      .where('client_id', 'in', [from, into])
      .execute();
    expect(new Set(rows.map((row) => row.client_id))).toEqual(new Set([into]));
    expect(rows.map((row) => row.access_key).toSorted()).toEqual([keyOf(note), keyOf(own)].toSorted());
    const intents = await db()
      .selectFrom('manifest_intents')
      .select(['state', 'client_id'])
      .where('client_id', '=', into)
      .execute();
    expect(intents).toEqual([{ state: 'superseded', client_id: into }]);
  });

  test('has its invoices, marks and events in an export of all data', async () => {
    const invoice = await receive();
    await mark(ada, invoice, 'notDone', REASON);
    await recordEvent(sam as Actor, {
      id: invoice.id,
      event: 'notDone',
      protocol: '135260000123456',
      registeredOn: '2026-11-27',
    });
    const files = await exportOf(owner as Actor, clientA);
    const paths = [...files.keys()];
    const table = (name: string) => tableIn(files, paths.find((path) => path.endsWith(name)) ?? name);
    expect(table('invoices-to-manifest.csv')).toContainEqual(
      expect.objectContaining({ 'Access key': invoice.key, Status: 'Not carried out' }),
    );
    expect(table('manifest-intents.csv')).toContainEqual(expect.objectContaining({ Text: REASON }));
    expect(table('manifest-events.csv')).toContainEqual(expect.objectContaining({ Code: '135260000123456' }));
  });

  test('that is archived takes no mark of the firm', async () => {
    const invoice = await receive();
    await archiveClients(owner as Actor, [clientA]);
    expect(await codeOf(mark(sam, invoice, 'confirmed'))).toBe('GONE');
  });
});
