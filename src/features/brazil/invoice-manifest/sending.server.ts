import type { Selectable } from 'kysely';
import { z } from 'zod';
import { recipientIn } from '#features/brazil/fiscal-documents/reading.server.ts';
import {
  loadCredentials,
  stopUsing,
  type Credentials,
} from '#features/brazil/digital-certificates/credentials.server.ts';
import { taxAuthority } from '#features/brazil/tax-authority/current.server.ts';
import { signEvent } from '#features/brazil/tax-authority/signing.server.ts';
import { meaningOf } from '#features/brazil/tax-authority/statuses.ts';
import type {
  EventReply,
  KnownEvent,
  Outcome,
  Status,
  TaxAuthority,
} from '#features/brazil/tax-authority/tax-authority.server.ts';
import { haveSameHolder } from '#features/documents/fiscal-xml/keys.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { isTaxId } from '#platform/inputs/tax-ids.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { hasStarted, startOnce } from '#platform/security/limits.server.ts';
import { WITHOUT_LETTERS } from './rejections.server.ts';
import { intentRejected, intentsSettled } from './events.server.ts';
import { settleInvoice } from './internal/settling.server.ts';
import {
  loadEvents,
  intentRow,
  invoiceName,
  registeredAmong,
  today,
  updateIntent,
  updateInvoice,
  type IntentRow,
  type InvoiceRow,
} from './internal/store.server.ts';
import { enqueueSending, OWN_CPF } from './queue.server.ts';
import { addEvent } from './registering.server.ts';
import { EVENT_CODES, nextSequence, problemWith, type Problem } from './rules.ts';

/*
 * Sending what was accepted to the tax authority. The signed event is stored before it is sent, and the same bytes are sent
 * again only if the authority was asked twice and had it not: so nothing is ever registered twice, whatever breaks, and
 * whenever the process ends (decision 0134).
 */

type SendingRow = Selectable<Tables['manifest_sendings']>;

/** An answer that did not come is looked up after this time, and again after the second. */
const FIRST_LOOK = 2 * MINUTE;
const NEXT_LOOK = 10 * MINUTE;
const LOOKS = 2;
/** When it is tried again while the authority is down. */
const RETRIES = [5 * MINUTE, 15 * MINUTE, HOUR] as const;
/** What it would refuse, told by its number. */
const OWN_CODES: Readonly<Record<Problem, string>> = {
  cancelled: '650',
  expired: '596',
  awareAlready: '594',
  awareAfterDecision: '655',
  sameAlready: '573',
  twiceAlready: '594',
};
/** The server has refused the certificate before it read anything. */
const NO_ACCESS = '403';

const PAUSED = 'manifest-sending-paused';

const work = z.strictObject({ intentId: z.string() });

/** Does the next step of sending an intent; a job, which may run again at any time. */
export async function continueSending(payload: unknown): Promise<void> {
  const authority = taxAuthority();
  if (!authority) return;
  const { intentId } = work.parse(payload);
  const found = await sendable(intentId);
  if (!found) return end(intentId);
  const speaker = await speakerFor(found.row);
  if (!speaker) return later(found.sending, HOUR); // people can tell it by hand meanwhile
  // what is unclear is looked up meanwhile: only sending stops
  const isSending = found.row.intent === 'accepted' || found.sending?.state === 'waiting';
  if (isSending && (await hasStarted(PAUSED))) return later(found.sending, HOUR);
  const step = await inTransaction(() => nextStep(intentId, authority, speaker));
  if (!step) return;
  const { sending, kind } = step;
  const { who } = speaker;
  if (kind === 'send') {
    const { event_id: id, lot } = sending;
    const xml = decryptFrom('manifest_sendings.xml', intentId, sending.xml);
    await takeReply(sending, who, await authority.send(who, { id, lot, xml }));
  } else await takeSituation(sending, who, await authority.situation(who, step.key));
}

interface Sendable {
  row: InvoiceRow;
  sending: SendingRow | undefined;
}

/** What there is to send, or to go on with. */
async function sendable(intentId: string): Promise<Sendable | undefined> {
  const row = await db()
    .selectFrom('manifest_documents')
    .selectAll()
    .where('intent_id', '=', intentId)
    .where('intent', 'in', ['accepted', 'sent'])
    .executeTakeFirst();
  return row && { row, sending: await loadSending(intentId) };
}

const loadSending = (intentId: string): Promise<SendingRow | undefined> =>
  db().selectFrom('manifest_sendings').selectAll().where('intent_id', '=', intentId).executeTakeFirst();

/** The CNPJ or CPF in an invoice that received it, or `cpf` for that of the client; empty if it is not known. */
const findRecipient = async ({
  recipient_id: known,
  document_id: documentId,
}: InvoiceRow): Promise<string> => (known !== '' || documentId === null ? known : recipientIn(documentId));

/** The certificate with which a client can speak for whoever received an invoice: of the same company or person. */
async function speakerFor(row: InvoiceRow): Promise<Speaker | undefined> {
  const who = await loadCredentials(row.client_id);
  if (!who) return undefined;
  const recipient = await findRecipient(row);
  const isPerson = isTaxId('cpf', who.holderNumber);
  const author = recipient === OWN_CPF && isPerson ? who.holderNumber : recipient;
  return haveSameHolder(author, who.holderNumber) ? { who, author } : undefined;
}

/** Nothing goes on with an intent that somebody has settled otherwise. */
const end = async (intentId: string): Promise<void> =>
  void (await db()
    .updateTable('manifest_sendings')
    .set({ next_at: null })
    .where('intent_id', '=', intentId)
    .where('next_at', 'is not', null)
    .execute());

interface Speaker {
  who: Credentials;
  /** The CNPJ or CPF that received the invoice: of a branch, that of the branch. */
  author: string;
}

type Step =
  { kind: 'send'; sending: SendingRow } | { kind: 'look'; sending: SendingRow; key: string } | undefined;

/** Decides what to do next, and notes it before it is done, in the open transaction. */
async function nextStep(intentId: string, authority: TaxAuthority, speaker: Speaker): Promise<Step> {
  const found = await sendable(intentId);
  if (!found) return undefined; // taken back, refused or settled meanwhile
  const { row, sending } = found;
  if (row.intent === 'accepted') {
    // of two that begin at once the other one waits here, and has nothing to do
    const { numUpdatedRows } = await db()
      .updateTable('manifest_intents')
      .set({ state: 'sending' })
      .where('intent_id', '=', intentId)
      .where('state', '=', 'accepted')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return undefined;
    return begin({ row, intent: await intentRow(intentId), authority, ...speaker });
  }
  if (!sending || sending.next_at === null) return undefined;
  if (Number(sending.next_at) > now()) {
    await enqueueSending(row.company_id, intentId, Number(sending.next_at));
    return undefined;
  }
  if (sending.state === 'waiting') return sendAgain(sending);
  // what was sending then is unclear now: its answer was lost
  const looking = await change(sending, { state: 'unclear', next_at: now() + NEXT_LOOK });
  return looking && { kind: 'look', sending: looking, key: row.access_key };
}

interface Beginning extends Speaker {
  row: InvoiceRow;
  intent: IntentRow;
  authority: TaxAuthority;
}

/** Signs the event of an accepted intent, unless the authority would refuse it by now. */
async function begin({ row, intent, authority, who, author }: Beginning): Promise<Step> {
  const { intent_id: intentId, event } = intent;
  const registered = registeredAmong((await loadEvents([row.manifest_id])).get(row.manifest_id) ?? []);
  const facts = { isCancelled: row.status === 'cancelled', lastDay: row.last_day, registered };
  const problem = problemWith(event, facts, today());
  const sequence = nextSequence(event, registered);
  const signed = signEvent(
    {
      environment: authority.environment,
      key: row.access_key,
      code: EVENT_CODES[event],
      sequence,
      author,
      at: now(),
      justification: decryptFrom('manifest_intents.justification', intentId, intent.justification),
    },
    who,
  );
  const values = {
    event_id: signed.id,
    lot: signed.lot,
    xml: encryptFor('manifest_sendings.xml', intentId, signed.xml),
    sequence,
    state: 'sending' as const,
    attempts: 1,
    looks: 0,
    sent_at: now(),
    next_at: now() + FIRST_LOOK,
    code: '',
    reason: '',
  };
  const sending = await db()
    .insertInto('manifest_sendings')
    .values({
      intent_id: intentId,
      manifest_id: row.manifest_id,
      company_id: row.company_id,
      client_id: row.client_id,
      ...values,
    })
    .onConflict((conflict) => conflict.column('intent_id').doUpdateSet(values))
    .returningAll()
    .executeTakeFirstOrThrow();
  if (problem !== undefined) {
    await reject(sending, { code: OWN_CODES[problem], reason: '' });
    return undefined;
  }
  await updateInvoice(row.manifest_id, { intent: 'sent', version: Number(row.version) + 1 });
  await enqueueSending(row.company_id, intentId, Number(sending.next_at));
  return { kind: 'send', sending };
}

/** The same bytes once more. */
async function sendAgain(sending: SendingRow): Promise<Step> {
  const again = await change(sending, {
    state: 'sending',
    attempts: Number(sending.attempts) + 1,
    looks: 0,
    sent_at: now(),
    next_at: now() + FIRST_LOOK,
  });
  return again && { kind: 'send', sending: again };
}

/** Changes a sending that nobody else has changed since it was read, and goes on with it when it is due. */
async function change(
  sending: SendingRow,
  values: Partial<
    Pick<SendingRow, 'state' | 'attempts' | 'looks' | 'sent_at' | 'next_at' | 'code' | 'reason'>
  >,
): Promise<SendingRow | undefined> {
  const changed = await db()
    .updateTable('manifest_sendings')
    .set(values)
    .where('intent_id', '=', sending.intent_id)
    .where('state', '=', sending.state)
    .where('next_at', '=', sending.next_at)
    .returningAll()
    .executeTakeFirst();
  if (changed && changed.next_at !== null)
    await enqueueSending(changed.company_id, changed.intent_id, Number(changed.next_at));
  return changed;
}

async function later(sending: SendingRow | undefined, after: number): Promise<void> {
  if (sending && sending.next_at !== null)
    await inTransaction(() => change(sending, { next_at: now() + after }));
}

/** Does what an answer says, or what its absence needs. */
async function takeReply(sending: SendingRow, who: Credentials, reply: Outcome<EventReply>): Promise<void> {
  await inTransaction(async () => {
    if (reply.state === 'answered') return takeAnswer(sending, who, reply);
    if (reply.state === 'unclear')
      return void (await change(sending, { state: 'unclear', looks: 0, next_at: now() + FIRST_LOOK }));
    if (reply.because === 'certificate') return withoutCertificate(sending, who, NO_ACCESS);
    return wait(sending);
  });
}

async function takeAnswer(sending: SendingRow, who: Credentials, reply: EventReply): Promise<void> {
  const { code, reason } = reply;
  switch (meaningOf(code)) {
    case 'registered':
      // one without a protocol is not believed, but looked up
      if (reply.protocol === '') return lookUp(sending, reply);
      return register(sending, reply);
    case 'duplicate':
      return lookUp(sending, reply);
    case 'closed':
      await updateInvoice(sending.manifest_id, { is_cancelled: 1 });
      await over(sending, 'rejected', reply);
      return settleInvoice(sending.manifest_id);
    case 'certificate':
      return withoutCertificate(sending, who, code);
    case 'misuse':
      return wait(sending, HOUR, reply);
    case 'down':
      return wait(sending, undefined, reply);
    case 'layout':
      if (!isForLetters(sending, code)) await pauseSending(code);
      return reject(sending, { code, reason });
    default:
      return reject(sending, { code, reason });
  }
}

/**
 * Everything sent would be refused for the same reason: nothing is for an hour, after which the next one shows whether that
 * has changed. What waits can be told by hand.
 */
async function pauseSending(code: string): Promise<void> {
  log.error({ event: 'manifest.layout-refused', status: Number(code) });
  await startOnce(PAUSED, HOUR);
}

/** Whether sending is paused, since the authority has refused the layout of what was sent. */
export const isSendingPaused = (): Promise<boolean> => hasStarted(PAUSED);

/** An older layout at the authority, which refuses keys with letters alone. */
const isForLetters = ({ event_id: id }: SendingRow, code: string): boolean =>
  WITHOUT_LETTERS.includes(code) && /[A-Z]/.test(id.slice('ID'.length));

const lookUp = async (sending: SendingRow, { code, reason }: Status): Promise<void> =>
  void (await change(sending, { state: 'unclear', looks: 0, next_at: now() + FIRST_LOOK, code, reason }));

/** The authority surely has it not, and gets it later. */
async function wait(
  sending: SendingRow,
  after?: number,
  { code, reason }: Status = { code: '', reason: '' },
) {
  const retry = RETRIES[Math.min(Number(sending.attempts), RETRIES.length) - 1] ?? HOUR;
  await change(sending, { state: 'waiting', next_at: now() + (after ?? retry), code, reason });
}

/** What the authority has about the invoice: the event, if it had arrived. */
async function takeSituation(
  sending: SendingRow,
  who: Credentials,
  outcome: Outcome<Status & { events: KnownEvent[] }>,
): Promise<void> {
  await inTransaction(async () => {
    if (outcome.state === 'notSent' && outcome.because === 'certificate') {
      await stopUsing(who.certificateId, NO_ACCESS);
      return; // it is looked up again with the next one
    }
    if (outcome.state !== 'answered') return;
    const meaning = meaningOf(outcome.code);
    if (meaning === 'certificate') return stopUsing(who.certificateId, outcome.code);
    if (meaning === 'misuse' || meaning === 'down') return later(sending, HOUR);
    const own = outcome.events.find(
      ({ id, author, code }) =>
        id === sending.event_id &&
        haveSameHolder(author, who.holderNumber) &&
        meaningOf(code) === 'registered',
    );
    if (own) return register(sending, own);
    const looks = Number(sending.looks) + 1;
    if (looks < LOOKS) return void (await change(sending, { looks, next_at: now() + NEXT_LOOK }));
    // it has an event of this kind that it does not show: a person has to look
    if (meaningOf(sending.code) === 'duplicate') return reject(sending, sending);
    return void (await change(sending, { state: 'waiting', looks, next_at: now() }));
  });
}

/** The authority has registered the event. */
async function register(
  sending: SendingRow,
  { code, reason, protocol, registeredAt }: EventReply,
): Promise<void> {
  if (!(await over(sending, 'registered', { code, reason }))) return;
  const { intent_id: intentId, manifest_id: id, company_id: companyId, client_id: clientId } = sending;
  const { event } = await intentRow(intentId);
  await addEvent(id, {
    event,
    sequence: Number(sending.sequence),
    source: 'authority',
    protocol,
    registeredAt: registeredAt ?? now(),
    recordedBy: null,
  });
  await settleInvoice(id);
  const details = { event, protocol };
  await audit({ companyId, actor: 'portal', action: 'manifest.register', target: id, clientId, details });
}

/** The authority has refused it: a person decides what to do. */
async function reject(sending: SendingRow, status: Status): Promise<void> {
  if (!(await over(sending, 'rejected', status))) return;
  const { intent_id: intentId, manifest_id: id, company_id: companyId, client_id: clientId } = sending;
  const { event } = await intentRow(intentId);
  await updateIntent(intentId, { state: 'rejected' });
  const row = await db()
    .updateTable('manifest_documents')
    .set((e) => ({ intent: 'failed', version: e('version', '+', 1) }))
    .where('manifest_id', '=', id)
    .where('intent_id', '=', intentId)
    .returningAll()
    .executeTakeFirst();
  if (!row) return; // settled meanwhile
  const details = { event, code: status.code };
  await audit({ companyId, actor: 'portal', action: 'manifest.reject', target: id, clientId, details });
  await intentRejected.announce({ companyId, clientId, intentId, name: `NF-e ${invoiceName(row)}` });
}

/** It surely was not registered: it waits in the worklist until there is another certificate, or somebody tells it by hand. */
async function withoutCertificate(sending: SendingRow, who: Credentials, code: string): Promise<void> {
  await stopUsing(who.certificateId, code);
  const { numDeletedRows } = await db()
    .deleteFrom('manifest_sendings')
    .where('intent_id', '=', sending.intent_id)
    .where('state', '=', sending.state)
    .where('next_at', '=', sending.next_at)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return;
  await updateIntent(sending.intent_id, { state: 'accepted' });
  await db()
    .updateTable('manifest_documents')
    .set((e) => ({ intent: 'accepted', version: e('version', '+', 1) }))
    .where('intent_id', '=', sending.intent_id)
    .execute();
  await intentsSettled.announce({ intentIds: [sending.intent_id] });
}

/** Ends a sending; false if somebody else has gone on with it. */
async function over(
  sending: SendingRow,
  state: 'registered' | 'rejected',
  { code, reason }: Status,
): Promise<boolean> {
  const ended = await db()
    .updateTable('manifest_sendings')
    .set({ state, next_at: null, code, reason })
    .where('intent_id', '=', sending.intent_id)
    .where('next_at', 'is not', null)
    .where('sent_at', '=', sending.sent_at)
    .executeTakeFirst();
  return ended.numUpdatedRows > 0n;
}

const AT_ONCE = 200;

/** Has everything go on that is due: what a restart, a new certificate or the end of a lock has left. */
export async function resumeSendings(): Promise<void> {
  if (!taxAuthority()) return;
  const due = await db()
    .selectFrom('manifest_sendings')
    .select(['company_id', 'intent_id', 'next_at'])
    .where('next_at', '<=', now() - MINUTE)
    .orderBy('next_at')
    .limit(AT_ONCE)
    .execute();
  const accepted = await db()
    .selectFrom('client_certificates')
    .innerJoin('manifest_documents', (join) =>
      join
        .onRef('manifest_documents.company_id', '=', 'client_certificates.company_id')
        .onRef('manifest_documents.client_id', '=', 'client_certificates.client_id'),
    )
    .innerJoin('manifest_intents', 'manifest_intents.intent_id', 'manifest_documents.intent_id')
    .select(['manifest_documents.company_id', 'manifest_documents.intent_id'])
    .where('manifest_documents.intent', '=', 'accepted')
    .where('manifest_intents.decided_at', '<', now() - 5 * MINUTE)
    .where('client_certificates.valid_to', '>', now())
    .where('client_certificates.refused_code', '=', '')
    .limit(AT_ONCE)
    .execute();
  const hour = Math.floor(now() / HOUR) * HOUR;
  for (const { company_id: companyId, intent_id: intentId } of [...due, ...accepted])
    if (intentId !== null) await enqueueSending(companyId, intentId, hour);
}

/** How far an intent is with the authority, for those who see its invoice. */
export async function sendingState(
  intentId: string,
): Promise<{ state: SendingRow['state']; nextAt: number | null; code: string; reason: string } | undefined> {
  const row = await loadSending(intentId);
  return (
    row && {
      state: row.state,
      nextAt: row.next_at === null ? null : Number(row.next_at),
      code: row.code,
      reason: row.reason,
    }
  );
}
