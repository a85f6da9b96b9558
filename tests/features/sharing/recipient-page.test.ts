import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { addDocument } from '#features/documents/documents/adding.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { openShare, viewShare } from '#features/sharing/sharing/recipient.server.ts';
import { revokeShare, shareOf } from '#features/sharing/sharing/my-shares.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import type { ShareRequest } from '#features/sharing/sharing/sharing.ts';
import { viewSharedDocument } from '#features/sharing/sharing/viewing.server.ts';
import { removeBlob } from '#platform/storage/blobs.server.ts';
import { db } from '#platform/database/database.server.ts';
import { storeNotificationSettings } from '#platform/mail/mail-delivery.server.ts';
import { apiAs } from '../../support/api.ts';
import { everyRow, fileOf, makeCast, startMailServer, uploadAs } from '../../support/cast.ts';
import { pdfOf } from '../../support/pdf.ts';

const { ada, cleo, sam, projectA, projectB } = await makeCast();
const letter = await uploadAs(sam, projectA, 'Letter.pdf', 'Dear reader');
const twoPages = await addDocument(sam, {
  containerType: projectA.containerType,
  containerId: projectA.id,
  name: 'Two pages.pdf',
  bytes: fileOf(pdfOf(['one', 'two'])),
  onConflict: 'rename',
});
const other = await uploadAs(sam, projectA, 'Other.pdf', 'Of nobody else');
const mailServer = await startMailServer();
afterAll(() => mailServer.close());

let callers = 0;
const item = (document: { id: string }, containerId = projectA.id) => ({
  containerType: 'Project' as const,
  containerId,
  documentId: document.id,
});

/** Shares the letter; returns the share, its mail, and the link's token. */
async function share(sender: Actor = ada, changed: Partial<ShareRequest> = {}) {
  await mailServer.discard();
  const { shareId } = await shareDocuments(
    sender,
    {
      expirationPeriod: 'AfterThreeDays',
      overrides: { subject: 'A letter' },
      recipients: [{ emailAddress: 'bank@out.example' }],
      sharedItems: [item(letter)],
      ...changed,
    },
    'en-us',
  );
  const [delivered] = await mailServer.deliver();
  const text = delivered?.mail.text ?? '';
  const from = delivered?.mail.from?.name ?? '';
  const html = delivered?.mail.html ?? '';
  return { shareId, text, from, html, token: /\/share\/([\w-]{43})\b/.exec(text)?.[1] ?? '' };
}
const open = (token: string) => openShare(token, undefined, `198.51.100.${(callers += 1)}`);
const senderOf = async (token: string) => {
  const view = await viewShare(token, undefined);
  return view.kind === 'unknown' ? undefined : view.sender;
};
const pageOf = (
  token: string,
  visit: string | undefined,
  { document = letter, page = 1, width = 160, method = 'GET' } = {},
) =>
  apiAs(undefined)(
    method,
    `/api/storage/v2/sharing/links/${token}/documents/${document.id}/pages/${page}?width=${width}`,
    { headers: visit === undefined ? {} : { cookie: `visit=${visit}` } },
  );
const viewedIn = async (shareId: string) =>
  (
    await db()
      .selectFrom('audit')
      .select('seq')
      .where('target', '=', shareId)
      .where('action', '=', 'share.view')
      .execute()
  ).length;

describe('whom a recipient sees as the sender', () => {
  test('of documents that a client shared: the client, then the person and the firm', async () => {
    const { token, text, from, html } = await share();
    expect(from).toBe('Ada Amber (Amber Bakery) via Maple & Hart');
    expect(html, 'mail programs with a dark scheme').toContain('@media (prefers-color-scheme: dark)');
    expect(await senderOf(token)).toMatchObject({
      company: 'Amber Bakery',
      name: 'Ada Amber',
      firmName: 'Maple & Hart',
    });
    expect(text).toContain('Amber Bakery shared 1 document');
    expect(text).toContain('Ada Amber · via Maple & Hart');
    expect(text.match(/expires/g), 'the end is said once').toHaveLength(1);
  });

  test('of documents that staff shared: the firm, which is named once', async () => {
    const { token, text } = await share(sam);
    expect(await senderOf(token)).toMatchObject({ company: 'Maple & Hart', name: sam.fullName });
    expect(text).toContain('Maple & Hart shared 1 document');
    expect(text).toContain(`\n\n${sam.fullName}\n\n`);
  });

  test('of documents of several clients: the person, who is named once', async () => {
    const boats = await uploadAs(sam, projectB, 'Boats.pdf', 'Boats');
    const { token, text } = await share(cleo, { sharedItems: [item(letter), item(boats, projectB.id)] });
    expect(await senderOf(token)).toMatchObject({ company: cleo.fullName });
    expect(text).toContain(`${cleo.fullName} shared 2 documents`);
    expect(text).toContain('via Maple & Hart');
    expect(text).not.toMatch(/Amber Bakery|Birch Boats/);
  });
});

describe('the images of the pages of a shared document', () => {
  test('are for the visitor who opened the link, and only of its documents', async () => {
    const { token } = await share();
    const visit = await open(token);
    const image = await pageOf(token, visit);
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/webp']);
    expect(image.headers.get('cache-control')).toBe('private, no-cache');
    expect((await pageOf(token, undefined)).status).toBe(404);
    expect((await pageOf(token, visit, { document: other })).status).toBe(404);
    expect((await pageOf(token, visit, { page: 2, width: 700 })).status, 'no such page').toBe(422);
    const { token: another } = await share();
    expect((await pageOf(another, visit)).status).toBe(404);
  });

  test('leave no trace as small previews of first pages, which nobody can read', async () => {
    const { token } = await share();
    const visit = await open(token);
    const before = await everyRow();
    expect((await pageOf(token, visit)).status).toBe(200);
    expect(await everyRow()).toEqual(before);
  });

  test('are empty as previews of what cannot be drawn, so that no browser shows a broken image', async () => {
    const unreadable = await addDocument(sam, {
      containerType: projectA.containerType,
      containerId: projectA.id,
      name: 'Unreadable.pdf',
      bytes: fileOf(Buffer.from('%PDF-1.7 and nothing else')),
      onConflict: 'rename',
    });
    const lost = await uploadAs(sam, projectA, 'Lost.pdf', 'Soon lost');
    const { token } = await share(ada, { sharedItems: [item(unreadable), item(lost)] });
    const visit = await open(token);
    const stored = db().selectFrom('documents').select('blob_key as key').where('document_id', '=', lost.id);
    await removeBlob((await stored.executeTakeFirstOrThrow()).key);
    for (const document of [unreadable, lost]) {
      const image = await pageOf(token, visit, { document });
      expect([image.status, image.headers.get('cache-control')]).toEqual([200, 'no-store']);
      const { width, height, hasAlpha } = await sharp(await image.arrayBuffer()).metadata();
      expect({ width, height, hasAlpha }).toEqual({ width: 1, height: 1, hasAlpha: true });
      const toRead = await pageOf(token, visit, { document, width: 700 });
      expect(toRead.headers.get('content-type'), 'where nothing is behind it').toContain('application/json');
    }
  });

  test('are audited as a view of the document once they can be read, once for each visit', async () => {
    const { token, shareId } = await share(ada, { sharedItems: [item(letter), item(twoPages)] });
    const visit = await open(token);
    expect((await pageOf(token, visit, { width: 700, method: 'HEAD' })).status).toBe(200);
    expect(await viewedIn(shareId), 'HEAD shows nothing').toBe(0);
    for (const width of [700, 1700]) expect((await pageOf(token, visit, { width })).status).toBe(200);
    expect(await viewedIn(shareId)).toBe(1);
    expect((await pageOf(token, visit, { document: twoPages, page: 2 })).status).toBe(200);
    expect(await viewedIn(shareId), 'a preview of another page').toBe(2);
    expect((await shareOf(ada, shareId)).recipients).toMatchObject([{ opens: 1, downloads: 0 }]);
  });

  test('end with the link', async () => {
    const { token, shareId } = await share();
    const visit = await open(token);
    await revokeShare(ada, shareId);
    expect((await pageOf(token, visit)).status).toBe(410);
  });

  test('do not exist for a link with a limit of downloads, which they would evade', async () => {
    const { token } = await share(ada, { maxDownloads: 2 });
    const visit = await open(token);
    expect(await viewShare(token, visit)).toMatchObject({ kind: 'open', canBeShown: false });
    expect((await pageOf(token, visit)).status).toBe(404);
  });
});

describe('a shared document in the viewer', () => {
  const see = (token: string, visit: string | undefined, document = letter) =>
    viewSharedDocument(token, visit, document.id, { page: 1 });

  test('is shown to the visitor who opened the link, and audited once without counting as a download', async () => {
    const { token, shareId } = await share();
    const visit = await open(token);
    expect(await see(token, visit)).toMatchObject({ name: 'Letter.pdf', view: { kind: 'pages', count: 1 } });
    await see(token, visit);
    expect(await viewedIn(shareId)).toBe(1);
    expect((await shareOf(ada, shareId)).recipients).toMatchObject([{ opens: 1, downloads: 0 }]);
  });

  test('is shown to nobody else, nor through another link, nor once the link has ended', async () => {
    const { token, shareId } = await share();
    const visit = await open(token);
    await expect(see(token, undefined)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(see(token, visit, other)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(see((await share()).token, visit)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await revokeShare(ada, shareId);
    await expect(see(token, visit)).rejects.toMatchObject({ code: 'GONE' });
    expect(await viewedIn(shareId)).toBe(0);
  });
});

describe('the email that a recipient opened the documents', () => {
  const mailsAfter = async (happens: () => Promise<unknown>) => {
    await happens();
    return (await mailServer.deliver()).map(({ recipients, mail }) => ({ to: recipients.join(), mail }));
  };

  test('goes to the sender the first time, and for each recipient', async () => {
    const two = [{ emailAddress: 'bank@out.example' }, { emailAddress: 'notary@out.example' }];
    await mailServer.discard();
    await shareDocuments(
      ada,
      {
        expirationPeriod: 'AfterThreeDays',
        overrides: { subject: 'A letter' },
        recipients: two,
        sharedItems: [item(letter)],
      },
      'en-us',
    );
    const tokens = (await mailServer.deliver()).map(
      ({ mail }) => /\/share\/([\w-]{43})\b/.exec(mail.text ?? '')?.[1] ?? '',
    );
    const first = await mailsAfter(() => open(tokens[0] ?? ''));
    expect(first).toHaveLength(1);
    expect(first[0]?.to).toBe(ada.emailAddress);
    expect(first[0]?.mail.subject).toMatch(/^(bank|notary)@out\.example opened the documents you shared$/);
    expect(first[0]?.mail.text).toMatch(/“A letter” was opened on \w+ \d+, \d{4}/);
    expect(first[0]?.mail.text).toMatch(/\/unsubscribe\//);
    expect(await mailsAfter(() => open(tokens[0] ?? ''))).toEqual([]);
    expect(await mailsAfter(() => open(tokens[1] ?? ''))).toHaveLength(1);
  });

  test('is not sent for the sender’s own copy, nor to senders who turned it off', async () => {
    const { token: copy } = await share(ada, { recipients: [{ emailAddress: ada.emailAddress }] });
    expect(await mailsAfter(() => open(copy))).toEqual([]);
    const atOnce = { daily: [], times: undefined, quietHours: undefined };
    await storeNotificationSettings(ada.contactId, { turnedOff: ['share-opened'], ...atOnce });
    const { token } = await share();
    expect(await mailsAfter(() => open(token))).toEqual([]);
    await storeNotificationSettings(ada.contactId, { turnedOff: [], ...atOnce });
  });
});
