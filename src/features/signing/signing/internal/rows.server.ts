import { z } from 'zod';
import {
  foreignSignature,
  pageDifference,
  type ForeignSignature,
  type PageDifference,
} from '#features/documents/document-preparation/preparation.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import type { PageSize, SignerState } from '../signing.ts';

export type SigningRow = Awaited<ReturnType<typeof signingRow>>;

/** Loads a request by its id; NOT_FOUND. The caller checks who may see it. */
export async function signingRow(signingId: string) {
  const row = await db()
    .selectFrom('sign_documents')
    .selectAll()
    .where('signing_id', '=', signingId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** The request of a task; undefined for a task without one. */
export const signingOfTask = (taskId: string): Promise<SigningRow | undefined> =>
  db().selectFrom('sign_documents').selectAll().where('task_id', '=', taskId).executeTakeFirst();

export const pagesOf = ({ pages }: Pick<SigningRow, 'pages'>): PageSize[] => JSON.parse(pages) as PageSize[];

/** What the original of a request bore or showed, and its prepared copy does not. */
export interface NotCarried {
  signatures: ForeignSignature[];
  differences: PageDifference[];
}

export const notCarried = ({
  signing_id: id,
  foreign_signatures: signatures,
  differences,
}: Pick<SigningRow, 'signing_id' | 'foreign_signatures' | 'differences'>): NotCarried => ({
  signatures:
    signatures === null
      ? []
      : z
          .array(foreignSignature)
          .parse(JSON.parse(decryptFrom('sign_documents.foreign_signatures', id, signatures))),
  differences: differences === null ? [] : z.array(pageDifference).parse(JSON.parse(differences)),
});

/** Somebody who signs. */
export interface Signer {
  signerId: string;
  signingId: string;
  /** The number in the request, from 1. */
  number: number;
  contactId: string | null;
  name: string;
  email: string;
  place: number;
  language: string;
  state: SignerState;
  invitedAt: number | null;
  openedAt: number | null;
  consentSha256: string | null;
  /** Null before a firm could have its own text. */
  consentVersion: number | null;
  consentLanguage: string | null;
  seenPages: number[];
  typedName: string;
  /** A PNG in base64; empty for a typed signature. */
  drawing: string;
  actedAt: number | null;
  reason: string;
  receipt: number | null;
  accessCode: string;
}

/** The signers of a request, by number. */
export async function signersOf(signingId: string): Promise<Signer[]> {
  const rows = await db()
    .selectFrom('signers')
    .selectAll()
    .where('signing_id', '=', signingId)
    .orderBy('number')
    .execute();
  return rows.map((row): Signer => {
    const { signer_id: id } = row;
    return {
      signerId: id,
      signingId,
      number: row.number,
      contactId: row.contact_id,
      name: decryptFrom('signers.name', id, row.name),
      email: decryptFrom('signers.email', id, row.email),
      place: row.place,
      language: row.language,
      state: row.state,
      invitedAt: row.invited_at,
      openedAt: row.opened_at,
      consentSha256: row.consent_sha256,
      consentVersion: row.consent_version,
      consentLanguage: row.consent_language,
      seenPages: JSON.parse(row.seen_pages) as number[],
      typedName: row.typed_name === null ? '' : decryptFrom('signers.typed_name', id, row.typed_name),
      drawing: row.drawing === null ? '' : decryptFrom('signers.drawing', id, row.drawing),
      actedAt: row.acted_at,
      reason: row.reason === null ? '' : decryptFrom('signers.reason', id, row.reason),
      receipt: row.receipt,
      accessCode: row.access_code === null ? '' : decryptFrom('signers.access_code', id, row.access_code),
    };
  });
}

/** The fields of a request, in their order. */
export async function fieldsOf(signingId: string) {
  const rows = await db()
    .selectFrom('sign_fields')
    .selectAll()
    .where('signing_id', '=', signingId)
    .orderBy('number')
    .execute();
  return rows.map((row) => ({
    fieldId: row.field_id,
    signerId: row.signer_id,
    kind: row.kind,
    page: row.page,
    x: row.x,
    y: row.y,
    width: row.width,
    height: row.height,
    required: row.is_required === 1,
    label: decryptFrom('sign_fields.label', row.field_id, row.label),
    value: row.value === null ? '' : decryptFrom('sign_fields.value', row.field_id, row.value),
  }));
}

export type SignField = Awaited<ReturnType<typeof fieldsOf>>[number];
