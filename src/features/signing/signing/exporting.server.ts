import { markedName } from '#platform/storage/archive-names.ts';
import { openUndamaged } from '#platform/storage/blobs.server.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/**
 * The requests for signatures of a client with their signed documents, who signed, what they entered, and the chain of
 * evidence. Drawings are on the pages of the signed documents; codes and links open something and are in no export.
 */
export const exportedSignings: Contributions['exports'] = [
  {
    of: 'client',
    name: 'signings.csv',
    text: text('signing', 'exportSignings'),
    content: ({ lang }, { ids, pathOf }) =>
      exportedTable(
        lang,
        [
          'title',
          'state',
          'sender',
          'createdAt',
          'sentAt',
          'dueOn',
          'identity',
          'signedAt',
          'sealedAt',
          'seal',
          'sha256',
          'file',
          'documentName',
          'path',
          'signing',
          'task',
          'document',
        ],
        eachRow(signingsOf(ids), (row) => ({
          signing: row.signing_id,
          task: row.task_id,
          title: row.title,
          state: { word: row.state },
          sender: row.full_name,
          createdAt: { at: row.created_at },
          sentAt: { at: row.sent_at },
          dueOn: row.due_on,
          identity: { word: row.identity === 'mail-code' ? 'mailCode' : row.identity },
          signedAt: { at: row.signed_at },
          sealedAt: { at: row.sealed_at },
          seal: row.seal_level,
          sha256: row.sealed_sha256,
          file: row.sealed_blob === null ? '' : `signings/${fileNameOf(row)}`,
          document: row.document_id,
          documentName: row.document_name,
          path: pathOf(row.document_id),
        })),
      ),
    attached: async function* (_, { ids }) {
      for await (const rows of signingsOf(ids))
        for (const row of rows) {
          const signed = row.sealed_blob === null ? undefined : await openUndamaged(row.sealed_blob);
          if (signed) yield { name: fileNameOf(row), content: () => signed };
          const original = row.original_blob === null ? undefined : await openUndamaged(row.original_blob);
          if (original)
            yield { name: markedName(row.document_name, row.signing_id), content: () => original };
        }
    },
  },
  {
    of: 'client',
    name: 'signers.csv',
    text: text('signing', 'exportSigners'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        [
          'number',
          'name',
          'email',
          'state',
          'invitedAt',
          'openedAt',
          'acceptedAt',
          'consentVersion',
          'language',
          'sha256',
          'at',
          'typedName',
          'declinedReason',
          'receipt',
          'signing',
          'signer',
          'contact',
        ],
        eachRow(signersOf(ids), (row) => ({
          signing: row.signing_id,
          signer: row.signer_id,
          number: row.number,
          name: decryptFrom('signers.name', row.signer_id, row.name),
          email: decryptFrom('signers.email', row.signer_id, row.email),
          contact: row.contact_id,
          state: { word: row.state },
          invitedAt: { at: row.invited_at },
          openedAt: { at: row.opened_at },
          acceptedAt: { at: row.consent_at },
          consentVersion: row.consent_version,
          language: row.consent_language,
          sha256: row.consent_sha256,
          at: { at: row.acted_at },
          typedName:
            row.typed_name === null ? '' : decryptFrom('signers.typed_name', row.signer_id, row.typed_name),
          declinedReason: row.reason === null ? '' : decryptFrom('signers.reason', row.signer_id, row.reason),
          receipt: row.receipt,
        })),
      ),
  },
  {
    of: 'client',
    name: 'signing-fields.csv',
    text: text('signing', 'exportFields'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['number', 'kind', 'page', 'label', 'isRequired', 'value', 'signing', 'signer'],
        eachRow(fieldsOf(ids), (row) => ({
          signing: row.signing_id,
          signer: row.signer_id,
          number: row.number,
          kind: translationsFor(lang, 'signing')(`kind_${row.kind}`),
          page: row.page,
          label: decryptFrom('sign_fields.label', row.field_id, row.label),
          isRequired: row.is_required === 1,
          value: row.value === null ? '' : decryptFrom('sign_fields.value', row.field_id, row.value),
        })),
      ),
  },
  {
    of: 'client',
    name: 'signing-evidence.csv',
    text: text('signing', 'exportEvidence'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['number', 'at', 'kind', 'data', 'previousHash', 'hash', 'signing', 'signer'],
        eachRow(evidenceOf(ids), (row) => ({
          signing: row.signing_id,
          number: row.sequence,
          at: { at: row.at },
          kind: row.kind,
          signer: row.signer_id,
          data: decryptFrom('sign_evidence.data', `${row.signing_id}/${row.sequence}`, row.data),
          previousHash: row.previous_hash,
          hash: row.hash,
        })),
      ),
  },
  {
    of: 'export',
    name: 'consent-texts.csv',
    text: text('signing', 'exportConsents'),
    content: ({ lang, firm }) =>
      exportedTable(
        lang,
        ['sha256', 'language', 'text'],
        eachRow(consentsOf(firm.companyId), (row) => row),
      ),
  },
];

const fileNameOf = ({ title, signing_id: id }: { title: string; signing_id: string }): string =>
  markedName(`${title}.pdf`, `${id} signed`);

/** The requests that were sent, or are prepared; with the bytes of the signed document unless those were deleted for good. */
const signingsOf = (clientIds: readonly string[]) =>
  rowPages(['sign_documents.created_at', 'sign_documents.signing_id'], (page) =>
    db()
      .selectFrom('sign_documents')
      .leftJoin('contacts', 'contacts.contact_id', 'sign_documents.sender')
      .leftJoin('documents as sealed', (join) =>
        join
          .onRef('sealed.document_id', '=', 'sign_documents.sealed_document')
          .on('sealed.purged_at', 'is', null),
      )
      .selectAll('sign_documents')
      .select(['contacts.full_name', 'sealed.blob_key as sealed_blob'])
      .where('sign_documents.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );

const signersOf = (clientIds: readonly string[]) =>
  rowPages(['signers.signing_id', 'signers.number'], (page) =>
    db()
      .selectFrom('signers')
      .innerJoin('sign_documents', 'sign_documents.signing_id', 'signers.signing_id')
      .selectAll('signers')
      .where('sign_documents.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );

const fieldsOf = (clientIds: readonly string[]) =>
  rowPages(['sign_fields.signing_id', 'sign_fields.number', 'sign_fields.field_id'], (page) =>
    db()
      .selectFrom('sign_fields')
      .innerJoin('sign_documents', 'sign_documents.signing_id', 'sign_fields.signing_id')
      .selectAll('sign_fields')
      .where('sign_documents.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );

const evidenceOf = (clientIds: readonly string[]) =>
  rowPages(['sign_evidence.signing_id', 'sign_evidence.sequence'], (page) =>
    db()
      .selectFrom('sign_evidence')
      .innerJoin('sign_documents', 'sign_documents.signing_id', 'sign_evidence.signing_id')
      .selectAll('sign_evidence')
      .where('sign_documents.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );

const consentsOf = (companyId: string) =>
  rowPages(['sign_consents.sha256'], (page) =>
    db()
      .selectFrom('sign_consents')
      .select(['sha256', 'language', 'text'])
      .where('company_id', '=', companyId)
      .$call(page)
      .execute(),
  );
