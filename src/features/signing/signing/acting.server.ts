import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { issueReceipts } from '#features/base/receipts/issuing.server.ts';
import { undrawableLetters } from '#features/documents/seals/letters.server.ts';
import { performSystemAction } from '#features/tasks/tasks/acting.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import { DEFAULT_LANG, languageOf, type Lang } from '#platform/text/languages.ts';
import { recordDone } from '#platform/mail/mail-log.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { consentText, hasAgreed, keepConsentText } from './consent.server.ts';
import { checkedDrawing } from './drawings.server.ts';
import { signingNeedsFirm } from './events.server.ts';
import { addEvidence } from './evidence.server.ts';
import { IDENTITY_PROVIDERS } from './identity.server.ts';
import {
  fieldsOf,
  pagesOf,
  signingOfTask,
  signersOf,
  type SignField,
  type Signer,
} from './internal/rows.server.ts';
import { senderMail } from './mails.server.ts';
import { imageOfPage, SHOWN_WIDTH } from './pages.server.ts';
import { assertTurn, inTurn, type Party, type Seat } from './party.server.ts';
import { inviteNext, revokeLinks } from './sending.server.ts';
import { initialsOf } from './rules.ts';
import type { FieldKind } from './signing.ts';

const from = ({ origin, via }: Party) => ({ via, ...origin });

/** Notes that a signer has begun; the first time only. */
export function begin(party: Party): Promise<void> {
  return inTurn(party, (seat) => beginIn(party, seat));
}

async function beginIn(party: Party, { signing, signer }: Seat): Promise<void> {
  await performSystemAction(party.taskId, 'start', { by: actorId(signer) });
  if (signer.openedAt !== null) return;
  await db()
    .updateTable('signers')
    .set({ opened_at: now() })
    .where('signer_id', '=', signer.signerId)
    .execute();
  await addEvidence(signing.signing_id, 'opened', { signerId: signer.signerId, data: from(party) });
}

/** Who is named in the audit log and in receipts: the contact, or the signer who has no account. */
const actorId = ({ contactId, signerId }: Signer): string => contactId ?? signerId;

/** Agrees to sign electronically, in the text of this language. CHANGED if another text was shown; TURN. */
export function agree(party: Party, lang: Lang, version: string): Promise<void> {
  return inTurn(party, async (seat) => {
    const { signing, signer } = seat;
    assertTurn(seat);
    const text = await consentText(signing.company_id, lang);
    if (text.sha256 !== version) throw new PortalError('CHANGED');
    if (signer.consentSha256 === version) return;
    await beginIn(party, seat);
    await keepConsentText(signing.company_id, text);
    await db()
      .updateTable('signers')
      .set({
        consent_sha256: version,
        consent_version: text.version,
        consent_language: text.language,
        consent_at: now(),
      })
      .where('signer_id', '=', signer.signerId)
      .execute();
    await addEvidence(signing.signing_id, 'agreed', {
      signerId: signer.signerId,
      data: { ...from(party), text: version, version: text.version, textLanguage: text.language },
    });
  });
}

/** Notes that a page was shown to a signer, with the digest of its image; once for each page. TURN. */
export async function notePage(party: Party, page: number): Promise<void> {
  const found = await signingOfTask(party.taskId);
  if (!found || page < 1 || page > pagesOf(found).length) return;
  const image = sha256(await imageOfPage(found, { contactId: party.signerId }, { page, width: SHOWN_WIDTH }));
  await inTurn(party, async (seat) => {
    const { signing, signer } = seat;
    assertTurn(seat);
    if (signer.seenPages.includes(page)) return;
    await db()
      .updateTable('signers')
      .set({ seen_pages: JSON.stringify([...signer.seenPages, page].toSorted((a, b) => a - b)) })
      .where('signer_id', '=', signer.signerId)
      .execute();
    await addEvidence(signing.signing_id, 'page-shown', {
      signerId: signer.signerId,
      data: { page, image },
    });
  });
}

/** Starts the identity check of a request, such as mailing a code. TURN, TOO_MANY. */
export async function startIdentityCheck(party: Party): Promise<void> {
  const { signing, signer } = await inTurn(party, (seat) => {
    assertTurn(seat);
    return Promise.resolve(seat);
  });
  await IDENTITY_PROVIDERS[signing.identity].start?.({ signing, signer, prismGuid: userOf(party) });
}

const userOf = (party: Party): string | undefined =>
  party.via === 'account' ? party.actor.prismGuid : undefined;

export interface Signature {
  /** The digest of the prepared document that was shown. */
  sha256: string;
  name: string;
  /** Texts by the ids of the fields; a checked box is `on`. */
  values: Readonly<Record<string, string>>;
  /** A drawn signature as a data URL of a PNG; empty for the typed name. */
  drawing?: string;
  /** The code of the identity check. */
  code?: string;
  /** The date in the time zone of the signer, as it is written into the document. */
  date: string;
  timeZone: string;
}

/** What became of a signature. A repeated one has the outcome of the first. */
export interface Signed {
  receipt: number | null;
  signedAt: number;
}

/**
 * Signs: CHANGED if another document was shown, TURN if others sign first, INCOMPLETE with the ids of empty fields or
 * with `consent` unless they agreed to the text that is shown now in the language of the page, CLOSED and EXPIRED as for {@link inTurn}, CODE_WRONG, TOO_MANY and MFA_AUTHENTICATION_REQUIRED of the identity check,
 * INVALID for a drawing that is none, and with `field` and `letters` for letters that cannot be drawn. Whoever has signed gets the first answer again.
 */
export async function sign(party: Party, signature: Signature): Promise<Signed> {
  const repeated = await inTurn(party, ({ signer }) => Promise.resolve(answerOf(signer)), {
    evenIfOver: true,
  });
  if (repeated) return repeated;
  const seat = await inTurn(party, async (found) => {
    await assertSignable(party, found, signature);
    return found;
  });
  await assertDrawable(party, seat.signing.company_id, signature);
  const drawing = await checkedDrawing(signature.drawing ?? '', {
    person: party.signerId,
    firm: seat.signing.company_id,
  });
  const proof = await IDENTITY_PROVIDERS[seat.signing.identity].check(
    { signing: seat.signing, signer: seat.signer, prismGuid: userOf(party) },
    signature.code ?? '',
  );
  return inTurn(
    party,
    async (current) => {
      const first = answerOf(current.signer);
      if (first) return first;
      await assertSignable(party, current, signature);
      if (proof)
        await addEvidence(current.signing.signing_id, 'factor-used', {
          signerId: party.signerId,
          data: { ...from(party), ...proof },
        });
      return record(party, current, { ...signature, drawing });
    },
    { evenIfOver: false },
  );
}

/** Throws INVALID with the `field` and its `letters` for a text that cannot be written into the document. */
async function assertDrawable(
  { signerId: person }: Party,
  firm: string,
  { name, values, drawing = '' }: Signature,
): Promise<void> {
  // a drawing is shown instead of the name
  const texts = [...(drawing === '' ? [['name', name] as const] : []), ...Object.entries(values)];
  for (const [field, text] of texts) {
    const letters = await undrawableLetters({ person, firm }, [text]);
    if (letters.length > 0) throw new PortalError('INVALID', { field, letters: letters.join(' ') });
  }
}

const answerOf = ({ state, receipt, actedAt }: Signer): Signed | undefined =>
  state === 'signed' ? { receipt, signedAt: actedAt ?? 0 } : undefined;

async function assertSignable(
  { origin }: Party,
  seat: Seat,
  { sha256: shown, values, name }: Signature,
): Promise<void> {
  const { signing, signer } = seat;
  assertTurn(seat);
  if (shown !== signing.prepared_sha256) throw new PortalError('CHANGED');
  if (name.trim() === '') throw new PortalError('INCOMPLETE', { fields: ['name'] });
  const consent = await consentText(signing.company_id, languageOf(origin.language) ?? DEFAULT_LANG);
  if (!(await hasAgreed(signing.company_id, signer, consent.sha256)))
    throw new PortalError('INCOMPLETE', { consent: true });
  const empty = (await fieldsOf(signing.signing_id)).filter(
    ({ signerId, required, kind, fieldId }) =>
      signerId === signer.signerId && required && isEntered(kind) && (values[fieldId] ?? '').trim() === '',
  );
  if (empty.length > 0) throw new PortalError('INCOMPLETE', { fields: empty.map(({ fieldId }) => fieldId) });
}

/** Signatures and dates follow from signing itself. */
export const isEntered = (kind: FieldKind): boolean => kind !== 'signature' && kind !== 'date';

async function record(
  party: Party,
  { signing, signer }: Seat,
  signature: Signature & { drawing: string },
): Promise<Signed> {
  const { signing_id: signingId, company_id: companyId, client_id: clientId } = signing;
  const name = signature.name.trim();
  await performSystemAction(party.taskId, 'start', { by: actorId(signer) });
  const fields = (await fieldsOf(signingId)).filter(({ signerId }) => signerId === signer.signerId);
  const values: Record<string, string> = {};
  for (const field of fields) {
    const value = valueOf(field, signature, name);
    values[field.fieldId] = value;
    await db()
      .updateTable('sign_fields')
      .set({ value: encryptFor('sign_fields.value', field.fieldId, value) })
      .where('field_id', '=', field.fieldId)
      .execute();
  }
  const { receipt, receiptHash } = await issueReceipts({
    companyId,
    kind: 'signature',
    actor: actorId(signer),
    documents: [
      {
        documentId: signing.document_id,
        clientId,
        name: signing.document_name,
        size: signing.prepared_size,
        sha256: signing.prepared_sha256,
      },
    ],
  });
  const signedAt = now();
  await db()
    .updateTable('signers')
    .set({
      state: 'signed',
      typed_name: encryptFor('signers.typed_name', signer.signerId, name),
      drawing:
        signature.drawing === '' ? null : encryptFor('signers.drawing', signer.signerId, signature.drawing),
      acted_at: signedAt,
      receipt: receipt ?? null,
    })
    .where('signer_id', '=', signer.signerId)
    .execute();
  await recordDone([signer.signerId]);
  const hash = await addEvidence(signingId, 'signed', {
    signerId: signer.signerId,
    data: {
      ...from(party),
      timeZone: signature.timeZone,
      document: signing.prepared_sha256,
      name,
      nameOfRecord: signer.name,
      method: signature.drawing === '' ? 'typed' : 'drawn',
      ...(signature.drawing !== '' && { drawing: sha256(signature.drawing) }),
      values: sha256(JSON.stringify(values)),
      receipt: receipt ?? null,
    },
  });
  await audit({
    companyId,
    actor: actorId(signer),
    action: 'signing.sign',
    target: party.taskId,
    clientId,
    details: {
      sha256: signing.prepared_sha256,
      evidence: hash,
      ...(receipt !== undefined && receiptHash !== undefined && { receipt, receiptHash }),
    },
  });
  const left = (await signersOf(signingId)).filter(({ state }) => state !== 'signed');
  if (left.length > 0) await inviteNext(signing);
  else await complete(party, { signing, signer, hash });
  return { receipt: receipt ?? null, signedAt };
}

function valueOf(
  { kind, fieldId }: SignField,
  { values, date }: Pick<Signature, 'values' | 'date'>,
  name: string,
): string {
  if (kind === 'signature') return name;
  if (kind === 'date') return date;
  const typed = (values[fieldId] ?? '').trim();
  if (kind === 'checkbox') return typed === '' ? '' : 'X';
  return kind === 'initials' && typed === '' ? initialsOf(name) : typed;
}

/** All have signed: the task is received, and a job seals the document. */
async function complete(
  party: Party,
  { signing, signer, hash }: Pick<Seat, 'signing' | 'signer'> & { hash: string },
): Promise<void> {
  await performSystemAction(party.taskId, 'submit', {
    by: actorId(signer),
    content: { signing: signing.signing_id, document: signing.prepared_sha256, evidence: hash },
  });
  await db()
    .updateTable('sign_documents')
    .set({ state: 'signed', signed_at: now(), seal_since: now() })
    .where('signing_id', '=', signing.signing_id)
    .execute();
  await enqueue(
    SEAL_JOB,
    { signingId: signing.signing_id },
    `seal:${signing.signing_id}`,
    signing.company_id,
  );
}

/** The kind of the job that seals what all have signed. */
export const SEAL_JOB = 'seal-signed';

/** Declines, which ends the request for all. EMPTY without a reason; TURN, CLOSED. */
export function decline(party: Party, reason: string): Promise<void> {
  return inTurn(party, async (seat) => {
    const { signing, signer, signers } = seat;
    assertTurn(seat);
    await performSystemAction(party.taskId, 'decline', { by: actorId(signer), reason });
    await db()
      .updateTable('signers')
      .set({
        state: 'declined',
        acted_at: now(),
        reason: encryptFor('signers.reason', signer.signerId, reason.trim()),
      })
      .where('signer_id', '=', signer.signerId)
      .execute();
    await db()
      .updateTable('sign_documents')
      .set({ state: 'declined' })
      .where('signing_id', '=', signing.signing_id)
      .execute();
    await recordDone(signers.map(({ signerId }) => signerId));
    await addEvidence(signing.signing_id, 'declined', {
      signerId: signer.signerId,
      data: { ...from(party), reason: reason.trim() },
    });
    await revokeLinks(
      signers.filter(({ signerId }) => signerId !== signer.signerId).map(({ signerId }) => signerId),
    );
    await audit({
      companyId: signing.company_id,
      actor: actorId(signer),
      action: 'signing.decline',
      target: party.taskId,
      clientId: signing.client_id,
    });
    await tellSender('declined', seat);
  });
}

/** Stops a link, because the person who opened it says that they are someone else. */
export function disown(party: Party): Promise<void> {
  return inTurn(party, async (seat) => {
    const { signing, signer } = seat;
    if (signer.state !== 'waiting') throw new PortalError('CLOSED');
    await db()
      .updateTable('signers')
      .set({ state: 'disowned' })
      .where('signer_id', '=', signer.signerId)
      .execute();
    await revokeLinks([signer.signerId]);
    await addEvidence(signing.signing_id, 'disowned', { signerId: signer.signerId, data: from(party) });
    await audit({
      companyId: signing.company_id,
      actor: signer.signerId,
      action: 'signing.disown',
      target: party.taskId,
      clientId: signing.client_id,
    });
    await tellSender('disowned', seat);
  });
}

/** Tells the firm about something that it has to see to, by a mail to the sender and in the inbox. */
export async function tellSender(
  kind: 'declined' | 'disowned' | 'asleep' | 'failed',
  { signing, signer }: Pick<Seat, 'signing'> & { signer?: Signer },
): Promise<void> {
  const sender = await actorOf(signing.sender);
  const firm = await firmOf(signing.company_id);
  await signingNeedsFirm.announce({
    signingId: signing.signing_id,
    taskId: signing.task_id ?? '',
    companyId: signing.company_id,
    clientId: signing.client_id,
    title: signing.title,
    senderId: signing.sender,
  });
  await queueMail(
    senderMail(kind, { signing, firm, sender, name: signer?.name ?? '' }),
    `sign-${kind}-${signer?.signerId ?? signing.signing_id}-${now()}`,
  );
}
