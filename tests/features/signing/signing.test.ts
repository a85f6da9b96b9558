import { P12Signer, PDF } from '@libpdf/core';
import sharp from 'sharp';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { addDocument } from '#features/documents/documents/adding.server.ts';
import { bytesOf } from '#features/documents/documents/bytes.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import { listInbox, markDone } from '#features/office/inbox/inbox.server.ts';
import { itemText } from '#features/office/inbox/texts.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import {
  agree,
  begin,
  decline,
  notePage,
  sign,
  startIdentityCheck,
} from '#features/signing/signing/acting.server.ts';
import { certificateOf, shownEvents } from '#features/signing/signing/certificate.server.ts';
import { changeConsentText, consentText, defaultConsent } from '#features/signing/signing/consent.server.ts';
import {
  discardDraft,
  draftRequest,
  draftWithFields,
  placeFields,
} from '#features/signing/signing/drafting.server.ts';
import { brokenEvidence, evidenceOf } from '#features/signing/signing/evidence.server.ts';
import { signersOf, signingOfTask, type SigningRow } from '#features/signing/signing/internal/rows.server.ts';
import { mailAccessCode, openLink, viewLink } from '#features/signing/signing/links.server.ts';
import { seatOfContact, type Party } from '#features/signing/signing/party.server.ts';
import { fieldsAtEnd, fieldAt } from '#features/signing/signing/rules.ts';
import { listSealWaits, sealWaitsQuery } from '#features/signing/signing/seal-waits.server.ts';
import { sealAgain, sealSigned } from '#features/signing/signing/sealing.server.ts';
import { sendRequest } from '#features/signing/signing/sending.server.ts';
import type { NewRequest, NewSigner } from '#features/signing/signing/signing.ts';
import { renewLinkOf } from '#features/signing/signing/staff-view.server.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { taskOf } from '#features/tasks/tasks/reading.server.ts';
import { at, DAY, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { fileOf, makeCast, person, readAll, startMailServer } from '../../support/cast.ts';
import { apiAs, impersonating } from '../../support/api.ts';
import { exportOf, tableIn } from '../../support/exported.ts';
import { pdfOf } from '../../support/pdf.ts';
import { onePage } from '../../support/raw-pdf.ts';
import { pkcs12, startTimestamps } from '../../support/sealing.ts';
import '../../../src/app.server.ts';

const { ada, cleo, ben, sam, tom, clientA, projectA, firmOne } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
beforeEach(() => mailServer.discard());

const origin = { address: '192.0.2.7', browser: 'Browser 1', language: 'en-us' };
const A4 = { width: 595, height: 842 };
let networks = 0;

const letter = await addDocument(sam, {
  containerType: projectA.containerType,
  containerId: projectA.id,
  name: 'Engagement letter.pdf',
  bytes: fileOf(pdfOf(['Section 4 Fees', 'Signed by'])),
  onConflict: 'rename',
});

const account = ({ contactId }: Actor, place = 1): NewSigner => ({ contactId, name: '', email: '', place });
const jose: NewSigner = { contactId: null, name: 'José Álvares', email: 'jose@out.example', place: 1 };

const draft = (signers: readonly NewSigner[], changed: Partial<NewRequest> = {}): Promise<string> =>
  draftRequest(
    sam,
    {
      clientId: clientA,
      documentId: letter.id,
      title: 'Engagement letter 2026',
      identity: 'none',
      dueDate: null,
      signers,
      ...changed,
    },
    'en-us',
  );

/** Sends a request with a signature and a date for each signer, and returns the id of its task. */
async function sent(signers: readonly NewSigner[], changed: Partial<NewRequest> = {}): Promise<string> {
  const id = await draft(signers, changed);
  await placeFields(
    sam,
    id,
    fieldsAtEnd(
      signers.map((_, index) => index + 1),
      [A4, A4],
    ),
  );
  return sendRequest(sam, id);
}

async function signingOf(taskId: string): Promise<SigningRow> {
  const row = await signingOfTask(taskId);
  if (!row) throw new Error('The task has no request.');
  return row;
}

async function partyOf(actor: Actor, taskId: string): Promise<Party> {
  const seat = await seatOfContact(actor, taskId);
  return { via: 'account', actor, taskId, origin, signerId: seat?.signer.signerId ?? '' };
}

/** Opens the link in the newest mail to José with the code that the sender sees. */
async function partyOfJose(taskId: string): Promise<{ party: Party; token: string }> {
  const token = (await tokens('jose@out.example')).at(-1) ?? '';
  const signing = await signingOf(taskId);
  const signer = (await signersOf(signing.signing_id)).find(({ contactId }) => contactId === null);
  const visit = await openLink(token, signer?.accessCode ?? '', elsewhere());
  return { token, party: { via: 'link', visit, taskId, origin, signerId: signer?.signerId ?? '' } };
}

const elsewhere = () => ({ ...origin, address: `198.51.100.${(networks += 1)}` });

async function tokens(address: string): Promise<string[]> {
  return (await mailServer.deliver())
    .filter(({ recipients }) => recipients.includes(address))
    .flatMap(({ mail }) => /\/sign\/([\w-]{43})/.exec(mail.text ?? '')?.[1] ?? []);
}

const version = defaultConsent('en-us', 'Maple & Hart').sha256;

async function signAs(party: Party, name: string, changed: object = {}) {
  await agree(party, 'en-us', version);
  return sign(party, {
    sha256: (await signingOf(party.taskId)).prepared_sha256,
    name,
    values: {},
    date: 'Nov 24, 2026',
    timeZone: 'America/Chicago',
    ...changed,
  });
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'OK',
    (error: unknown) => refusal(error)?.code,
  );

describe('the document of a request', () => {
  const path = '/api/client-center/v3/signing';
  const audited = async (target: string, action: string) =>
    (
      await db()
        .selectFrom('audit')
        .select('actor')
        .where('target', '=', target)
        .where('action', '=', action)
        .execute()
    ).map(({ actor }) => actor);

  const countOf = async ({ contactId }: Actor): Promise<number> => {
    const counted = await db()
      .selectFrom('limits')
      .select('used')
      .where('limit_key', 'like', `fetched-files:${contactId}:%`)
      .executeTakeFirst();
    return counted?.used ?? 0;
  };

  test('is audited once for each reader who downloads it, whichever part comes first', async () => {
    const task = await sent([account(ada)]);
    const address = `${path}/${(await signingOf(task)).signing_id}/document`;
    const fetched = async (actor: Actor, method: string, headers: Record<string, string> = {}) =>
      (await apiAs(actor)(method, address, { headers })).status;
    expect(await fetched(ada, 'HEAD')).toBe(200);
    expect(await audited(task, 'signing.download')).toEqual([]);
    expect(await fetched(ada, 'GET', { range: 'bytes=1-' })).toBe(206);
    expect(await fetched(ada, 'GET', { range: 'bytes=0-0' })).toBe(206);
    expect(await fetched(sam, 'GET')).toBe(200);
    expect(await audited(task, 'signing.download')).toEqual([ada.contactId, sam.contactId]);
  });

  test('is audited for a signer without an account who downloads it', async () => {
    const task = await sent([jose]);
    const { token, party } = await partyOfJose(task);
    const cookie = party.via === 'link' ? `visit=${party.visit}` : '';
    const answer = await apiAs(undefined)('GET', `${path}/links/${token}/document`, {
      headers: { cookie, range: 'bytes=1-' },
    });
    expect(answer.status).toBe(206);
    expect(await audited(task, 'signing.download')).toEqual([party.signerId]);
  });

  test('counts towards the allowance of downloads, and so do its pages, which are audited as a view', async () => {
    const cole = await person(firmOne, 'Cole Curious', `cole-${now()}@one.example`, { role: 'member' });
    const id = (await signingOf(await sent([account(ada)]))).signing_id;
    const fetched = async (rest: string) => (await apiAs(cole)('GET', `${path}/${id}/${rest}`)).status;
    expect(await fetched('pages/1?width=700')).toBe(200);
    expect(await fetched('pages/2?width=700')).toBe(200);
    const none = await apiAs(cole)('GET', `${path}/${id}/pages/99?width=700`);
    expect([none.status, await none.json()], 'a page that it does not have').toMatchObject([
      422,
      { errors: [{ code: 'UNREADABLE' }] },
    ]);
    expect(await countOf(cole)).toBe(1);
    expect(await audited(letter.id, 'document.view')).toContain(cole.contactId);
    expect(await fetched('document')).toBe(200);
    expect(await countOf(cole)).toBe(2);
  });

  test('counts for the staff member who views as a contact, and is not audited as the contact’s', async () => {
    const task = await sent([account(ada)]);
    const cole = await person(firmOne, 'Cole Viewer', `viewer-${now()}@one.example`, { role: 'member' });
    const address = `${path}/${(await signingOf(task)).signing_id}/document`;
    expect((await apiAs(ada, impersonating(ada, cole))('GET', address)).status).toBe(200);
    expect(await countOf(cole)).toBe(1);
    expect(await audited(task, 'signing.download')).toEqual([]);
  });
});

describe('a request to one contact', () => {
  test('is signed, sealed and filed beside the original, and completes its task', async () => {
    const taskId = await sent([account(ada)]);
    const party = await partyOf(ada, taskId);
    await begin(party);
    await notePage(party, 1);
    const { receipt } = await signAs(party, 'Ada M. Amber');
    expect(receipt).toBeGreaterThan(0);
    expect((await taskOf(ada, taskId)).status).toBe('Received');
    const mails = [...(await mailServer.deliver()), ...(await mailServer.deliver())];
    expect((await taskOf(ada, taskId)).status).toBe('Done');
    const signing = await signingOf(taskId);
    expect(signing.state).toBe('sealed');
    const [sealed] = await bytesOf(ada, [signing.sealed_document ?? '']);
    expect(sealed?.name).toBe('Engagement letter (signed).pdf');
    expect(sealed && sha256(await readAll(sealed.open()))).toBe(signing.sealed_sha256);
    expect(mails.some(({ mail }) => mail.subject === 'Everyone has signed “Engagement letter 2026”')).toBe(
      true,
    );
    const kinds = (await evidenceOf(signing.signing_id)).map(({ kind }) => kind);
    expect(kinds).toEqual(['sent', 'invited', 'opened', 'page-shown', 'agreed', 'signed', 'sealed']);
    expect(await brokenEvidence(signing.signing_id)).toBeUndefined();
  });

  test('is in an export of all data with the sealed document, who signed, and the evidence', async () => {
    const taskId = await sent([account(ada)]);
    await signAs(await partyOf(ada, taskId), 'Ada M. Amber');
    await mailServer.deliver();
    await mailServer.deliver();
    const { signing_id: id, sealed_sha256: digest } = await signingOf(taskId);
    const files = await exportOf(olga, clientA);
    const rowsOf = (path: string) => tableIn(files, path).filter((row) => row['Request’s ID'] === id);
    const [request] = rowsOf('signings.csv');
    expect(request).toMatchObject({ State: 'Sealed', 'SHA-256': digest, Document: 'Engagement letter.pdf' });
    expect(sha256(files.get(request?.['File in this export'] ?? '') ?? '')).toBe(digest);
    const [signer] = rowsOf('signers.csv');
    expect(signer).toMatchObject({ Name: 'Ada Amber', 'Typed name': 'Ada M. Amber', State: 'Signed' });
    const consents = tableIn(files, 'consent-texts.csv').map((row) => row['SHA-256']);
    expect(consents).toContain(signer?.['SHA-256']);
    expect(rowsOf('signing-evidence.csv').map((row) => row['Kind'])).toEqual(
      (await evidenceOf(id)).map(({ kind }) => kind),
    );
    expect(rowsOf('signing-fields.csv').map((row) => row['Value'])).toContain('Nov 24, 2026');
  });

  test('has the same answer when the signature is sent again, and one signature', async () => {
    const taskId = await sent([account(ada)]);
    const party = await partyOf(ada, taskId);
    const first = await signAs(party, 'Ada Amber');
    const again = await sign(party, {
      sha256: (await signingOf(taskId)).prepared_sha256,
      name: 'Somebody Else',
      values: {},
      date: '',
      timeZone: 'UTC',
    });
    expect(again).toEqual(first);
    const signing = await signingOf(taskId);
    const signed = (await evidenceOf(signing.signing_id)).filter(({ kind }) => kind === 'signed');
    expect(signed).toHaveLength(1);
  });

  test('is refused when the document differs from the one that was shown', async () => {
    const taskId = await sent([account(ada)]);
    const party = await partyOf(ada, taskId);
    expect(await codeOf(signAs(party, 'Ada', { sha256: 'f'.repeat(64) }))).toBe('CHANGED');
    const { signing_id: signingId, prepared_sha256: shown } = await signingOf(taskId);
    const swap = db().updateTable('sign_documents').where('signing_id', '=', signingId);
    await swap.set({ prepared_sha256: 'e'.repeat(64) }).execute(); // after it was shown
    await expect(signAs(party, 'Ada', { sha256: shown })).rejects.toMatchObject({
      code: 'CHANGED',
      status: 409,
    });
    expect((await taskOf(ada, taskId)).status).toBe('WIP');
  });

  test('is refused without the agreement to sign electronically', async () => {
    const signers = [account(cleo)];
    const taskId = await sent(signers);
    const party = await partyOf(cleo, taskId);
    const { prepared_sha256: shown } = await signingOf(taskId);
    const signature = { sha256: shown, name: 'Cleo', values: {}, date: '', timeZone: 'UTC' };
    expect(await codeOf(sign(party, signature))).toBe('INCOMPLETE');
    expect(await codeOf(agree(party, 'en-us', 'f'.repeat(64)))).toBe('CHANGED');
  });

  test('needs the agreement to the text that is shown now, not to another one', async () => {
    const taskId = await sent([account(cleo)]);
    const party = await partyOf(cleo, taskId);
    const spanish = { ...party, origin: { ...origin, language: 'es' } };
    await agree(spanish, 'es', defaultConsent('es', 'Maple & Hart').sha256);
    const { prepared_sha256: shown } = await signingOf(taskId);
    const signature = { sha256: shown, name: 'Cleo', values: {}, date: '', timeZone: 'UTC' };
    await expect(sign(party, signature)).rejects.toMatchObject({
      code: 'INCOMPLETE',
      details: { consent: true },
    });
    expect((await sign(spanish, signature)).receipt).toBeGreaterThan(0);
  });

  test('needs the agreement to the own text of the firm, when the firm changes it', async () => {
    const taskId = await sent([account(cleo)]);
    const party = await partyOf(cleo, taskId);
    const { prepared_sha256: shown, signing_id: signingId } = await signingOf(taskId);
    const signature = { sha256: shown, name: 'Cleo', values: {}, date: '', timeZone: 'UTC' };
    await agree(party, 'en-us', version);
    expect(await codeOf(changeConsentText(sam, 'en-us', 'Our text.'))).toBe('FORBIDDEN');
    expect(await codeOf(changeConsentText({ ...olga, viewedBy: sam.contactId }, 'en-us', 'Our text.'))).toBe(
      'FORBIDDEN',
    );
    await changeConsentText(olga, 'en-us', 'Our text.\n\nWith two paragraphs.');
    await changeConsentText(olga, 'en-us', 'Our text.\n\nWith two paragraphs.');
    const own = await consentText(firmOne, 'en-us');
    expect(own).toMatchObject({ version: 1, paragraphs: ['Our text.', 'With two paragraphs.'] });
    expect((await consentText(tom.companyId, 'en-us')).version).toBe(0);
    expect(await codeOf(sign(party, signature))).toBe('INCOMPLETE');
    expect(await codeOf(agree(party, 'en-us', version))).toBe('CHANGED');
    await agree(party, 'en-us', own.sha256);
    await sign(party, signature);
    const agreed = (await evidenceOf(signingId)).findLast(({ kind }) => kind === 'agreed');
    expect(agreed?.data).toMatchObject({ text: own.sha256, version: 1, textLanguage: 'en-us' });
    expect(JSON.stringify(await certificateOf(await signingOf(taskId)))).toContain(
      `${own.sha256}, version 1, American English`,
    );
    await changeConsentText(olga, 'en-us', '');
    expect(await consentText(firmOne, 'en-us')).toMatchObject({ version: 2, sha256: version });
  });

  test('needs every required field that its signer fills in', async () => {
    const id = await draft([account(ada)]);
    const text = fieldAt({ kind: 'text', signer: 1, page: 1, x: 10_000, y: 10_000 }, A4);
    await placeFields(sam, id, [...fieldsAtEnd([1], [A4, A4]), text]);
    const party = await partyOf(ada, await sendRequest(sam, id));
    expect(await codeOf(signAs(party, 'Ada'))).toBe('INCOMPLETE');
  });

  test('is neither seen nor signed by contacts of other clients and firms', async () => {
    const taskId = await sent([account(ada)]);
    const { signerId } = await partyOf(ada, taskId);
    for (const actor of [ben, tom]) {
      const stranger: Party = { via: 'account', actor, taskId, origin, signerId };
      expect(await codeOf(begin(stranger))).toBe('NOT_FOUND');
      expect(await codeOf(decline(stranger, 'No.'))).toBe('NOT_FOUND');
    }
    const other: Party = { via: 'account', actor: cleo, taskId, origin, signerId };
    expect(await codeOf(signAs(other, 'Cleo'))).toBe('NOT_FOUND');
  });

  test('cannot be signed by staff who view as its signer', async () => {
    const taskId = await sent([account(ada)]);
    const party = await partyOf(ada, taskId);
    const viewing: Party = { ...party, via: 'account', actor: { ...ada, viewedBy: sam.contactId } };
    expect(await codeOf(signAs(viewing, 'Ada'))).toBe('EMULATION_READ_ONLY');
  });

  test('cannot be signed after its firm cancelled it, and no seal is made', async () => {
    const taskId = await sent([account(ada)]);
    const party = await partyOf(ada, taskId);
    await performAction(sam, taskId, 'cancel');
    expect(await codeOf(signAs(party, 'Ada'))).toBe('CLOSED');
  });

  test('is not sent without a required signature of each signer', async () => {
    const id = await draft([account(ada), account(cleo)]);
    await placeFields(sam, id, fieldsAtEnd([1], [A4, A4]));
    await expect(sendRequest(sam, id)).rejects.toMatchObject({
      code: 'INCOMPLETE',
      details: { signers: [2] },
    });
    await discardDraft(sam, id);
    expect(await codeOf(sendRequest(sam, id))).toBe('NOT_FOUND');
  });
});

describe('several signers', () => {
  test('sign in their order: the second is invited when the first has signed', async () => {
    const taskId = await sent([account(ada), account(cleo, 2)]);
    const invited = (await mailServer.deliver()).flatMap(({ recipients }) => recipients);
    expect(invited).toEqual(['ada@one.example']);
    const second = await partyOf(cleo, taskId);
    expect(await codeOf(signAs(second, 'Cleo Cedar'))).toBe('TURN');
    await signAs(await partyOf(ada, taskId), 'Ada Amber');
    expect((await taskOf(ada, taskId)).status).toBe('WIP');
    const next = (await mailServer.deliver()).flatMap(({ recipients }) => recipients);
    expect(next).toEqual(['cleo@one.example']);
    await signAs(second, 'Cleo Cedar');
    expect((await taskOf(ada, taskId)).status).toBe('Received');
  });

  test('with the same place sign in any order', async () => {
    const taskId = await sent([account(ada), account(cleo)]);
    await signAs(await partyOf(cleo, taskId), 'Cleo Cedar');
    await signAs(await partyOf(ada, taskId), 'Ada Amber');
    expect((await taskOf(ada, taskId)).status).toBe('Received');
  });

  test('end the request for all when one declines, who must say why', async () => {
    const taskId = await sent([account(ada), jose]);
    const { party, token } = await partyOfJose(taskId);
    const ours = await partyOf(ada, taskId);
    expect(await codeOf(decline(ours, ' '))).toBe('EMPTY');
    await decline(ours, 'The fees are wrong.');
    expect(await taskOf(sam, taskId)).toMatchObject({
      status: 'Cancelled',
      doesNotApplyComment: 'The fees are wrong.',
    });
    expect((await viewLink(token, party.via === 'link' ? party.visit : '')).kind).toBe('over');
    expect(await codeOf(signAs(party, 'José'))).toBe('GONE');
    const mails = await mailServer.deliver();
    expect(mails.map(({ mail }) => mail.subject)).toContain(
      'Ada Amber declined to sign “Engagement letter 2026”',
    );
  });
});

describe('somebody without an account', () => {
  test('opens their link with the access code, which no mail contains, and signs', async () => {
    const taskId = await sent([jose]);
    const signing = await signingOf(taskId);
    const [signer] = await signersOf(signing.signing_id);
    const [mail] = await mailServer.deliver();
    expect(mail?.raw).not.toContain(signer?.accessCode ?? 'none');
    const token = /\/sign\/([\w-]{43})/.exec(mail?.mail.text ?? '')?.[1] ?? '';
    expect(await viewLink(token, '')).toMatchObject({ kind: 'closed', name: 'José Álvares' });
    const visit = await openLink(token, ` ${signer?.accessCode ?? ''} `, elsewhere());
    const party: Party = { via: 'link', visit, taskId, origin, signerId: signer?.signerId ?? '' };
    await signAs(party, 'José Álvares');
    const delivered = [...(await mailServer.deliver()), ...(await mailServer.deliver())];
    expect((await signingOf(taskId)).state).toBe('sealed');
    expect(delivered.some(({ recipients }) => recipients.includes('jose@out.example'))).toBe(true);
    expect((await viewLink(token, visit)).kind).toBe('open');
  });

  test('has five attempts at the code before a pause, and ten in all', async () => {
    const taskId = await sent([jose]);
    const [token = ''] = await tokens('jose@out.example');
    for (let attempt = 1; attempt <= 5; attempt += 1)
      expect(await codeOf(openLink(token, '0', elsewhere()))).toBe('CODE_WRONG');
    expect(await codeOf(openLink(token, '0', elsewhere()))).toBe('TOO_MANY');
    await at(now() + 16 * MINUTE, async () => {
      for (let attempt = 1; attempt <= 5; attempt += 1)
        expect(await codeOf(openLink(token, '0', elsewhere()))).toBe('CODE_WRONG');
    });
    const mails = await at(now() + DAY, async () => {
      await expect(openLink(token, '0', elsewhere())).rejects.toMatchObject({ details: { asleep: true } });
      return mailServer.deliver();
    });
    expect(mails.flatMap(({ recipients }) => recipients)).toContain('sam@one.example');
    const [signer] = await signersOf((await signingOf(taskId)).signing_id);
    await renewLinkOf(sam, taskId, signer?.signerId ?? '');
    expect((await viewLink(token, '')).kind).toBe('over');
    expect((await partyOfJose(taskId)).party.via).toBe('link');
  });

  test('cannot act through a link that was replaced', async () => {
    const taskId = await sent([jose]);
    const { party } = await partyOfJose(taskId);
    await renewLinkOf(sam, taskId, party.signerId);
    expect(await codeOf(signAs(party, 'José'))).toBe('GONE');
  });

  test('has the access code mailed apart from the link where the firm chose mailed codes', async () => {
    const taskId = await sent([jose], { identity: 'mail-code' });
    const { signing_id: signingId } = await signingOf(taskId);
    const [invitation] = await mailServer.deliver();
    const token = /\/sign\/([\w-]{43})/.exec(invitation?.mail.text ?? '')?.[1] ?? '';
    expect(await viewLink(token, '')).toMatchObject({ kind: 'closed', mailsCode: true });
    await mailAccessCode(token, elsewhere());
    const [mail] = await mailServer.deliver();
    expect(mail?.recipients).toEqual(['jose@out.example']);
    expect(mail?.raw).not.toContain(token);
    const code = /\d{4} \d{4}/.exec(mail?.mail.subject ?? '')?.[0] ?? '';
    await openLink(token, code, elsewhere());
    const certificate = JSON.stringify(await certificateOf(await signingOf(taskId)));
    expect(certificate).toContain('entered the access code that was mailed to the same address');
    expect(certificate).not.toContain('the access code that the sender gave');
    const [signer] = await signersOf(signingId);
    await renewLinkOf(sam, taskId, signer?.signerId ?? '');
    await partyOfJose(taskId);
    expect(JSON.stringify(await certificateOf(await signingOf(taskId)))).toContain(
      'entered the access code that the sender gave',
    );
  });

  test('gets at most five mails with the access code in an hour, and none where the firm tells it', async () => {
    await sent([jose], { identity: 'mail-code' });
    const [token = ''] = await tokens('jose@out.example');
    for (let count = 1; count <= 5; count += 1) await mailAccessCode(token, elsewhere());
    expect(await codeOf(mailAccessCode(token, elsewhere()))).toBe('TOO_MANY');
    const told = await sent([jose]);
    const [other = ''] = await tokens('jose@out.example');
    expect(await viewLink(other, '')).toMatchObject({ kind: 'closed', mailsCode: false });
    expect(await codeOf(mailAccessCode(other, elsewhere()))).toBe('NOT_POSSIBLE');
    await performAction(sam, told, 'cancel');
    expect(await codeOf(mailAccessCode(other, elsewhere()))).toBe('GONE');
    expect(await codeOf(mailAccessCode('x'.repeat(43), elsewhere()))).toBe('NOT_FOUND');
  });

  test('cannot be asked for a code of an app', async () => {
    expect(await codeOf(draft([jose], { identity: 'totp' }))).toBe('INVALID');
  });
});

describe('the identity check', () => {
  test('by mail asks for the code that was mailed, once, and the evidence says so', async () => {
    const taskId = await sent([account(ada)], { identity: 'mail-code' });
    const party = await partyOf(ada, taskId);
    expect(await codeOf(signAs(party, 'Ada', { code: '000000' }))).toBe('CODE_WRONG');
    await mailServer.deliver();
    await startIdentityCheck(party);
    const [mail] = await mailServer.deliver();
    const code = /\d{6}/.exec(mail?.mail.subject ?? '')?.[0] ?? '';
    await signAs(party, 'Ada', { code });
    const evidence = await evidenceOf((await signingOf(taskId)).signing_id);
    expect(evidence.find(({ kind }) => kind === 'factor-used')?.data).toMatchObject({
      method: 'mail-code',
      detail: 'ada@one.example',
    });
  });

  test('by app is refused to people without one', async () => {
    const taskId = await sent([account(ada)], { identity: 'totp' });
    const party = await partyOf(ada, taskId);
    expect(await codeOf(signAs(party, 'Ada', { code: '123456' }))).toBe('MFA_AUTHENTICATION_REQUIRED');
  });
});

const signedDocuments = async (): Promise<number> =>
  (
    await db()
      .selectFrom('documents')
      .select('document_id')
      .where('name', 'like', 'Engagement letter (signed)%')
      .execute()
  ).length;

describe('sealing', () => {
  test('files one document, however often its job runs', async () => {
    const taskId = await sent([account(ada)]);
    await signAs(await partyOf(ada, taskId), 'Ada');
    const { signing_id: signingId } = await signingOf(taskId);
    const before = await signedDocuments();
    await Promise.all([sealSigned({ signingId }), sealSigned({ signingId })]);
    await sealSigned({ signingId });
    await mailServer.deliver();
    const sealed = (await evidenceOf(signingId)).filter(({ kind }) => kind === 'sealed');
    expect(sealed).toHaveLength(1);
    expect(await signedDocuments()).toBe(before + 1);
  });

  test('says why a seal has no timestamp: none is configured, or the authority did not answer', async () => {
    const sealedWith = async (url: string | undefined) => {
      const taskId = await sent([account(ada)]);
      await signAs(await partyOf(ada, taskId), 'Ada');
      const { signing_id: signingId } = await signingOf(taskId);
      config.timestampUrl = url;
      try {
        await at(now() + DAY + MINUTE, () => sealSigned({ signingId }));
      } finally {
        config.timestampUrl = undefined;
      }
      const evidence = await evidenceOf(signingId);
      return {
        timestamp: evidence.at(-1)?.data['timestamp'],
        text: shownEvents('en-us', evidence, []).at(-1)?.text,
      };
    };
    expect(await sealedWith(undefined)).toEqual({
      timestamp: 'not-configured',
      text: 'Sealed, without a timestamp: no timestamp authority is configured',
    });
    expect(await sealedWith('http://127.0.0.1:9/')).toEqual({
      timestamp: 'unreachable',
      text: 'Sealed, without a timestamp: the timestamp authority didn’t answer for a day',
    });
  });

  test('that waits for its timestamp is in the inbox, once for each wait, until the stamp comes', async () => {
    const rows = async () =>
      (await listInbox(olga, inboxQuery.parse({ of: 'all', kind: 'seal-waits' }))).items;
    const waiting = async (actor: Actor) =>
      (await listSealWaits(actor, sealWaitsQuery.parse({}))).rows.map(({ taskId }) => taskId);
    const timestamps = await startTimestamps();
    const tasks = [await sent([account(ada)]), await sent([account(ada)])] as const;
    for (const taskId of tasks) await signAs(await partyOf(ada, taskId), 'Ada');
    const seal = async (taskId: string) => sealSigned({ signingId: (await signingOf(taskId)).signing_id });
    try {
      config.timestampUrl = 'http://127.0.0.1:9/';
      for (const taskId of tasks) await expect(seal(taskId)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      const [row] = await rows();
      expect(itemText('en-us', row!)).toMatch(/^2 signed documents are waiting for a timestamp/);
      expect(await waiting(sam)).toEqual(tasks);
      expect(await waiting(tom)).toEqual([]);

      await markDone(olga, [row!.itemId]);
      await expect(seal(tasks[0])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      expect(await rows(), 'what was marked as done stays away while the same wait goes on').toEqual([]);

      await db()
        .updateTable('sign_documents')
        .set({ state: 'failed', stamp_wait_since: null })
        .where('task_id', '=', tasks[0])
        .execute();
      await sealAgain(sam, tasks[0]);
      await expect(seal(tasks[0])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      expect(await rows(), 'a new wait is a new row').toMatchObject([{ count: 1 }]);

      config.timestampUrl = timestamps.url;
      for (const taskId of tasks) await seal(taskId);
      expect(await rows()).toEqual([]);
      expect(await waiting(sam)).toEqual([]);
      expect((await signingOf(tasks[0])).seal_level).toBe('B-T');
    } finally {
      config.timestampUrl = undefined;
      await timestamps.stop();
    }
  });

  test('keeps the signatures when it fails for good, tells the firm, and can be tried again', async () => {
    const taskId = await sent([account(ada)]);
    await signAs(await partyOf(ada, taskId), 'Ada');
    const signing = await signingOf(taskId);
    const broken = db().updateTable('sign_documents').where('signing_id', '=', signing.signing_id);
    await broken.set({ prepared_blob: '00000000-0000-0000-0000-000000000000' }).execute();
    await at(now() + 2 * DAY, async () => {
      await expect(sealSigned({ signingId: signing.signing_id })).rejects.toThrow();
    });
    expect((await signingOf(taskId)).state).toBe('failed');
    const items = await db()
      .selectFrom('inbox_items')
      .select('kind')
      .where('group_key', '=', taskId)
      .where('done_at', 'is', null)
      .execute();
    expect(items).toEqual([{ kind: 'signing' }]);
    await broken.set({ prepared_blob: signing.prepared_blob }).execute();
    expect(await codeOf(sealAgain(tom, taskId))).toBe('NOT_FOUND');
    await sealAgain(sam, taskId);
    await mailServer.deliver();
    expect((await signingOf(taskId)).state).toBe('sealed');
  });
});

describe('an original that was signed digitally elsewhere', () => {
  const source = async (): Promise<Uint8Array> => {
    const pdf = await PDF.load(pdfOf(['Contract', 'Last page']));
    const file = await pkcs12('Maria Exemplo', { password: 'open sesame' });
    const signer = await P12Signer.create(file, 'open sesame');
    return (await pdf.sign({ signer, signingTime: new Date('2026-10-05T12:00:00Z') })).bytes;
  };
  const contract = async (): Promise<string> =>
    (
      await addDocument(sam, {
        containerType: projectA.containerType,
        containerId: projectA.id,
        name: 'Contract.pdf',
        bytes: fileOf(Buffer.from(await source())),
        onConflict: 'rename',
      })
    ).id;
  const drafted = async (): Promise<string> => {
    const id = await draft([account(ada)], { documentId: await contract() });
    await placeFields(sam, id, fieldsAtEnd([1], [A4, A4]));
    return id;
  };

  test('is not sent before the sender accepts that the copy does not carry its signatures', async () => {
    const id = await drafted();
    expect((await draftWithFields(sam, id)).notCarried).toEqual({
      signatures: [{ name: 'Maria Exemplo', signedAt: Date.parse('2026-10-05T12:00:00Z') }],
      differences: [],
    });
    await expect(sendRequest(sam, id)).rejects.toMatchObject({
      code: 'NOT_POSSIBLE',
      details: { cause: 'unconfirmed', signatures: [{ name: 'Maria Exemplo' }] },
    });
    expect(await sendRequest(sam, id, { acceptsDifferences: true })).toMatch(/^task/);
  });

  test('is kept with the signed document, named in its certificate, and given to its signers', async () => {
    const taskId = await sendRequest(sam, await drafted(), { acceptsDifferences: true });
    await signAs(await partyOf(ada, taskId), 'Ada Example');
    await mailServer.deliver();
    const signing = await signingOf(taskId);
    expect(signing.state).toBe('sealed');
    const { sections } = await certificateOf(signing);
    const row = sections[0]?.rows.find(({ label }) => label === 'Digital signatures of the original');
    expect(row?.value).toContain('Maria Exemplo, ');
    const address = `/api/client-center/v3/signing/${signing.signing_id}/document?version=original`;
    for (const reader of [ada, sam]) {
      const answer = await apiAs(reader)('GET', address);
      expect(answer.status).toBe(200);
      expect(sha256(Buffer.from(await answer.arrayBuffer()))).toBe(signing.source_sha256);
    }
    expect((await apiAs(tom)('GET', address)).status).toBe(404);
  });

  test('is not kept if it bears no signatures', async () => {
    const { signing_id: id } = await signingOf(await sent([account(ada)]));
    const answer = await apiAs(ada)('GET', `/api/client-center/v3/signing/${id}/document?version=original`);
    expect(answer.status).toBe(404);
  });
});

describe('what would not be seen in the sealed document', () => {
  const withContent = async (content: string): Promise<string> => {
    const { id } = await addDocument(sam, {
      containerType: projectA.containerType,
      containerId: projectA.id,
      name: 'Dark.pdf',
      bytes: fileOf(onePage({ content })),
      onConflict: 'rename',
    });
    const signingId = await draft([account(ada)], { documentId: id });
    await placeFields(sam, signingId, fieldsAtEnd([1], [A4]));
    return signingId;
  };

  test('is found before anybody is asked to sign', async () => {
    await expect(sendRequest(sam, await withContent('0 g 0 0 595 842 re f'))).rejects.toMatchObject({
      code: 'NOT_POSSIBLE',
      details: { cause: 'differs', pages: [1] },
    });
    expect(await sendRequest(sam, await withContent('0.9 g 0 0 595 842 re f'))).toMatch(/^task/);
  });

  test('cannot be typed: letters that cannot be drawn are named, and a drawn signature is taken', async () => {
    const taskId = await sent([account(ada)]);
    const party = await partyOf(ada, taskId);
    await expect(signAs(party, 'አበበ')).rejects.toMatchObject({
      code: 'INVALID',
      details: { field: 'name', letters: 'አ በ' },
    });
    const line = Buffer.from('<svg width="600" height="200"><path d="M9 9L500 150" stroke="black"/></svg>');
    const drawing = await sharp(line).png().toBuffer();
    await signAs(party, 'አበበ', { drawing: `data:image/png;base64,${drawing.toString('base64')}` });
    await mailServer.deliver();
    expect((await signingOf(taskId)).state).toBe('sealed');
  });
});

describe('the evidence', () => {
  test('shows the first entry that was changed, removed or added', async () => {
    const taskId = await sent([account(ada)]);
    await signAs(await partyOf(ada, taskId), 'Ada');
    const { signing_id: signingId } = await signingOf(taskId);
    expect(await brokenEvidence(signingId)).toBeUndefined();
    const changed = db()
      .updateTable('sign_evidence')
      .where('signing_id', '=', signingId)
      .where('sequence', '=', 2);
    const { at: moment } = await db()
      .selectFrom('sign_evidence')
      .select('at')
      .where('signing_id', '=', signingId)
      .where('sequence', '=', 2)
      .executeTakeFirstOrThrow();
    await changed.set({ at: moment + 1 }).execute();
    expect(await brokenEvidence(signingId)).toBe(2);
    await changed.set({ at: moment }).execute();
    const last = (await evidenceOf(signingId)).at(-1)?.sequence ?? 0;
    await db()
      .deleteFrom('sign_evidence')
      .where('signing_id', '=', signingId)
      .where('sequence', '=', last)
      .execute();
    expect(await brokenEvidence(signingId)).toBe(last);
  });
});

test('staff of another firm neither start nor send requests of this one', async () => {
  expect(firmOne).not.toBe(tom.companyId);
  const id = await draft([account(ada)]);
  expect(await codeOf(placeFields(tom, id, []))).toBe('NOT_FOUND');
  expect(await codeOf(sendRequest(tom, id))).toBe('NOT_FOUND');
  expect(await codeOf(sendRequest(ada, id))).toBe('FORBIDDEN');
});
