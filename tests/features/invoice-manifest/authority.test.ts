import { killedAt } from '../../support/kills.ts';
import '../../../src/app.server.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { setFlag } from '#features/base/access/access.server.ts';
import { actorOf, decideAccess } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import {
  loadCertificate,
  removeCertificate,
  storeCertificate,
} from '#features/brazil/digital-certificates/certificates.server.ts';
import { askForInvoices, continueAsking } from '#features/brazil/invoice-manifest/asking.server.ts';
import { listClients, listInvoices } from '#features/brazil/invoice-manifest/documents.server.ts';
import {
  acceptIntent,
  listIntents,
  markInvoice,
  refuseIntent,
  takeBackAcceptance,
} from '#features/brazil/invoice-manifest/intents.server.ts';
import {
  clientQuery,
  documentQuery,
  type Invoice,
} from '#features/brazil/invoice-manifest/invoice-manifest.ts';
import { recordEvent } from '#features/brazil/invoice-manifest/registering.server.ts';
import {
  continueSending,
  isSendingPaused,
  resumeSendings,
  sendingState,
} from '#features/brazil/invoice-manifest/sending.server.ts';
import { changeManifestSettings } from '#features/brazil/invoice-manifest/settings.server.ts';
import { rejectionText } from '#features/brazil/invoice-manifest/rejections.server.ts';
import { createClient, updateClient } from '#features/clients/clients/editing.server.ts';
import { listInbox } from '#features/office/inbox/inbox.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import { db } from '#platform/database/database.server.ts';
import { HOUR, MINUTE, moveClock, now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { sessionAs } from '../../support/api.ts';
import { makeCast, person, standAt } from '../../support/cast.ts';
import { a1Of, a1OfPerson } from '../../support/digital-certificates.ts';
import {
  BAKERY,
  cancellationXml,
  FARMER,
  keyOf,
  LETTERS,
  MILL,
  noteXml,
  openStorageOf,
  store,
} from '../../support/fiscal.ts';
import { runDueJobs } from '../../support/jobs.ts';
import { eventSummaryXml, startTaxAuthority, summaryXml, type Fault } from '../../support/tax-authority.ts';

const { firmOne, clientA, clientB, ...cast } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const NOON = Date.UTC(2026, 10, 27, 15);
const BOATS = '48217306000120';
const authority = await startTaxAuthority({ clock: now });
afterAll(() => authority.close());
const bakerys = a1Of(BAKERY);

let [ada, sam, owner]: Actor[] = [];
standAt(NOON);
/** Moves the clock on, beside the time that the test takes. */
const pass = moveClock;

beforeAll(async () => {
  await openStorageOf(olga);
  await setFlag(olga, 'NfeManifest.Disabled', false);
  for (const { contactId } of [cast.ada, cast.sam])
    await decideAccess(firmOne, contactId, { kind: 'permission', name: 'ManifestReview' }, true);
  [ada, sam, owner] = await Promise.all(
    [cast.ada, cast.sam, olga].map(({ contactId }) => actorOf(contactId)),
  );
  for (const [id, number] of [
    [clientA, BAKERY],
    [clientB, BOATS],
  ] as const)
    await updateClient(olga, id, { taxIds: [{ kind: 'cnpj', number }], allowDuplicate: true });
});

/** Connects the portal to the authority, whose answers it waits for as long (ms). */
const connect = (timeout: number): void =>
  void Object.assign(config, {
    taxAuthority: { environment: 'test', url: authority.url, roots: authority.root, timeout },
  });

/** Lets the next requests fail. Only a late answer is not waited for long: others may be slow on a busy machine. */
function fail(service: Parameters<typeof authority.fail>[0], ...faults: Fault[]): void {
  if (faults.includes('answer late')) connect(3000);
  authority.fail(service, ...faults);
}

beforeEach(async () => {
  pass(2 * HOUR);
  connect(30_000);
  await db().deleteFrom('jobs').execute();
  await db().updateTable('manifest_cursors').set({ next_at: 0, asked_at: null, code: '' }).execute();
  await db().updateTable('manifest_sendings').set({ next_at: null }).execute();
  authority.requests.length = 0;
  authority.blocked.clear();
  await storeCertificate(sessionAs(owner as Actor), clientA, bakerys);
});

let number = 5000;
const invoiceWith = async (key: string, clientId = clientA): Promise<Invoice> => {
  const { items } = await listInvoices(owner as Actor, documentQuery.parse({ key, clientId }));
  if (!items[0]) throw new Error('no such invoice');
  return items[0];
};
const again = ({ key }: Invoice): Promise<Invoice> => invoiceWith(key);

/** An invoice in the archive and at the authority. */
async function receive(note: { issuer?: string } = {}): Promise<Invoice> {
  const xml = { number: (number += 1), ...note };
  await store(ada as Actor, clientA, noteXml(xml));
  const key = keyOf(xml);
  authority.invoices.set(key, { recipient: BAKERY, authorizedAt: Date.parse('2026-11-05T13:00:00Z') });
  return invoiceWith(key);
}

/** An instant as answers have it, to the second. */
const second = (at = 0): string => new Date(Math.floor(at / 1000) * 1000).toISOString();

type Event = 'confirmed' | 'aware' | 'unknown' | 'notDone';
/** Marks an invoice as a contact and accepts it as staff; returns its intent. */
async function accept(invoice: Invoice, event: Event = 'confirmed', justification = ''): Promise<string> {
  await markInvoice(ada as Actor, { id: invoice.id, event, justification });
  const intentId = (await again(invoice)).intentId ?? '';
  await acceptIntent(sam as Actor, intentId);
  return intentId;
}
const sent = () => authority.take('NFeRecepcaoEvento4');
const looked = () => authority.take('NFeConsultaProtocolo4');
const eventIn = (text: string): string => /<evento [\s\S]*<\/evento>/.exec(text)?.[0] ?? '';
const inboxOf = async (kind: string): Promise<string[]> =>
  (await listInbox(owner as Actor, inboxQuery.parse({}))).items
    .filter((item) => item.kind === kind)
    .map(({ name }) => name);
/** An instant as openssl has it. */
const endsAt = (at: number): string => new Date(at).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
/** What another program has sent, as the authority gives it back. */
const eventXml = (key: string): string =>
  `<evento versao="1.00"><infEvento Id="ID210200${key}01"><cOrgao>91</cOrgao><tpAmb>2</tpAmb><CNPJ>${BAKERY}</CNPJ><chNFe>${key}</chNFe><tpEvento>210200</tpEvento><nSeqEvento>1</nSeqEvento></infEvento></evento>`;
/** Goes on as time passes, until a moment after now. */
async function goOn(time: number): Promise<void> {
  pass(time);
  await resumeSendings();
  await runDueJobs();
}

describe('what is accepted', () => {
  test.each<[Event, string]>([
    ['confirmed', ''],
    ['aware', ''],
    ['unknown', 'Nunca compramos disto'],
    ['notDone', 'A carga voltou, o caminhão quebrou'],
  ])('as %s is sent, and registered with the protocol of the authority', async (event, justification) => {
    const invoice = await receive();
    await accept(invoice, event, justification);
    await runDueJobs();
    const [request, ...more] = sent();
    expect(more).toEqual([]);
    expect(request?.cnpj).toBe(BAKERY);
    const settled = await again(invoice);
    expect(settled).toMatchObject({ status: event, intent: 'none', intentId: null });
    const [registered] = [...authority.events.values()].filter(({ id }) => id.includes(invoice.key));
    expect(settled.events).toEqual([
      { event, sequence: 1, protocol: registered?.protocol, registeredAt: second(registered?.at) },
    ]);
    expect((await listIntents(invoice.id))[0]).toMatchObject({ state: 'registered' });
    const entry = await db()
      .selectFrom('audit')
      .selectAll()
      .where('action', '=', 'manifest.register')
      .where('target', '=', invoice.id)
      .executeTakeFirstOrThrow();
    expect(entry).toMatchObject({ actor: 'portal', client_id: clientA });
  });

  test('about a key with letters, and for the second time, is sent as well', async () => {
    const invoice = await receive({ issuer: LETTERS });
    await accept(invoice, 'confirmed');
    await runDueJobs();
    pass(MINUTE);
    await accept(invoice, 'notDone', 'A carga voltou inteira');
    await runDueJobs();
    pass(MINUTE);
    await accept(invoice, 'confirmed');
    await runDueJobs();
    expect((await again(invoice)).events.map(({ event, sequence }) => `${event} ${sequence}`)).toEqual([
      'confirmed 1',
      'notDone 1',
      'confirmed 2',
    ]);
  });

  test('is not sent once the acceptance was taken back, and by hand without an authority', async () => {
    const invoice = await receive();
    const intentId = await accept(invoice);
    await takeBackAcceptance(sam as Actor, intentId);
    await runDueJobs();
    expect(sent()).toEqual([]);
    Object.assign(config, { taxAuthority: undefined });
    await acceptIntent(sam as Actor, intentId);
    await goOn(10 * MINUTE);
    expect(sent()).toEqual([]);
    expect(await again(invoice)).toMatchObject({ intent: 'accepted' });
    const registeredOn = '2026-11-27';
    await recordEvent(sam as Actor, {
      id: invoice.id,
      event: 'confirmed',
      protocol: '891260000000042',
      registeredOn,
    });
    expect(await again(invoice)).toMatchObject({ status: 'confirmed', intent: 'none' });
  });

  test('waits for a certificate, and is sent when there is one', async () => {
    await removeCertificate(sessionAs(owner as Actor), clientA);
    const invoice = await receive();
    await accept(invoice);
    await runDueJobs();
    await goOn(10 * MINUTE);
    expect(sent()).toEqual([]);
    expect(await again(invoice)).toMatchObject({ intent: 'accepted' });
    await storeCertificate(sessionAs(owner as Actor), clientA, bakerys);
    await goOn(HOUR);
    expect(await again(invoice)).toMatchObject({ status: 'confirmed' });
  });

  test('is not sent with a certificate that has ended since', async () => {
    await storeCertificate(sessionAs(owner as Actor), clientA, a1Of(BAKERY, { to: endsAt(now() + HOUR) }));
    const invoice = await receive();
    pass(2 * HOUR);
    await accept(invoice);
    await goOn(MINUTE);
    expect(sent()).toEqual([]);
    expect(await again(invoice)).toMatchObject({ intent: 'accepted' });
    await storeCertificate(sessionAs(owner as Actor), clientA, bakerys);
    await goOn(HOUR);
    expect(await again(invoice)).toMatchObject({ status: 'confirmed' });
  });

  test('is never sent with the certificate of another client', async () => {
    await removeCertificate(sessionAs(owner as Actor), clientA);
    await storeCertificate(sessionAs(owner as Actor), clientB, a1Of(BOATS));
    const invoice = await receive();
    await accept(invoice);
    await goOn(HOUR);
    expect(authority.requests).toEqual([]);
    await removeCertificate(sessionAs(owner as Actor), clientB);
  });

  test('is refused here once the 180 days are over, without asking', async () => {
    const invoice = await receive();
    await accept(invoice);
    const { lastDay } = invoice;
    const before = now();
    standAt(Date.parse(`${lastDay}T23:59:59-03:00`) + 1000);
    await runDueJobs();
    expect(sent()).toEqual([]);
    expect(await again(invoice)).toMatchObject({ intent: 'failed' });
    expect(await inboxOf('manifestRejected')).toHaveLength(1);
    standAt(before);
    await refuseIntent(sam as Actor, (await again(invoice)).intentId ?? '', 'Too late');
    expect(await inboxOf('manifestRejected')).toEqual([]);
  });
});

describe('an answer that does not come', () => {
  test.each<[Fault, boolean]>([
    ['accept then drop', true],
    ['answer late', true],
    ['half an answer', true],
    ['wrong namespace', true],
    ['not XML', true],
    ['with a document type', true],
    ['of another event', true],
    ['drop before reading', false],
    ['status 503', false],
  ])('(%s) is looked up, and nothing is registered twice', async (fault, isRegistered) => {
    const invoice = await receive();
    fail('NFeRecepcaoEvento4', fault);
    const intentId = await accept(invoice);
    await runDueJobs();
    const [first] = sent();
    expect(await again(invoice)).toMatchObject({ intent: 'sent', status: 'pending' });
    expect(await sendingState(intentId)).toMatchObject({ state: 'unclear' });
    await goOn(MINUTE);
    expect(looked()).toEqual([]);
    await goOn(MINUTE);
    expect(looked()).toHaveLength(1);
    if (!isRegistered) {
      expect(sent()).toEqual([]);
      await goOn(10 * MINUTE);
      await goOn(MINUTE);
      expect(looked()).toHaveLength(1);
      const [second] = sent();
      if (first && second) expect(eventIn(second.text)).toBe(eventIn(first.text));
    }
    expect(await again(invoice)).toMatchObject({ intent: 'none', status: 'confirmed' });
    expect([...authority.events.keys()].filter((id) => id.includes(invoice.key))).toHaveLength(1);
    await goOn(HOUR);
    expect(sent().filter(({ text }) => text.includes(invoice.key))).toEqual([]);
  });

  test('is not taken for one while the lookup fails, too', async () => {
    const invoice = await receive();
    fail('NFeRecepcaoEvento4', 'accept then drop');
    fail('NFeConsultaProtocolo4', 'status 503', 'code 108', 'answer late', 'not XML');
    await accept(invoice);
    await runDueJobs();
    sent();
    for (let step = 0; step < 8; step += 1) await goOn(HOUR);
    expect(sent()).toEqual([]);
    expect(await again(invoice)).toMatchObject({ status: 'confirmed' });
  });

  test('while the authority is down is waited for: 5, 15 and 60 minutes', async () => {
    const invoice = await receive();
    fail('NFeRecepcaoEvento4', 'code 108', 'code 108', 'code 108');
    const intentId = await accept(invoice);
    await runDueJobs();
    const minutes: number[] = [];
    for (let minute = 1; minute <= 90; minute += 1) {
      await goOn(MINUTE);
      if (sent().length > 1 || (minute > 1 && (await sendingState(intentId))?.code === '')) break;
      const { nextAt } = (await sendingState(intentId)) ?? {};
      const left = nextAt ? Math.round((nextAt - now()) / MINUTE) : 0;
      if (left === 5 || left === 15 || left === 60) minutes.push(left);
    }
    expect(minutes.filter((left, i) => left !== minutes[i - 1])).toEqual(expect.arrayContaining([15, 60]));
    for (let step = 0; step < 3; step += 1) await goOn(HOUR);
    expect(await again(invoice)).toMatchObject({ status: 'confirmed' });
  });

  test('because of the certificate stops its use: the decision waits, and the firm is told', async () => {
    const invoice = await receive();
    fail('NFeRecepcaoEvento4', 'code 280');
    await accept(invoice);
    await runDueJobs();
    sent();
    expect(await again(invoice)).toMatchObject({ intent: 'accepted' });
    expect(await loadCertificate(owner as Actor, clientA)).toMatchObject({ refusedCode: '280' });
    expect(await inboxOf('certificate')).toEqual(['PADARIA SOL NASCENTE LTDA']);
    await goOn(2 * HOUR);
    expect(sent()).toEqual([]);
    await storeCertificate(sessionAs(owner as Actor), clientA, bakerys);
    await goOn(HOUR);
    expect(await again(invoice)).toMatchObject({ status: 'confirmed' });
  });
});

describe('what the authority refuses', () => {
  test('is told in plain words in the inbox, and can be sent again or refused', async () => {
    const invoice = await receive();
    authority.invoices.delete(invoice.key);
    const intentId = await accept(invoice);
    await runDueJobs();
    expect(await again(invoice)).toMatchObject({ intent: 'failed', status: 'pending' });
    expect(await sendingState(intentId)).toMatchObject({ state: 'rejected', code: '494' });
    expect(await inboxOf('manifestRejected')).toHaveLength(1);
    authority.invoices.set(invoice.key, {
      recipient: BAKERY,
      authorizedAt: Date.parse('2026-11-05T13:00:00Z'),
    });
    await expect(acceptIntent(ada as Actor, intentId)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await acceptIntent(sam as Actor, intentId);
    expect(await inboxOf('manifestRejected')).toEqual([]);
    await runDueJobs();
    expect(await again(invoice)).toMatchObject({ intent: 'none', status: 'confirmed' });
  });

  test('because of the layout pauses all sending for an hour, while what is unclear is looked up', async () => {
    const [unclear, wrong, other] = [await receive(), await receive(), await receive()];
    authority.fail('NFeRecepcaoEvento4', 'accept then drop');
    await accept(unclear);
    await runDueJobs();
    authority.fail('NFeRecepcaoEvento4', 'code 215');
    await accept(wrong);
    await runDueJobs();
    expect(await again(wrong)).toMatchObject({ intent: 'failed' });
    sent();
    await accept(other);
    await runDueJobs();
    await goOn(20 * MINUTE);
    expect(sent()).toEqual([]);
    expect(await isSendingPaused()).toBe(true);
    expect(await again(other)).toMatchObject({ intent: 'accepted' });
    expect(await again(unclear)).toMatchObject({ status: 'confirmed' });
    await goOn(HOUR);
    expect(await again(other)).toMatchObject({ status: 'confirmed' });
    expect(await isSendingPaused()).toBe(false);
  });

  test('because of a key with letters pauses nothing', async () => {
    const [letters, other] = [await receive({ issuer: LETTERS }), await receive()];
    authority.fail('NFeRecepcaoEvento4', 'code 215');
    await accept(letters);
    await runDueJobs();
    await accept(other);
    await runDueJobs();
    expect(await again(letters)).toMatchObject({ intent: 'failed' });
    expect(await again(other)).toMatchObject({ status: 'confirmed' });
  });

  test('as a duplicate is looked up: it is registered if the authority shows it, else a person looks', async () => {
    const invoice = await receive();
    fail('NFeRecepcaoEvento4', 'code 573');
    const intentId = await accept(invoice);
    await runDueJobs();
    expect(await sendingState(intentId)).toMatchObject({ state: 'unclear', code: '573' });
    for (let step = 0; step < 3; step += 1) await goOn(HOUR);
    expect(sent()).toHaveLength(1);
    expect(await sendingState(intentId)).toMatchObject({ state: 'rejected', code: '573' });
    expect(await again(invoice)).toMatchObject({ intent: 'failed' });
  });

  test('as a duplicate of what another program has sent is registered with its protocol', async () => {
    const invoice = await receive();
    const id = `ID210200${invoice.key}01`;
    const protocol = '891260000000099';
    authority.events.set(id, { id, author: BAKERY, protocol, at: now(), xml: eventXml(invoice.key) });
    await accept(invoice);
    await runDueJobs();
    await goOn(2 * MINUTE);
    expect(sent().filter(({ text }) => text.includes(invoice.key))).toHaveLength(1);
    expect(await again(invoice)).toMatchObject({ status: 'confirmed', events: [{ protocol }] });
  });

  test('because the issuer has cancelled the invoice closes it', async () => {
    const invoice = await receive();
    authority.invoices.set(invoice.key, {
      recipient: BAKERY,
      authorizedAt: Date.parse('2026-11-05T13:00:00Z'),
      isCancelled: true,
    });
    await accept(invoice, 'aware');
    await runDueJobs();
    expect(await again(invoice)).toMatchObject({ intent: 'none', status: 'cancelled' });
    expect((await listIntents(invoice.id))[0]).toMatchObject({ state: 'void' });
  });

  test('has a sentence for each number in each language', () => {
    const key = keyOf({ number: 1 });
    expect(rejectionText('pt', { code: '596', reason: '', key })).toBe(
      'Os 180 dias para manifestar acabaram.',
    );
    expect(rejectionText('en-us', { code: '215', reason: '', key })).toContain('code 215');
    expect(
      rejectionText('pt', { code: '215', reason: '', key: keyOf({ number: 1, issuer: LETTERS }) }),
    ).toContain('ainda não aceita chave com letras');
    expect(rejectionText('fr', { code: '999', reason: 'Rejeição: outra', key })).toContain('Rejeição: outra');
  });
});

describe('a process that ends while it sends', () => {
  test('at any statement leaves one event at the authority, and the invoice registered in the end', async () => {
    let isKilled = true;
    for (let statement = 0; isKilled; statement += 1) {
      const invoice = await receive();
      const intentId = await accept(invoice);
      isKilled = await killedAt(statement, () => continueSending({ intentId }));
      for (let step = 0; step < 4; step += 1) {
        pass(HOUR);
        await continueSending({ intentId });
      }
      expect(await again(invoice), `killed at ${statement}`).toMatchObject({
        status: 'confirmed',
        intent: 'none',
      });
      const events = [...authority.events.keys()].filter((id) => id.includes(invoice.key));
      expect(events, `killed at ${statement}`).toHaveLength(1);
      expect((await again(invoice)).events).toHaveLength(1);
    }
  });

  test('and two that do the same send once', async () => {
    const invoice = await receive();
    const intentId = await accept(invoice);
    sent();
    await Promise.allSettled([continueSending({ intentId }), continueSending({ intentId })]);
    expect(sent()).toHaveLength(1);
  });
});

describe('the authority is asked for invoices', () => {
  const ask = async (): Promise<void> => {
    await askForInvoices();
    await runDueJobs();
  };
  const asked = () =>
    authority.take('NFeDistribuicaoDFe').map(({ text }) => /<ultNSU>0*(\d+)</.exec(text)?.[1]);
  const cursor = () =>
    db()
      .selectFrom('manifest_cursors')
      .selectAll()
      .where('client_id', '=', clientA)
      .executeTakeFirstOrThrow();
  const publish = (schema: string, content: string): number => authority.publish(BAKERY, schema, content);
  const summary = (more: Partial<Parameters<typeof summaryXml>[0]> = {}): string => {
    const key = keyOf({ number: (number += 1) });
    publish('resNFe_v1.01.xsd', summaryXml({ key, issuer: MILL, ...more }));
    return more.key ?? key;
  };

  test('summaries become invoices without XML; whole files go into the archive; both once', async () => {
    const key = summary({ total: '1234.56' });
    const whole = { number: (number += 1) };
    publish('procNFe_v4.00.xsd', noteXml(whole));
    await ask();
    expect(await invoiceWith(key)).toMatchObject({
      hasXml: false,
      issuer: { id: MILL, name: 'Moinho Boa Safra S.A.' },
      total: 1234.56,
      status: 'pending',
      lastDay: '2027-05-04',
      number: Number(key.slice(25, 34)),
      series: '1',
    });
    expect(await invoiceWith(keyOf(whole))).toMatchObject({ hasXml: true, status: 'pending' });
    const intake = await db()
      .selectFrom('fiscal_intakes')
      .selectAll()
      .where('source', '=', 'authority')
      .executeTakeFirstOrThrow();
    expect(intake).toMatchObject({ client_id: clientA, state: 'done', started_by: olga.contactId });
    // the file of the summary comes later
    publish('procNFe_v4.00.xsd', noteXml({ number: number - 1 }));
    pass(2 * HOUR);
    await ask();
    expect(await invoiceWith(keyOf({ number: number - 1 }))).toMatchObject({ hasXml: true });
    const { items } = await listInvoices(owner as Actor, documentQuery.parse({ clientId: clientA, key }));
    expect(items).toHaveLength(1);
  });

  test('an invoice of which only the summary is known can be decided about', async () => {
    const key = summary();
    authority.invoices.set(key, { recipient: BAKERY, authorizedAt: Date.parse('2026-11-05T13:00:00Z') });
    await ask();
    await accept(await invoiceWith(key), 'aware');
    await runDueJobs();
    expect(await invoiceWith(key)).toMatchObject({ status: 'aware', events: [{ event: 'aware' }] });
  });

  test('after the last page an hour passes, and no question before', async () => {
    summary();
    await ask();
    expect(asked()).toHaveLength(1);
    pass(30 * MINUTE);
    await ask();
    expect(asked()).toEqual([]);
    pass(40 * MINUTE);
    await ask();
    expect(asked()).toHaveLength(1);
    expect(await cursor()).toMatchObject({ code: '137' });
    const { items } = await listClients(owner as Actor, clientQuery.parse({ searchTerm: 'Amber' }));
    expect(items[0]).toMatchObject({
      certificate: { ok: true },
      lastQueryAt: expect.stringContaining(new Date(now()).toISOString().slice(0, 19)) as string,
    });
  });

  test('several pages are asked for one after the other, and another node waits meanwhile', async () => {
    for (let i = 0; i < 60; i += 1) summary();
    await askForInvoices();
    await Promise.all([
      continueAsking({ clientId: clientA, cnpj: BAKERY }),
      continueAsking({ clientId: clientA, cnpj: BAKERY }),
    ]);
    const pages = asked();
    expect(pages.length).toBeGreaterThan(1);
    expect(new Set(pages).size).toBe(pages.length);
    const { last_nsu: last, highest_nsu: highest } = await cursor();
    expect(last).toBe(highest);
  });

  test('a lost page is asked for again after an hour, also if another question was one too many', async () => {
    const key = summary();
    fail('NFeDistribuicaoDFe', 'accept then drop');
    await ask();
    asked();
    pass(30 * MINUTE);
    await ask();
    expect(asked()).toEqual([]);
    pass(40 * MINUTE);
    await ask();
    expect(await invoiceWith(key)).toMatchObject({ status: 'pending' });
  });

  test('misuse is waited out, and a number that another program has moved is taken over the second time', async () => {
    await ask();
    const key = summary();
    fail('NFeDistribuicaoDFe', 'code 656');
    pass(2 * HOUR);
    await ask();
    asked();
    expect(await cursor()).toMatchObject({ code: '656' });
    pass(30 * MINUTE);
    await ask();
    expect(asked()).toEqual([]);
    pass(HOUR);
    await ask();
    expect(await invoiceWith(key)).toMatchObject({ status: 'pending' });
  });

  test.each<[Fault]>([
    ['half an answer'],
    ['not XML'],
    ['with a document type'],
    ['wrong namespace'],
    ['answer late'],
    ['too large'],
    ['status 503'],
    ['code 108'],
    ['code 215'],
  ])('%s changes nothing, and the invoice comes later', async (fault) => {
    const key = summary();
    fail('NFeDistribuicaoDFe', fault);
    await ask();
    await expect(invoiceWith(key)).rejects.toThrow('no such invoice');
    pass(2 * HOUR);
    await ask();
    expect(await invoiceWith(key)).toMatchObject({ status: 'pending' });
  });

  test('a bomb, what is not XML, a gap and twins in a page leave the rest of it as it is', async () => {
    const first = summary();
    authority.publish(BAKERY, 'resNFe_v1.01.xsd', 'not XML');
    authority.publish(BAKERY, 'procNFe_v4.00.xsd', Buffer.alloc(6 * 1024 ** 2));
    const twin = summaryXml({ key: first, issuer: MILL });
    authority.publish(BAKERY, 'resNFe_v1.01.xsd', twin);
    const last = summary();
    const at = Number(
      (await db().selectFrom('manifest_cursors').select('last_nsu').executeTakeFirst())?.last_nsu ?? 0,
    );
    authority.publish(
      BAKERY,
      'resNFe_v1.01.xsd',
      summaryXml({ key: keyOf({ number: 4242 }), issuer: MILL }),
      at + 90_000,
    );
    await ask();
    for (const key of [first, last, keyOf({ number: 4242 })])
      expect(await invoiceWith(key)).toMatchObject({ status: 'pending' });
  });

  test('a document of another company makes no invoice of the client', async () => {
    const foreign = { number: (number += 1), recipient: '11222333000181' };
    publish('procNFe_v4.00.xsd', noteXml(foreign));
    const own = { number: (number += 1), issuer: BAKERY, recipient: MILL };
    publish('procNFe_v4.00.xsd', noteXml(own));
    await ask();
    await expect(invoiceWith(keyOf(foreign))).rejects.toThrow('no such invoice');
    await expect(invoiceWith(keyOf(own))).rejects.toThrow('no such invoice');
  });

  test('cancellations and events told elsewhere are known, from summaries and from whole files', async () => {
    const [cancelled, told] = [summary(), summary()];
    publish('resEvento_v1.01.xsd', eventSummaryXml({ key: cancelled, author: MILL, type: '110111' }));
    publish('resEvento_v1.01.xsd', eventSummaryXml({ key: told, author: BAKERY, type: '210200' }));
    const whole = { number: (number += 1) };
    publish('procNFe_v4.00.xsd', noteXml(whole));
    publish('procEventoNFe_v1.00.xsd', cancellationXml(whole));
    await ask();
    expect(await invoiceWith(cancelled)).toMatchObject({ status: 'cancelled' });
    expect(await invoiceWith(told)).toMatchObject({
      status: 'confirmed',
      events: [{ event: 'confirmed', protocol: '891260000000077' }],
    });
    expect(await invoiceWith(keyOf(whole))).toMatchObject({ status: 'cancelled' });
  });

  test('events that come before their invoice are known when it comes, from its summary and from its file', async () => {
    const keys = [1, 2, 3].map(() => keyOf({ number: (number += 1) }));
    const [cancelled = '', told = '', foreign = ''] = keys;
    publish('resEvento_v1.01.xsd', eventSummaryXml({ key: cancelled, author: MILL, type: '110111' }));
    publish('resEvento_v1.01.xsd', eventSummaryXml({ key: told, author: BAKERY, type: '210200' }));
    publish('resEvento_v1.01.xsd', eventSummaryXml({ key: foreign, author: BOATS, type: '210200' }));
    const whole = { number: (number += 1) };
    publish('resEvento_v1.01.xsd', eventSummaryXml({ key: keyOf(whole), author: MILL, type: '110111' }));
    await ask();
    for (const key of keys) publish('resNFe_v1.01.xsd', summaryXml({ key, issuer: MILL }));
    pass(2 * HOUR);
    await ask();
    await store(ada as Actor, clientA, noteXml(whole));
    expect(await invoiceWith(cancelled)).toMatchObject({ status: 'cancelled' });
    expect(await invoiceWith(told)).toMatchObject({ status: 'confirmed', events: [{ event: 'confirmed' }] });
    expect(await invoiceWith(foreign)).toMatchObject({ status: 'pending', events: [] });
    expect(await invoiceWith(keyOf(whole))).toMatchObject({ status: 'cancelled' });
    expect(await db().selectFrom('manifest_early_events').selectAll().execute()).toEqual([]);
  });

  test('awareness of summaries is registered automatically once the firm wants it, and of nothing else', async () => {
    const before = summary();
    await ask();
    const wanted = { remindFrom: 0, isAwareAutomatic: true };
    await expect(changeManifestSettings(ada as Actor, wanted)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await changeManifestSettings(owner as Actor, wanted);
    const after = summary();
    authority.invoices.set(after, { recipient: BAKERY, authorizedAt: Date.parse('2026-11-05T13:00:00Z') });
    const whole = { number: (number += 1) };
    publish('procNFe_v4.00.xsd', noteXml(whole));
    pass(2 * HOUR);
    await ask();
    await runDueJobs();
    expect(await invoiceWith(after)).toMatchObject({
      status: 'aware',
      intent: 'none',
      events: [{ event: 'aware' }],
    });
    const [intent] = await listIntents((await invoiceWith(after)).id);
    expect(intent).toMatchObject({ event: 'aware', state: 'registered', marker: null });
    expect(await invoiceWith(before)).toMatchObject({ status: 'pending' });
    expect(await invoiceWith(keyOf(whole))).toMatchObject({ status: 'pending' });
    await changeManifestSettings(owner as Actor, { remindFrom: 0, isAwareAutomatic: false });
  });

  test('only with the certificate of the client, and not without one', async () => {
    await ask();
    expect(authority.requests.map(({ cnpj }) => cnpj)).toEqual([BAKERY]);
    authority.requests.length = 0;
    await removeCertificate(sessionAs(owner as Actor), clientA);
    pass(2 * HOUR);
    await ask();
    await continueAsking({ clientId: clientA, cnpj: BAKERY });
    await continueAsking({ clientId: clientB, cnpj: BOATS });
    expect(authority.requests).toEqual([]);
  });

  test('ended at any statement, a page is taken in the end, once', async () => {
    let isKilled = true;
    for (let statement = 0; isKilled; statement += 3) {
      await db().updateTable('manifest_cursors').set({ next_at: 0, asked_at: null }).execute();
      const highest = summary();
      authority.blocked.clear();
      // from just before what is new, as the numbers of the tests above are long known
      const { nsu } = {
        nsu: authority.publish(
          BAKERY,
          'resNFe_v1.01.xsd',
          summaryXml({ key: keyOf({ number: (number += 1) }), issuer: MILL }),
        ),
      };
      await db()
        .updateTable('manifest_cursors')
        .set({ last_nsu: String(nsu - 2).padStart(15, '0') })
        .execute();
      isKilled = await killedAt(statement, () => continueAsking({ clientId: clientA, cnpj: BAKERY }));
      for (let step = 0; step < 3; step += 1) {
        pass(2 * HOUR);
        await continueAsking({ clientId: clientA, cnpj: BAKERY });
      }
      for (const key of [highest, keyOf({ number })])
        expect(await invoiceWith(key), `killed at ${statement}`).toMatchObject({ status: 'pending' });
    }
  });
});

describe('a person with an e-CPF', () => {
  const DOCTOR = '11144477735';
  /** A client who is a person, with the certificate. */
  async function farmer(): Promise<string> {
    await updateClient(olga, clientB, { taxIds: [{ kind: 'cpf', number: FARMER }], allowDuplicate: true });
    await storeCertificate(sessionAs(owner as Actor), clientB, a1OfPerson(FARMER));
    return clientB;
  }
  const bought = () => ({ number: (number += 1), recipient: FARMER });
  const asked = () =>
    authority.take('NFeDistribuicaoDFe').filter(({ text }) => text.includes(`<CPF>${FARMER}</CPF>`));
  async function ask(): Promise<void> {
    await askForInvoices();
    await runDueJobs();
  }

  test('tells what became of an invoice, of the archive and of a summary alike', async () => {
    const id = await farmer();
    const [archived, listed] = [bought(), bought()];
    await store(sam as Actor, id, noteXml(archived));
    authority.publish(FARMER, 'resNFe_v1.01.xsd', summaryXml({ key: keyOf(listed), issuer: MILL }));
    for (const note of [archived, listed])
      authority.invoices.set(keyOf(note), {
        recipient: FARMER,
        authorizedAt: Date.parse('2026-11-05T13:00:00Z'),
      });
    await ask();
    expect(asked().map(({ cnpj }) => cnpj)).toEqual([FARMER]);
    for (const note of [archived, listed]) {
      const invoice = await invoiceWith(keyOf(note), id);
      await markInvoice(sam as Actor, { id: invoice.id, event: 'confirmed', justification: '' });
      const { intentId } = await invoiceWith(keyOf(note), id);
      await acceptIntent(owner as Actor, intentId ?? '');
      await runDueJobs();
      expect(await invoiceWith(keyOf(note), id)).toMatchObject({ status: 'confirmed', intent: 'none' });
    }
    const events = [...authority.events.values()].filter(({ author }) => author === FARMER);
    expect(events).toHaveLength(2);
    for (const table of ['manifest_documents', 'manifest_cursors', 'manifest_early_events'] as const) {
      const rows = await db().selectFrom(table).selectAll().where('client_id', '=', id).execute();
      expect(JSON.stringify(rows)).not.toContain(FARMER);
    }
  });

  test('gets whole files and events of others, and no invoice of or for anybody else', async () => {
    const id = await farmer();
    const [whole, sold, foreign] = [bought(), { ...bought(), issuer: FARMER }, bought()];
    authority.publish(FARMER, 'procNFe_v4.00.xsd', noteXml(whole));
    authority.publish(FARMER, 'procNFe_v4.00.xsd', noteXml({ ...sold, recipient: FARMER }));
    authority.publish(FARMER, 'procNFe_v4.00.xsd', noteXml({ ...foreign, recipient: DOCTOR }));
    const [known, early] = [bought(), { ...bought(), issuer: DOCTOR }];
    for (const [note, type, author] of [
      [whole, '210200', FARMER],
      [early, '110111', DOCTOR],
      [known, '210200', FARMER],
      [known, '210220', DOCTOR],
    ] as const)
      authority.publish(FARMER, 'resEvento_v1.01.xsd', eventSummaryXml({ key: keyOf(note), author, type }));
    await ask();
    expect(await invoiceWith(keyOf(whole), id)).toMatchObject({ status: 'confirmed' });
    for (const note of [sold, { ...foreign, recipient: DOCTOR }])
      await expect(invoiceWith(keyOf(note), id)).rejects.toThrow('no such invoice');
    const rows = await db()
      .selectFrom('manifest_early_events')
      .select(['type', 'author'])
      .where('client_id', '=', id)
      .orderBy('type')
      .execute();
    expect(rows).toEqual([
      { type: '110111', author: '' },
      { type: '210200', author: '' },
    ]);
  });

  test('is asked for once, where two clients are the same person', async () => {
    const id = await farmer();
    const same = await createClient(
      olga,
      { name: 'Same Farmer', taxIds: [{ kind: 'cpf', number: FARMER }] },
      { allowDuplicate: true },
    );
    await storeCertificate(sessionAs(owner as Actor), same, a1OfPerson(FARMER));
    await ask();
    expect(asked()).toHaveLength(1);
    const cursors = await db()
      .selectFrom('manifest_cursors')
      .select(['client_id', 'cnpj'])
      .where('cnpj', '=', 'cpf')
      .execute();
    expect(cursors.map((row) => row.client_id).toSorted()).toEqual([id, same].toSorted());
    await removeCertificate(sessionAs(owner as Actor), same);
  });

  test('is not spoken for any more once the client has another CPF', async () => {
    const id = await farmer();
    await updateClient(olga, id, { taxIds: [{ kind: 'cpf', number: DOCTOR }], allowDuplicate: true });
    await ask();
    expect(asked()).toEqual([]);
  });
});
