import { P12Signer, PDF } from '@libpdf/core';
import { expect, test } from 'vitest';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { documentQuery } from '#features/documents/documents/documents.ts';
import { draftRequest } from '#features/signing/signing/drafting.server.ts';
import { keptRequest } from '#features/signing/signing-requests/uploading.server.ts';
import { apiAs, sessionAs } from '../../support/api.ts';
import { makeCast } from '../../support/cast.ts';
import { pdfOf } from '../../support/pdf.ts';
import { onePage, PLAIN, stream } from '../../support/raw-pdf.ts';
import { pdfOfPages, pkcs12 } from '../../support/sealing.ts';
import '../../../src/app.server.ts';

const { ada, sam, tom, clientA } = await makeCast();
const session = sessionAs(sam);
const path = `/api/client-center/v3/signing/clients/${clientA}/documents`;
const page = '/clientcenter/en-us/staff/tasks/sign?kept=1';

const letter = pdfOf(['Letter']);

/** What a browser sends without scripts: all fields of the form, and the file in their middle. */
function formWith(file: Uint8Array | undefined, name = 'Letter.pdf', signers = 1): FormData {
  const form = new FormData();
  form.append('form', 'request');
  form.append('file', file ? new File([Buffer.from(file)], name) : new File([], ''));
  form.append('document', '');
  form.append('title', 'Engagement letter 2026');
  form.append('signers.count', String(signers));
  for (let index = 0; index < signers; index += 1) {
    form.append(`signers[${index}].contact`, 'other');
    form.append(`signers[${index}].name`, `Signer ${index + 1}`);
    form.append(`signers[${index}].email`, `signer-${index + 1}@out.example`);
    form.append(`signers[${index}].order`, '1');
  }
  form.append('identity', 'mail-code');
  form.append('dueDate', '');
  return form;
}

async function send(form: FormData): Promise<{ status: number; location: string; message: string }> {
  const answer = await apiAs(sam, session)('POST', `${path}?${new URLSearchParams({ r: page })}`, { form });
  return {
    status: answer.status,
    location: answer.headers.get('location') ?? '',
    message: Buffer.from(
      /flash=([\w-]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? '',
      'base64url',
    ).toString(),
  };
}

const documents = async (): Promise<string[]> =>
  (await listDocuments(sam, clientA, documentQuery.parse({}))).items.map(({ name }) => name);

const encrypted = async (protection: Parameters<PDF['setProtection']>[0]): Promise<Uint8Array> => {
  const pdf = await PDF.load(await pdfOfPages(1));
  pdf.setProtection(protection);
  return pdf.save();
};
const waiting = (): Buffer =>
  onePage({ catalog: '/NeedsRendering true/AcroForm<</Fields[]/XFA 6 0 R>>', objects: [stream('<xdp/>')] });
const form = (): Buffer =>
  onePage({
    page: `${PLAIN}/Annots[6 0 R]`,
    catalog: '/AcroForm<</Fields[6 0 R]/DA(/F1 12 Tf 0 g)/DR<</Font<</F1 5 0 R>>>>>>',
    objects: [
      '<</Type/Annot/Subtype/Widget/FT/Tx/T(employee)/V<FEFF738B>/Rect[50 740 300 765]/F 4/P 3 0 R/DA(/F1 12 Tf 0 g)>>',
    ],
  });

test('an uploaded PDF is filed and chosen, and what was typed comes back, also with twelve signers', async () => {
  const { status, location, message } = await send(formWith(letter, 'Letter 12.pdf', 12));
  expect([status, location]).toEqual([303, page]);
  expect(message).toContain('documentUploaded');
  const { values } = (await keptRequest(session, clientA)?.load()) ?? {};
  expect(values).toMatchObject({ title: 'Engagement letter 2026', identity: 'mail-code' });
  expect(values?.['signers']).toHaveLength(12);
  expect((values?.['signers'] as unknown[])[11]).toMatchObject({ email: 'signer-12@out.example' });
  const documentId = String(values?.['document']);
  const signers = [{ contactId: ada.contactId, name: '', email: '', place: 1 }];
  const asked = { clientId: clientA, documentId, title: 'Letter', dueDate: null, signers };
  expect(await draftRequest(sam, { ...asked, identity: 'none' }, 'en-us')).toMatch(/^signing/);
});

test.each([
  ['encrypted', () => encrypted({ userPassword: 'user' }), 'Letter.pdf', 'documentLocked'],
  ['protected', () => encrypted({ ownerPassword: 'owner' }), 'Letter.pdf', 'documentRestricted'],
  ['a form that only Adobe Reader shows', waiting, 'Letter.pdf', 'documentXfa'],
  ['a form whose values cannot be drawn', form, 'Letter.pdf', '"fields":"employee"'],
  ['damaged', () => letter.subarray(0, 20), 'Letter.pdf', 'documentDamaged'],
  ['of another kind', () => Buffer.from('Hello'), 'Letter.txt', 'documentNoPdf'],
  ['too large', () => Buffer.alloc(50_000_001), 'Letter.pdf', 'documentLarge'],
  ['missing', () => undefined, '', 'documentMissingFile'],
])('a file that is %s is refused in words, and what was typed stays', async (_, make, name, key) => {
  await keptRequest(session, clientA)?.discard();
  const before = await documents();
  const { status, message } = await send(formWith(await make(), name));
  expect(status).toBe(303);
  expect(message).toContain(key);
  expect(await documents()).toEqual(before);
  const { values } = (await keptRequest(session, clientA)?.load()) ?? {};
  expect(values).toMatchObject({ title: 'Engagement letter 2026', document: '' });
});

test('an uploaded PDF with digital signatures is taken with a warning, and the API names them', async () => {
  const pdf = await PDF.load(letter);
  const signer = await P12Signer.create(await pkcs12('Maria Exemplo', { password: 'secret' }), 'secret');
  const { bytes } = await pdf.sign({ signer, signingTime: new Date('2026-10-05T12:00:00Z') });
  expect((await send(formWith(bytes))).message).toMatch(/"warning".*documentUploadedSigned/);
  const answer = await apiAs(sam, session)('POST', path, { form: formWith(bytes, 'By API.pdf') });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    data: {
      name: 'By API.pdf',
      signatures: [{ name: 'Maria Exemplo', signedAt: Date.parse('2026-10-05T12:00:00Z') }],
      differences: [],
    },
  });
});

test('contacts, and staff of another firm, upload nothing to be signed', async () => {
  const before = await documents();
  expect((await apiAs(ada, sessionAs(ada))('POST', path, { form: formWith(letter) })).status).toBe(403);
  expect((await apiAs(tom, sessionAs(tom))('POST', path, { form: formWith(letter) })).status).toBe(404);
  expect(await documents()).toEqual(before);
});
