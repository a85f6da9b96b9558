import { Readable } from 'node:stream';
import { insertDocument } from '#features/documents/documents/adding.server.ts';
import { nextFreeName } from '#features/documents/documents/free-names.server.ts';
import { documentsNamed } from '#features/documents/documents/scope.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { containerOf, uploadFolderOf } from '#features/documents/folders/folders.server.ts';
import { CONTAINER_TYPES } from '#features/documents/folders/folders.ts';
import type { ContainerRow } from '#features/documents/folders/scope.server.ts';
import { actorNow, actorOf, assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { recordSealed, sealPdf, type Stamp } from '#features/documents/seals/sealing.server.ts';
import { performSystemAction } from '#features/tasks/tasks/acting.server.ts';
import { assertManagesTasks } from '#features/tasks/tasks/creating.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { commitBlob, putBlob, removeBlob } from '#platform/storage/blobs.server.ts';
import { DAY, HOUR, now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { mailedPage } from '#platform/mail/mail-layout.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { z } from 'zod';
import { SEAL_JOB, tellSender } from './acting.server.ts';
import { certificateOf } from './certificate.server.ts';
import { preparedBytes } from './drafting.server.ts';
import { signingSettled } from './events.server.ts';
import { addEvidence } from './evidence.server.ts';
import { fieldsOf, signersOf, signingOfTask, signingRow, type SigningRow } from './internal/rows.server.ts';
import { sealedMail } from './mails.server.ts';
import { lacksTimestamp, noteSealWait, WITH_TIMESTAMP_FOR } from './seal-waits.server.ts';
import { addLink } from './sending.server.ts';
import { MAX_DOCUMENT } from './signing.ts';

/** When sealing is given up, until staff try again. */
const GIVEN_UP_AFTER = DAY + 2 * HOUR;

const payload = z.object({ signingId: z.string() });

/**
 * Seals what all have signed, files it, and completes the task. It may run again at any point: only the transaction
 * at its end has an effect, and only while the request waits for it.
 */
export async function sealSigned(input: unknown): Promise<void> {
  const { signingId } = payload.parse(input);
  const signing = await signingRow(signingId);
  if (signing.state !== 'signed') return;
  const since = now() - (signing.seal_since ?? now());
  try {
    await seal(signing, since > WITH_TIMESTAMP_FOR);
  } catch (error) {
    if (since <= GIVEN_UP_AFTER && isTemporary(error)) {
      if (lacksTimestamp(error)) await noteSealWait(signing);
      throw error;
    }
    await giveUp(signing, refusal(error)?.details['cause']);
    throw error;
  }
}

/** A refused document is refused again; anything else may work later. */
const isTemporary = (error: unknown): boolean => {
  const code = refusal(error)?.code;
  return code === undefined || code === 'UNAVAILABLE' || code === 'TOO_MANY' || code === 'QUOTA';
};

async function seal(signing: SigningRow, withoutTimestamp: boolean): Promise<void> {
  const { signing_id: signingId, company_id: companyId } = signing;
  const stamps = await stampsOf(signing);
  const certificate = await certificateOf(signing);
  const sealed = await sealPdf({
    companyId,
    prepared: await preparedBytes(signing),
    stamps,
    certificate,
    signedAt: signing.signed_at ?? now(),
    ...(withoutTimestamp && { withoutTimestamp }),
  });
  const blob = await putBlob(Readable.from([Buffer.from(sealed.bytes)]), MAX_DOCUMENT * 3);
  let isFiled = false;
  try {
    isFiled = await inTransaction(async () => {
      const { numUpdatedRows } = await db()
        .updateTable('sign_documents')
        .set({
          state: 'sealed',
          sealed_at: now(),
          sealed_sha256: sealed.sha256,
          seal_level: sealed.level,
          seal_key: sealed.keyId,
          stamp_wait_since: null,
        })
        .where('signing_id', '=', signingId)
        .where('state', '=', 'signed')
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      const filer = await filerOf(signing);
      const place = await placeOf(filer, signing);
      await commitBlob(blob);
      const documentId = await insertDocument(filer, place, {
        name: await nextFreeName(place, sealedName(signing)),
        mime: 'application/pdf',
        blob,
      });
      await db()
        .updateTable('sign_documents')
        .set({ sealed_document: documentId })
        .where('signing_id', '=', signingId)
        .execute();
      await recordSealed({
        companyId,
        sha256: sealed.sha256,
        keyId: sealed.keyId,
        title: signing.title,
        taskId: signing.task_id ?? '',
      });
      const hash = await addEvidence(signingId, 'sealed', {
        data: {
          before: signing.prepared_sha256,
          after: sealed.sha256,
          level: sealed.level,
          key: sealed.keyId,
          // without an answer for a day it is left out
          timestamp: sealed.timestamp === 'left-out' ? 'unreachable' : sealed.timestamp,
        },
      });
      await audit({
        companyId,
        actor: signing.sender,
        action: 'signing.seal',
        target: signing.task_id ?? signingId,
        clientId: signing.client_id,
        details: { sha256: sealed.sha256, level: sealed.level, evidence: hash },
      });
      if (signing.task_id !== null)
        await performSystemAction(signing.task_id, 'confirm', { by: signing.sender });
      await signingSettled.announce({ signingId });
      await sendCopies(signing, documentId);
      return true;
    });
  } finally {
    if (!isFiled) await removeBlob(blob.key);
  }
}

/** The firm files the document, whatever the rights of the sender are by now. */
async function filerOf({ sender }: SigningRow): Promise<Actor> {
  return { ...(await actorOf(sender)), hasAllClients: true };
}

/** The folder of the original, or the firm's folder of the client if it is gone. */
async function placeOf(filer: Actor, signing: SigningRow): Promise<ContainerRow> {
  const [original] = await documentsNamed(filer, [signing.document_id]);
  if (original && original.client_id === signing.client_id)
    return containerOf(filer, CONTAINER_TYPES[original.container_type], original.container_id);
  const folder = await uploadFolderOf(filer, signing.client_id, 'firm');
  return containerOf(filer, folder.containerType, folder.id);
}

const sealedName = ({ document_name: name, language }: SigningRow): string =>
  translationsFor(languageOf(language) ?? DEFAULT_LANG, 'signing')('sealedName', {
    name: name.replace(/\.pdf$/iu, ''),
  });

/** What the signers of a request put on its pages. */
export async function stampsOf({ signing_id: signingId }: SigningRow): Promise<Stamp[]> {
  const signers = new Map((await signersOf(signingId)).map((signer) => [signer.signerId, signer]));
  return (await fieldsOf(signingId))
    .filter(({ value }) => value !== '')
    .map(({ kind, page, x, y, width, height, value, signerId }): Stamp => {
      const drawing = kind === 'signature' ? (signers.get(signerId)?.drawing ?? '') : '';
      return {
        page: page - 1,
        x,
        y,
        width,
        height,
        kind,
        text: value,
        ...(drawing !== '' && { image: new Uint8Array(Buffer.from(drawing, 'base64')) }),
      };
    });
}

/** Every signer gets the sealed copy: contacts in the portal, others by a new link. */
async function sendCopies(signing: SigningRow, documentId: string): Promise<void> {
  const firm = await firmOf(signing.company_id);
  for (const signer of await signersOf(signing.signing_id)) {
    const lang = languageOf(signer.language) ?? DEFAULT_LANG;
    const token = signer.contactId === null ? await addLink(signer.signerId) : undefined;
    await queueMail(
      sealedMail({
        signing,
        signer,
        firm,
        lang,
        token,
        documentUrl:
          token === undefined
            ? mailedPage(lang, `documents/${documentId}`, {
                companyId: signing.company_id,
                clientId: signing.client_id,
              })
            : undefined,
      }),
      `sign-sealed-${signer.signerId}`,
    );
  }
}

async function giveUp(signing: SigningRow, cause: unknown): Promise<void> {
  await inTransaction(async () => {
    const { numUpdatedRows } = await db()
      .updateTable('sign_documents')
      .set({ state: 'failed', stamp_wait_since: null })
      .where('signing_id', '=', signing.signing_id)
      .where('state', '=', 'signed')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    await signingSettled.announce({ signingId: signing.signing_id });
    await addEvidence(signing.signing_id, 'seal-failed', {
      ...(typeof cause === 'string' && { data: { cause } }),
    });
    await tellSender('failed', { signing });
  });
}

/** Tries again to seal a document whose signatures are kept. FORBIDDEN, NOT_FOUND, NOT_POSSIBLE. */
export async function sealAgain(actor: Actor, taskId: string): Promise<void> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    assertManagesTasks(current);
    const signing = await signingOfTask(taskId);
    if (!signing) throw notFound();
    await assertActsFor(current, signing.client_id);
    if (signing.state !== 'failed') throw new PortalError('NOT_POSSIBLE');
    await db()
      .updateTable('sign_documents')
      .set({ state: 'signed', seal_since: now() })
      .where('signing_id', '=', signing.signing_id)
      .execute();
    await signingSettled.announce({ signingId: signing.signing_id });
    const { signing_id: signingId, company_id: companyId } = signing;
    await enqueue(SEAL_JOB, { signingId }, `seal:${signingId}:${now()}`, companyId);
  });
}

/** Enqueues again what has waited for an hour: a restored backup cancels jobs. */
export async function resumeSealing(): Promise<void> {
  const rows = await db()
    .selectFrom('sign_documents')
    .selectAll()
    .where('state', '=', 'signed')
    .where('seal_since', '<', now() - HOUR)
    .execute();
  for (const row of rows)
    await enqueue(
      SEAL_JOB,
      { signingId: row.signing_id },
      `seal:${row.signing_id}:${Math.floor(now() / HOUR)}`,
      row.company_id,
    );
}
