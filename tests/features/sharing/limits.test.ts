import { afterAll, describe, expect, test } from 'vitest';
import { actorOf, decideAccess } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { openShare, sharedBytes, shareDocuments, shareOf, viewShare } from '#features/sharing/sharing.server.ts';
import type { ShareRequest } from '#features/sharing/sharing.ts';
import { db } from '#platform/database.server.ts';
import { apiAs } from '../../kit/api.ts';
import { client, handIn, makeCast, openPostOffice, person } from '../../kit/cast.ts';

const { ada, sam, firmOne, clientB, projectA } = await makeCast();
const taxes = await handIn(sam, projectA, 'Tax return.pdf', 'return');
const letter = await handIn(ada, projectA, 'Bank letter.pdf', 'letter');
const post = await openPostOffice();
afterAll(() => post.close());

let callers = 0;
const item = ({ id }: { id: string }) => ({ containerType: 'Project' as const, containerId: projectA.id, documentId: id });
async function share(changed: Partial<ShareRequest> = {}, sender: Actor = ada, to = ['x@out.example']) {
  await post.discard();
  const { shareId } = await shareDocuments(sender, { expirationPeriod: 'AfterOneDay', overrides: { subject: 'S' }, recipients: to.map((emailAddress) => ({ emailAddress })), sharedItems: [item(taxes), item(letter)], ...changed }, 'en-us');
  const letters = await post.deliver();
  const tokens = to.map((address) => /\/share\/([\w-]{43})\b/.exec(letters.find(({ recipients }) => recipients[0] === address)?.mail.text ?? '')?.[1] ?? '');
  return { shareId, token: tokens[0] ?? '', tokens };
}
const open = (token: string) => openShare(token, undefined, `198.51.100.${(callers += 1) % 250}`);
const codeOf = (work: Promise<unknown>) => work.then(() => 'OK', (error: unknown) => (error as { code: string }).code);
const fetchAs = (visit: string, token: string, more: { method?: string; range?: string } = {}) =>
  apiAs(undefined)(more.method ?? 'GET', `/api/storage/v2/sharing/links/${token}/documents/${taxes.id}`, { headers: { cookie: `visit=${visit}`, ...(more.range !== undefined && { range: more.range }) } });

describe('a share with a limit of downloads', () => {
  test('gives exactly so many when fifty are asked for at the same moment', async () => {
    const { shareId, token } = await share({ maxDownloads: 3 });
    const visit = await open(token);
    const tries = await Promise.all(Array.from({ length: 50 }, (_, i) => codeOf(sharedBytes(token, visit, i % 2 === 0 ? taxes.id : undefined))));
    expect(tries.filter((code) => code === 'OK')).toHaveLength(3);
    expect(tries.filter((code) => code === 'GONE')).toHaveLength(47);
    expect((await shareOf(ada, shareId)).recipients[0]?.downloads).toBe(3);
  });

  test('counts for each recipient by themselves', async () => {
    const { tokens } = await share({ maxDownloads: 1 }, ada, ['x@out.example', 'y@out.example']);
    for (const token of tokens) {
      const visit = await open(token);
      expect([await codeOf(sharedBytes(token, visit)), await codeOf(sharedBytes(token, visit))]).toEqual(['OK', 'GONE']);
    }
  });

  test('is over for who had them all, and says so', async () => {
    const { token } = await share({ maxDownloads: 1 });
    const visit = await open(token);
    expect((await fetchAs(visit, token)).status).toBe(200);
    expect([(await viewShare(token, visit)).kind, await codeOf(open(token)), (await fetchAs(visit, token)).status]).toEqual(['over', 'GONE', 410]);
  });

  test('counts looking at the headers as nothing, and the rest of a download as another', async () => {
    const { token } = await share({ maxDownloads: 2 });
    const visit = await open(token);
    for (let i = 0; i < 5; i += 1) expect((await fetchAs(visit, token, { method: 'HEAD' })).status).toBe(200);
    expect([(await fetchAs(visit, token, { range: 'bytes=1-' })).status, (await fetchAs(visit, token, { range: 'bytes=1-' })).status, (await fetchAs(visit, token, { range: 'bytes=1-' })).status]).toEqual([206, 206, 410]);
  });

  test('has one between 1 and 1,000', async () => {
    const json = (maxDownloads: number) => ({ expirationPeriod: 'AfterOneDay', overrides: { subject: 'S' }, recipients: [{ emailAddress: 'x@out.example' }], sharedItems: [item(taxes)], maxDownloads });
    for (const [most, status] of [[0, 422], [1, 200], [1000, 200], [1001, 422], [1.5, 422], [-1, 422]] as const) expect((await apiAs(ada)('POST', '/api/storage/v2/sharing/share', { json: json(most) })).status).toBe(status);
  });
});

test('without a limit, the parts of one download count once', async () => {
  const { shareId, token } = await share();
  const visit = await open(token);
  for (const range of ['bytes=0-3', 'bytes=4-7', 'bytes=8-']) expect((await fetchAs(visit, token, { range })).status).toBe(206);
  expect((await shareOf(ada, shareId)).recipients[0]?.downloads).toBe(1);
});

describe('a link ends for who opened it, with 410 (security.md T46),', () => {
  const overOf = async (token: string, visit: string) => [(await viewShare(token, visit)).kind, await codeOf(open(token)), (await fetchAs(visit, token)).status];

  test('when its sender may not enter the portal any more, and works again when they may', async () => {
    const guest = await person(firmOne, 'Gus Guest', 'gus@one.example');
    await client(firmOne, 'Guest', 'G', [guest]);
    const { token } = await share({}, await linked(guest));
    const visit = await open(token);
    await decideAccess(firmOne, guest.contactId, { kind: 'permission', name: 'DefaultClient' }, false);
    expect(await overOf(token, visit)).toEqual(['over', 'GONE', 410]);
    await decideAccess(firmOne, guest.contactId, { kind: 'permission', name: 'DefaultClient' }, undefined);
    expect((await viewShare(token, visit)).kind).toBe('open');
  });

  test('when its sender is no member of staff any more', async () => {
    const clerk = await person(firmOne, 'Cara Clerk', 'cara@one.example', { staff: true });
    const { token } = await share({}, clerk);
    const visit = await open(token);
    expect((await fetchAs(visit, token)).status).toBe(200);
    await db().updateTable('contacts').set({ staff: 0 }).where('contact_id', '=', clerk.contactId).execute();
    expect(await overOf(token, visit)).toEqual(['over', 'GONE', 410]);
  });

  test('when a document of it goes to another client, which its sender does not act for', async () => {
    const paper = await handIn(ada, projectA, 'moves.pdf', 'm');
    const { token } = await share({ sharedItems: [item(taxes), item(paper)] });
    const visit = await open(token);
    expect((await fetchAs(visit, token)).status).toBe(200);
    await db().updateTable('documents').set({ client_id: clientB }).where('document_id', '=', paper.id).execute();
    expect(await overOf(token, visit)).toEqual(['over', 'GONE', 410]);
  });

  /** A contact who acts for the client of the shared papers. */
  async function linked(contact: Actor): Promise<Actor> {
    await db().insertInto('client_contacts').values({ client_id: await clientOfTaxes(), contact_id: contact.contactId }).execute();
    return actorOf(contact.contactId);
  }
  const clientOfTaxes = async (): Promise<string> => (await db().selectFrom('documents').select('client_id').where('document_id', '=', taxes.id).executeTakeFirstOrThrow()).client_id;
});
