import { Readable } from 'node:stream';
import type { Actor } from '#features/base/people/people.ts';
import { addLink } from '#features/signing/signing/sending.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId, newToken } from '#platform/security/crypto.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { commitBlob, putBlob } from '#platform/storage/blobs.server.ts';
import type { FeatureAccess } from '../../authz/feature-access.ts';
import { nowhere } from '../../authz/page-policy.ts';
import type { Thing } from '../../authz/policy.ts';
import { live, noIds } from '../../authz/things.ts';
import { pdfOf } from '../../support/pdf.ts';

declare module '../../authz/things.ts' {
  interface Kinds {
    signing: true;
    'signing link': true;
  }
}

export const access: FeatureAccess = {
  rules: {
    'get /api/client-center/v3/signing/{signingId}/pages/{page}': {
      who: 'signed in',
      sees: ['signingId'],
      changes: ['document_reads', 'limits'],
    },
    'get /api/client-center/v3/signing/{signingId}/document': {
      who: 'signed in',
      sees: ['signingId'],
      changes: ['limits'],
    },
    // The links of the fixture are not opened: tests/features/signing/signing.test.ts opens one.
    'get /api/client-center/v3/signing/links/{token}/pages/{page}': { who: 'holder of an opened link' },
    'get /api/client-center/v3/signing/links/{token}/document': { who: 'holder of an opened link' },
  },
  requests: {
    'get /api/client-center/v3/signing/{signingId}/pages/{page}': [
      { ids: { signingId: 'signing' }, send: () => ({ query: { width: '700' } }) },
    ],
    'get /api/client-center/v3/signing/{signingId}/document': [{ ids: { signingId: 'signing' } }],
    'get /api/client-center/v3/signing/links/{token}/pages/{page}': [
      { ids: { token: 'signing link' }, send: () => ({ query: { width: '700' } }) },
    ],
    'get /api/client-center/v3/signing/links/{token}/document': [{ ids: { token: 'signing link' } }],
  },
  pages: {
    '/[base]/[lang]/sign/[token]': () => nowhere,
  },
  postedByReaders: ['/[base]/[lang]/sign/[token]'],
  things: {
    kinds: { signing: undefined, 'signing link': undefined },
    make: ({ staff, otherStaff, things }) => makeSignings(staff, otherStaff, things.task),
  },
  fuzz: {
    notHere: {
      'GET /api/client-center/v3/signing/{signingId}/pages/{page}': 'nothing is to be signed',
      'GET /api/client-center/v3/signing/{signingId}/document': 'nothing is to be signed',
      'GET /api/client-center/v3/signing/links/{token}/pages/{page}': 'nothing is to be signed',
      'GET /api/client-center/v3/signing/links/{token}/document': 'nothing is to be signed',
    },
  },
};

/** A document to be signed in the task of each client, and the link of a signer that nobody has opened. */
async function makeSignings(
  staff: Actor,
  otherStaff: Actor,
  tasks: Record<string, Thing>,
): Promise<Record<'signing' | 'signing link', Record<string, Thing>>> {
  const signing: Record<string, Thing> = {};
  let token = '';
  for (const key of ['own', 'sibling', 'staff only', 'other firm'] as const) {
    const sender = key === 'other firm' ? otherStaff : staff;
    const [signingId, signerId] = [newId('signing'), newId('signer')];
    const bytes = pdfOf(['To be signed']);
    const blob = await putBlob(Readable.from([bytes]), bytes.length);
    await inTransaction(() => commitBlob(blob));
    const { client_id: clientId } = await db()
      .selectFrom('tasks')
      .select('client_id')
      .where('task_id', '=', tasks[key]?.id ?? '')
      .executeTakeFirstOrThrow();
    const { document_id: documentId } = await db()
      .selectFrom('documents')
      .select('document_id')
      .where('client_id', '=', clientId)
      .executeTakeFirstOrThrow();
    await db()
      .insertInto('sign_documents')
      .values({
        signing_id: signingId,
        company_id: sender.companyId,
        client_id: clientId,
        task_id: tasks[key]?.id ?? '',
        title: 'Letter',
        document_id: documentId,
        document_name: 'Letter.pdf',
        source_sha256: blob.sha256,
        prepared_blob: blob.key,
        prepared_size: blob.size,
        prepared_sha256: blob.sha256,
        pages: JSON.stringify([{ width: 595, height: 842 }]),
        identity: 'none',
        due_on: null,
        language: 'en-us',
        state: 'sent',
        sender: sender.contactId,
        created_at: now(),
        sent_at: now(),
        signed_at: null,
        seal_since: null,
        sealed_at: null,
        sealed_document: null,
        sealed_sha256: null,
        seal_level: null,
        seal_key: null,
        evidence_count: 0,
        evidence_hash: '0'.repeat(64),
      })
      .execute();
    await db()
      .insertInto('signers')
      .values({
        signer_id: signerId,
        signing_id: signingId,
        number: 1,
        contact_id: null,
        name: encryptFor('signers.name', signerId, 'José'),
        email: encryptFor('signers.email', signerId, 'jose@out.example'),
        place: 1,
        language: 'en-us',
        state: 'waiting',
        invited_at: now(),
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
        access_code: encryptFor('signers.access_code', signerId, '12345678'),
        code_tries: 0,
        code_paused_until: null,
        mailed_code: null,
        mailed_code_until: null,
      })
      .execute();
    token = await addLink(signerId);
    signing[key] = live(signingId, key);
  }
  return {
    signing: { ...signing, ...noIds('signing') },
    'signing link': {
      'not opened': { id: token, state: 'live' },
      unknown: { id: newToken(), state: 'unknown' },
      'malformed, short': { id: 'short', state: 'malformed' },
    },
  };
}
