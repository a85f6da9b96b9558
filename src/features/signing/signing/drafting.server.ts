import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { contactsOfClient } from '#features/clients/clients/client-overview.server.ts';
import { bytesOf } from '#features/documents/documents/bytes.server.ts';
import { actorNow, actorOf, assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { preparePdf } from '#features/documents/seals/preparing.server.ts';
import { assertManagesTasks } from '#features/tasks/tasks/creating.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { commitBlob, putBlob, readBlob, releaseBlobs, removeBlob } from '#platform/storage/blobs.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { languageOf, type Lang } from '#platform/text/languages.ts';
import { FIRST } from './evidence.server.ts';
import {
  fieldsOf,
  notCarried,
  pagesOf,
  signersOf,
  signingRow,
  type NotCarried,
  type SigningRow,
} from './internal/rows.server.ts';
import { textBeside } from './pages.server.ts';
import { inReadingOrder } from './rules.ts';
import {
  MAX_DOCUMENT,
  MAX_PAGES,
  MAX_SIGNERS,
  type NewRequest,
  type NewSigner,
  type PageSize,
  type PlacedField,
} from './signing.ts';

/**
 * Starts a request: prepares the document, which freezes what will be shown and signed, and returns the id of the
 * draft. FORBIDDEN, NOT_FOUND for a client, document or contact that is not the actor's; INVALID with `field`;
 * TYPE_NOT_ALLOWED, LOCKED, NOT_POSSIBLE, TOO_LARGE or UNREADABLE for a document that cannot be signed.
 */
export async function draftRequest(actor: Actor, input: NewRequest, lang: Lang): Promise<string> {
  assertManagesTasks(actor);
  await assertActsFor(actor, input.clientId);
  const signers = await checkedSigners(actor, input);
  const [document] = await bytesOf(actor, [input.documentId]);
  if (!document || document.clientId !== input.clientId) throw notFound();
  if (document.mimeType !== 'application/pdf') throw new PortalError('TYPE_NOT_ALLOWED');
  if (document.size > MAX_DOCUMENT) throw new PortalError('TOO_LARGE', { most: MAX_DOCUMENT });
  const source = await buffer(document.open());
  const prepared = await preparePdf(source);
  if (prepared.pages.length > MAX_PAGES) throw new PortalError('TOO_LARGE', { pages: MAX_PAGES });
  const blob = await putBlob(Readable.from([Buffer.from(prepared.bytes)]), MAX_DOCUMENT * 2);
  const signingId = newId('signing');
  const { signatures, differences } = prepared;
  // the document in the folder may be deleted, and with it the signatures that it bears
  const original = signatures.length > 0 ? await putBlob(Readable.from([source]), MAX_DOCUMENT) : undefined;
  try {
    await inTransaction(async () => {
      const current = await actorNow(actor);
      assertManagesTasks(current);
      await assertActsFor(current, input.clientId);
      await commitBlob(blob);
      if (original) await commitBlob(original);
      await db()
        .insertInto('sign_documents')
        .values({
          signing_id: signingId,
          company_id: current.companyId,
          client_id: input.clientId,
          task_id: null,
          title: input.title,
          document_id: document.documentId,
          document_name: document.name,
          source_sha256: document.sha256,
          prepared_blob: blob.key,
          prepared_size: blob.size,
          prepared_sha256: blob.sha256,
          pages: JSON.stringify(prepared.pages.map(({ width, height }) => ({ width, height }))),
          foreign_signatures:
            signatures.length > 0
              ? encryptFor('sign_documents.foreign_signatures', signingId, JSON.stringify(signatures))
              : null,
          differences: differences.length > 0 ? JSON.stringify(differences) : null,
          original_blob: original?.key ?? null,
          original_size: original?.size ?? null,
          identity: input.identity,
          due_on: input.dueDate,
          language: lang,
          state: 'draft',
          sender: current.contactId,
          created_at: now(),
          sent_at: null,
          signed_at: null,
          seal_since: null,
          sealed_at: null,
          sealed_document: null,
          sealed_sha256: null,
          seal_level: null,
          seal_key: null,
          evidence_count: 0,
          evidence_hash: FIRST,
        })
        .execute();
      for (const [index, signer] of signers.entries()) await insertSigner(signingId, index + 1, signer, lang);
    });
  } catch (error) {
    await removeBlob(blob.key);
    if (original) await removeBlob(original.key);
    throw error;
  }
  return signingId;
}

/** The signers with the names and addresses of their accounts. */
async function checkedSigners(
  actor: Actor,
  { clientId, signers, identity }: NewRequest,
): Promise<(NewSigner & { language: string | undefined })[]> {
  if (signers.length === 0 || signers.length > MAX_SIGNERS)
    throw new PortalError('INVALID', { field: 'signers' });
  const contacts = new Map(
    (await contactsOfClient(actor, clientId)).map((contact) => [contact.contactId, contact]),
  );
  const ids = signers.flatMap(({ contactId }) => contactId ?? []);
  if (new Set(ids).size < ids.length) throw new PortalError('INVALID', { field: 'signers', twice: true });
  return Promise.all(
    signers.map(async (signer) => {
      if (signer.contactId === null) {
        // somebody without an account has no app of the portal
        if (identity === 'totp') throw new PortalError('INVALID', { field: 'identity' });
        return { ...signer, language: undefined };
      }
      const contact = contacts.get(signer.contactId);
      if (!contact) throw notFound();
      const { language } = await actorOf(signer.contactId);
      return { ...signer, name: contact.fullName, email: contact.emailAddress, language };
    }),
  );
}

async function insertSigner(
  signingId: string,
  number: number,
  signer: NewSigner & { language: string | undefined },
  lang: Lang,
): Promise<void> {
  const signerId = newId('signer');
  await db()
    .insertInto('signers')
    .values({
      signer_id: signerId,
      signing_id: signingId,
      number,
      contact_id: signer.contactId,
      name: encryptFor('signers.name', signerId, signer.name),
      email: encryptFor('signers.email', signerId, signer.email),
      place: signer.place,
      language: languageOf(signer.language ?? '') ?? lang,
      state: 'waiting',
      invited_at: null,
      opened_at: null,
      consent_sha256: null,
      consent_version: null,
      consent_language: null,
      consent_at: null,
      seen_pages: '[]',
      typed_name: null,
      drawing: null,
      acted_at: null,
      reason: null,
      receipt: null,
      access_code: null,
      code_tries: 0,
      code_paused_until: null,
      mailed_code: null,
      mailed_code_until: null,
    })
    .execute();
}

/** Loads a draft that the actor may see and change; FORBIDDEN, NOT_FOUND, also for one that was sent. */
export async function draftOf(actor: Actor, signingId: string): Promise<SigningRow> {
  assertManagesTasks(actor);
  const row = await signingRow(signingId);
  await assertActsFor(actor, row.client_id);
  if (row.state !== 'draft') throw notFound();
  return row;
}

/** A draft while staff place its fields. */
export interface Draft {
  clientId: string;
  title: string;
  /** `place` is their turn: those of the lowest are asked first. */
  signers: { number: number; name: string; contactId: string | null; place: number }[];
  /** The sizes of its pages. */
  pages: PageSize[];
  fields: PlacedField[];
  /** What the original bears or shows, and what will be signed does not. */
  notCarried: NotCarried;
}

/** Loads a draft with its signers, pages and fields; refused as by {@link draftOf}. */
export async function draftWithFields(actor: Actor, signingId: string): Promise<Draft> {
  const row = await draftOf(actor, signingId);
  const signers = await signersOf(signingId);
  const numbers = new Map(signers.map(({ signerId, number }) => [signerId, number]));
  const fields = await fieldsOf(signingId);
  return {
    clientId: row.client_id,
    title: row.title,
    signers: signers.map(({ number, name, contactId, place }) => ({ number, name, contactId, place })),
    pages: pagesOf(row),
    notCarried: notCarried(row),
    fields: fields.map(({ signerId, kind, page, x, y, width, height, required }) => ({
      kind,
      signer: numbers.get(signerId) ?? 1,
      page,
      x,
      y,
      width,
      height,
      required,
    })),
  };
}

/** Replaces the fields of a draft. FORBIDDEN, NOT_FOUND, INVALID for a signer or page that it does not have. */
export async function placeFields(
  actor: Actor,
  signingId: string,
  fields: readonly PlacedField[],
): Promise<void> {
  const draft = await draftOf(actor, signingId);
  const labels = await textBeside(draft, actor, fields);
  await inTransaction(async () => {
    const current = await actorNow(actor);
    const row = await draftOf(current, signingId);
    const signers = await signersOf(signingId);
    const pages = (JSON.parse(row.pages) as unknown[]).length;
    if (fields.some(({ signer, page }) => signer > signers.length || page > pages))
      throw new PortalError('INVALID', { field: 'fields' });
    await db().deleteFrom('sign_fields').where('signing_id', '=', signingId).execute();
    for (const [index, field] of inReadingOrder(
      fields.map((each, at) => ({ ...each, label: labels[at] ?? '' })),
    ).entries()) {
      const fieldId = newId('field');
      await db()
        .insertInto('sign_fields')
        .values({
          field_id: fieldId,
          signing_id: signingId,
          signer_id: signers[field.signer - 1]?.signerId ?? '',
          number: index + 1,
          kind: field.kind,
          page: field.page,
          x: field.x,
          y: field.y,
          width: field.width,
          height: field.height,
          is_required: field.required ? 1 : 0,
          label: encryptFor('sign_fields.label', fieldId, field.label),
          value: null,
        })
        .execute();
    }
  });
}

/** Deletes a draft. FORBIDDEN, NOT_FOUND. */
export async function discardDraft(actor: Actor, signingId: string): Promise<void> {
  await inTransaction(async () => {
    await draftOf(await actorNow(actor), signingId);
    await deleteRequests([signingId]);
  });
}

/** Deletes requests with their prepared documents, within the open transaction. */
async function deleteRequests(ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const gone = await db()
    .deleteFrom('sign_documents')
    .where('signing_id', 'in', ids)
    .returning(['prepared_blob', 'original_blob'])
    .execute();
  await releaseBlobs(gone.flatMap((row) => [row.prepared_blob, row.original_blob ?? []].flat()));
}

const DRAFTS_LAST = 30 * DAY;

/** Deletes drafts of a month ago, and requests whose task was removed for good: none of them was signed by all. */
export async function purgeRequests(): Promise<void> {
  await inTransaction(async () => {
    const rows = await db()
      .selectFrom('sign_documents')
      .select('signing_id')
      .where('task_id', 'is', null)
      .where('created_at', '<', now() - DRAFTS_LAST)
      .limit(500)
      .execute();
    await deleteRequests(rows.map((row) => row.signing_id));
  });
}

/** The prepared bytes of a request. */
export const preparedBytes = async ({ prepared_blob: key }: SigningRow): Promise<Buffer> =>
  buffer(readBlob(key));
