import { Readable } from 'node:stream';
import { PDF } from '@libpdf/core';
import { afterAll, expect, test } from 'vitest';
import { addDocument } from '#features/documents/documents/adding.server.ts';
import { preparePdf } from '#features/documents/seals/preparing.server.ts';
import { agree, sign } from '#features/signing/signing/acting.server.ts';
import { defaultConsent } from '#features/signing/signing/consent.server.ts';
import { draftRequest, placeFields } from '#features/signing/signing/drafting.server.ts';
import { signingOfTask } from '#features/signing/signing/internal/rows.server.ts';
import { sealedContents, type SealedContent } from '#features/signing/signing/verification.server.ts';
import { seatOfContact, type Party } from '#features/signing/signing/party.server.ts';
import { fieldsAtEnd } from '#features/signing/signing/rules.ts';
import { sealSigned } from '#features/signing/signing/sealing.server.ts';
import { sendRequest } from '#features/signing/signing/sending.server.ts';
import { commitBlob, putBlob } from '#platform/storage/blobs.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { fileOf, makeCast, startMailServer } from '../../support/cast.ts';
import { onePage, shows } from '../../support/raw-pdf.ts';
import '../../../src/app.server.ts';

const { ada, sam, clientA, projectA } = await makeCast();
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
const origin = { address: '192.0.2.7', browser: 'Browser 1', language: 'en-us' };

/** Seals a document that Ada signed, and returns the id of its request. */
async function sealed(): Promise<string> {
  const { id: documentId } = await addDocument(sam, {
    containerType: projectA.containerType,
    containerId: projectA.id,
    name: 'Agreement.pdf',
    bytes: fileOf(
      onePage({ content: `${shows('Service agreement')} ${shows('Fee: EUR 4,200', { y: 700 })}` }),
    ),
    onConflict: 'rename',
  });
  const signers = [{ contactId: ada.contactId, name: '', email: '', place: 1 }];
  const request = {
    clientId: clientA,
    documentId,
    title: 'Agreement',
    identity: 'none' as const,
    dueDate: null,
  };
  const id = await draftRequest(sam, { ...request, signers }, 'en-us');
  await placeFields(sam, id, fieldsAtEnd([1], [{ width: 595, height: 842 }]));
  const taskId = await sendRequest(sam, id);
  const seat = await seatOfContact(ada, taskId);
  const party: Party = { via: 'account', actor: ada, taskId, origin, signerId: seat?.signer.signerId ?? '' };
  await agree(party, 'en-us', defaultConsent('en-us', 'Maple & Hart').sha256);
  await sign(party, {
    sha256: (await signingOfTask(taskId))?.prepared_sha256 ?? '',
    name: 'Ada Example',
    values: {},
    date: 'Nov 24, 2026',
    timeZone: 'UTC',
  });
  await sealSigned({ signingId: id });
  return id;
}

/** Replaces what was prepared, as if an earlier version had done so. */
async function replacePrepared(signingId: string, bytes: Uint8Array): Promise<void> {
  const blob = await putBlob(Readable.from([Buffer.from(bytes)]), bytes.length);
  await inTransaction(async () => {
    await commitBlob(blob);
    await db()
      .updateTable('sign_documents')
      .set({ prepared_blob: blob.key })
      .where('signing_id', '=', signingId)
      .execute();
  });
}

const contentOf = async (id: string): Promise<SealedContent | undefined> =>
  (await Array.fromAsync(sealedContents())).find(({ signingId }) => signingId === id);

test('a document that shows the same in all versions has lost nothing', async () => {
  expect(await contentOf(await sealed())).toMatchObject({ sealing: [], preparing: [], missing: [] });
});

test('a sealed document that lacks what was signed is found', async () => {
  const id = await sealed();
  const more = onePage({
    content: [
      shows('Service agreement'),
      shows('Fee: EUR 4,200', { y: 700 }),
      shows('Clause 7', { y: 600 }),
    ].join(' '),
  });
  await replacePrepared(id, (await preparePdf(more)).bytes);
  expect(await contentOf(id)).toMatchObject({ sealing: [1], preparing: [1] });
});

test('a sealed document without a signature on its page is found', async () => {
  const id = await sealed();
  await db().updateTable('sign_fields').set({ y: 20_000 }).where('signing_id', '=', id).execute();
  expect(await contentOf(id)).toMatchObject({ sealing: [1] });
});

test('a prepared document that lacks a part of the original is found', async () => {
  const id = await sealed();
  const pdf = await PDF.load(onePage({ content: shows('Service agreement') }));
  await replacePrepared(id, await pdf.save());
  expect((await contentOf(id))?.preparing).toEqual([1]);
});

test('what cannot be compared is said', async () => {
  const id = await sealed();
  await db().updateTable('sign_documents').set({ source_sha256: '0' }).where('signing_id', '=', id).execute();
  expect(await contentOf(id)).toMatchObject({ sealing: [], preparing: [], missing: ['original'] });
});
