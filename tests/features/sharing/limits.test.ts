import { afterAll, describe, expect, test } from 'vitest';
import { actorOf, decideAccess } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { openShare, sharedBytes, viewShare } from '#features/sharing/sharing/recipient.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { shareOf } from '#features/sharing/sharing/my-shares.server.ts';
import type { ShareRequest } from '#features/sharing/sharing/sharing.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs } from '../../support/api.ts';
import { client, uploadAs, makeCast, startMailServer, person } from '../../support/cast.ts';

const { ada, sam, firmOne, clientB, projectA } = await makeCast();
const taxes = await uploadAs(sam, projectA, 'Tax return.pdf', 'return');
const letter = await uploadAs(ada, projectA, 'Bank letter.pdf', 'letter');
const mailServer = await startMailServer();
afterAll(() => mailServer.close());

let callers = 0;
const item = ({ id }: { id: string }) => ({
  containerType: 'Project' as const,
  containerId: projectA.id,
  documentId: id,
});
async function share(changed: Partial<ShareRequest> = {}, sender: Actor = ada, to = ['x@out.example']) {
  await mailServer.discard();
  const { shareId } = await shareDocuments(
    sender,
    {
      expirationPeriod: 'AfterOneDay',
      overrides: { subject: 'S' },
      recipients: to.map((emailAddress) => ({ emailAddress })),
      sharedItems: [item(taxes), item(letter)],
      ...changed,
    },
    'en-us',
  );
  const letters = await mailServer.deliver();
  const tokens = to.map(
    (address) =>
      /\/share\/([\w-]{43})\b/.exec(
        letters.find(({ recipients }) => recipients[0] === address)?.mail.text ?? '',
      )?.[1] ?? '',
  );
  return { shareId, token: tokens[0] ?? '', tokens };
}
const open = (token: string) => openShare(token, undefined, `198.51.100.${(callers += 1) % 250}`);
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'OK',
    (error: unknown) => (error as { code: string }).code,
  );
const addressOf = (token: string, { id }: { id: string }) =>
  `/api/storage/v2/sharing/links/${token}/documents/${id}`;
const fetchAs = (
  visit: string,
  token: string,
  {
    method = 'GET',
    range,
    document = taxes,
  }: { method?: string; range?: string; document?: { id: string } } = {},
) =>
  apiAs(undefined)(method, addressOf(token, document), {
    headers: { cookie: `visit=${visit}`, ...(range !== undefined && { range }) },
  });
async function partsOf(visit: string, token: string, ranges: string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const range of ranges) statuses.push((await fetchAs(visit, token, { range })).status);
  return statuses;
}

describe('a share with a download limit', () => {
  test('a limited share allows exactly its number of downloads out of fifty concurrent ones', async () => {
    const { shareId, token } = await share({ maxDownloads: 3 });
    const visit = await open(token);
    const tries = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        codeOf(sharedBytes(token, visit, i % 2 === 0 ? taxes.id : undefined)),
      ),
    );
    expect(tries.filter((code) => code === 'OK')).toHaveLength(3);
    expect(tries.filter((code) => code === 'GONE')).toHaveLength(47);
    expect((await shareOf(ada, shareId)).recipients[0]?.downloads).toBe(3);
  });

  test('a download limit counts separately for each recipient', async () => {
    const { tokens } = await share({ maxDownloads: 1 }, ada, ['x@out.example', 'y@out.example']);
    for (const token of tokens) {
      const visit = await open(token);
      expect([await codeOf(sharedBytes(token, visit)), await codeOf(sharedBytes(token, visit))]).toEqual([
        'OK',
        'GONE',
      ]);
    }
  });

  test('a recipient who used up a download limit gets an error that says so', async () => {
    const { token } = await share({ maxDownloads: 1 });
    const visit = await open(token);
    expect((await fetchAs(visit, token)).status).toBe(200);
    expect([
      (await viewShare(token, visit)).kind,
      await codeOf(open(token)),
      (await fetchAs(visit, token)).status,
    ]).toEqual(['over', 'GONE', 410]);
  });

  test('a download limit does not count HEAD requests and counts ranges once, so the last download can be completed', async () => {
    const { shareId, token } = await share({ maxDownloads: 1 });
    const visit = await open(token);
    for (let i = 0; i < 5; i += 1) expect((await fetchAs(visit, token, { method: 'HEAD' })).status).toBe(200);
    expect(await partsOf(visit, token, ['bytes=4-7', 'bytes=0-3', 'bytes=8-'])).toEqual([206, 206, 206]);
    expect([
      (await fetchAs(visit, token)).status,
      (await fetchAs(visit, token, { method: 'HEAD' })).status,
    ]).toEqual([410, 410]);
    expect(
      (await fetchAs(visit, token, { document: letter, range: 'bytes=1-' })).status,
      'of another document',
    ).toBe(410);
    expect(await codeOf(open(token)), 'another visit').toBe('GONE');
    expect((await shareOf(ada, shareId)).recipients[0]?.downloads).toBe(1);
  });

  test('a download limit counts a range of the whole file, or with an outdated ETag, as a whole download', async () => {
    const { token } = await share({ maxDownloads: 3 });
    const visit = await open(token);
    expect(await partsOf(visit, token, ['bytes=0-', 'bytes=-99999'])).toEqual([206, 206]);
    const other = await apiAs(undefined)('GET', addressOf(token, taxes), {
      headers: { cookie: `visit=${visit}`, range: 'bytes=5-', 'if-range': '"another"' },
    });
    expect([other.status, (await fetchAs(visit, token)).status]).toEqual([200, 410]);
  });

  test('a download limit is between 1 and 1,000', async () => {
    const json = (maxDownloads: number) => ({
      expirationPeriod: 'AfterOneDay',
      overrides: { subject: 'S' },
      recipients: [{ emailAddress: 'x@out.example' }],
      sharedItems: [item(taxes)],
      maxDownloads,
    });
    for (const [most, status] of [
      [0, 422],
      [1, 200],
      [1000, 200],
      [1001, 422],
      [1.5, 422],
      [-1, 422],
    ] as const)
      expect((await apiAs(ada)('POST', '/api/storage/v2/sharing/share', { json: json(most) })).status).toBe(
        status,
      );
  });
});

describe('a share without a download limit', () => {
  test('the ranges of one download count once in any order, with one receipt', async () => {
    const { shareId, token, recipientId } = await shared();
    const visit = await open(token);
    expect(
      await Promise.all(
        ['bytes=1-', 'bytes=8-', 'bytes=0-3'].map(
          async (range) => (await fetchAs(visit, token, { range })).status,
        ),
      ),
    ).toEqual([206, 206, 206]);
    expect((await fetchAs(visit, token, { range: 'bytes=1-' })).status).toBe(206);
    const entries = await db()
      .selectFrom('audit')
      .select('action')
      .where('actor', '=', recipientId)
      .where('action', '=', 'share.download')
      .execute();
    const receipts = await db()
      .selectFrom('receipts')
      .select('number')
      .where('actor', '=', recipientId)
      .execute();
    expect([(await shareOf(ada, shareId)).recipients[0]?.downloads, entries.length, receipts.length]).toEqual(
      [1, 1, 1],
    );
  });

  test('each visit counts separately, and so does a whole download after its ranges', async () => {
    const { shareId, token } = await shared();
    const [one, other] = [await open(token), await open(token)];
    for (const visit of [one, other])
      expect(await partsOf(visit, token, ['bytes=1-', 'bytes=0-0'])).toEqual([206, 206]);
    expect((await fetchAs(one, token)).status).toBe(200);
    expect((await shareOf(ada, shareId)).recipients[0]?.downloads).toBe(3);
  });

  async function shared() {
    const { shareId, token } = await share();
    const { recipientId } = (await shareOf(ada, shareId)).recipients[0] ?? { recipientId: '' };
    return { shareId, token, recipientId };
  }
});

describe('a link ends for visitors who have opened it, with 410 (threat-model.md T46)', () => {
  const overOf = async (token: string, visit: string) => [
    (await viewShare(token, visit)).kind,
    await codeOf(open(token)),
    (await fetchAs(visit, token)).status,
  ];

  test('an opened link stops working when its sender may not enter the portal any more, and works again when they may', async () => {
    const guest = await person(firmOne, 'Gus Guest', 'gus@one.example');
    await client(firmOne, 'Guest', 'G', [guest]);
    const { token } = await share({}, await linked(guest));
    const visit = await open(token);
    await decideAccess(firmOne, guest.contactId, { kind: 'permission', name: 'DefaultClient' }, false);
    expect(await overOf(token, visit)).toEqual(['over', 'GONE', 410]);
    await decideAccess(firmOne, guest.contactId, { kind: 'permission', name: 'DefaultClient' }, undefined);
    expect((await viewShare(token, visit)).kind).toBe('open');
  });

  test('an opened link stops working when its sender is no longer staff', async () => {
    const clerk = await person(firmOne, 'Cara Clerk', 'cara@one.example', { role: 'member' });
    const { token } = await share({}, clerk);
    const visit = await open(token);
    expect((await fetchAs(visit, token)).status).toBe(200);
    await db().updateTable('contacts').set({ staff: 0 }).where('contact_id', '=', clerk.contactId).execute();
    expect(await overOf(token, visit)).toEqual(['over', 'GONE', 410]);
  });

  test('an opened link stops working when one of its documents moves to a client for which its sender does not act', async () => {
    const paper = await uploadAs(ada, projectA, 'moves.pdf', 'm');
    const { token } = await share({ sharedItems: [item(taxes), item(paper)] });
    const visit = await open(token);
    expect((await fetchAs(visit, token)).status).toBe(200);
    await db()
      .updateTable('documents')
      .set({ client_id: clientB })
      .where('document_id', '=', paper.id)
      .execute();
    expect(await overOf(token, visit)).toEqual(['over', 'GONE', 410]);
  });

  /** A contact who acts for the client of the shared documents. */
  async function linked(contact: Actor): Promise<Actor> {
    await db()
      .insertInto('client_contacts')
      .values({ client_id: await clientOfTaxes(), contact_id: contact.contactId })
      .execute();
    return actorOf(contact.contactId);
  }
  const clientOfTaxes = async (): Promise<string> =>
    (
      await db()
        .selectFrom('documents')
        .select('client_id')
        .where('document_id', '=', taxes.id)
        .executeTakeFirstOrThrow()
    ).client_id;
});
