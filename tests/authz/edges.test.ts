import { afterAll, describe, expect, test } from 'vitest';
import { listContainers } from '#features/documents/folders/tree.server.ts';
import { askAgain, openShare, viewShare } from '#features/sharing/sharing/recipient.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import type { ShareRequest } from '#features/sharing/sharing/sharing.ts';
import { DAY, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { actorOf, decideAccess } from '#features/base/people/people.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs } from '../support/api.ts';
import { person, uploadAs, makeCast, startMailServer, standAt } from '../support/cast.ts';
import { openStorageOf } from '../support/fiscal.ts';
import { ruleOf } from './features.ts';

/* Edge cases of authorization, each found by a surviving mutant (scripts/mutation-test.mjs). */

const { ada, sam, clientA, firmOne, projectA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const document = await uploadAs(sam, projectA, 'Tax return.pdf', 'return');
const mailServer = await startMailServer();
afterAll(() => mailServer.close());

const CODE = 'maple-7-secret';
let callers = 0;
/** A network address that has not been used yet. */
const elsewhere = (): string => `198.51.100.${(callers += 1)}`;

async function link(changed: Partial<ShareRequest> = {}): Promise<string> {
  const request: ShareRequest = {
    expirationPeriod: 'AfterOneDay',
    overrides: { subject: 'Papers', body: '' },
    recipients: [{ emailAddress: 'x@out.example' }],
    sharedItems: [{ containerType: 'Project', containerId: projectA.id, documentId: document.id }],
    ...changed,
  };
  await shareDocuments(ada, request, 'en-us');
  const [mail] = await mailServer.deliver();
  return /\/share\/([\w-]{43})\b/.exec(mail?.mail.text ?? '')?.[1] ?? '';
}

describe('a share', () => {
  test('a share has at most twenty recipients, and a copy for its sender', async () => {
    const others = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ emailAddress: `r${i}@out.example` }));
    await expect(link({ recipients: others(21) })).rejects.toMatchObject({ code: 'INVALID' });
    await expect(
      link({ recipients: [...others(20), { emailAddress: ada.emailAddress.toUpperCase() }] }),
    ).resolves.toMatch(/./);
  });
});

describe('an expired link', () => {
  test('a new link is requested by the recipient of the expired one only', async () => {
    const [one, two] = [await link(), await link()];
    standAt(now() + 2 * DAY);
    await askAgain(one, elsewhere());
    expect([await viewShare(one, undefined), await viewShare(two, undefined)]).toMatchObject([
      { askedAgain: true },
      { askedAgain: false },
    ]);
  });

  test('requests for a new link are limited per network', async () => {
    const token = await link();
    const tries = await Promise.all(
      Array.from({ length: 31 }, () =>
        askAgain(token, '203.0.113.7').then(
          () => 'OK',
          (error: unknown) => (error as { code: string }).code,
        ),
      ),
    );
    expect(tries.filter((code) => code === 'TOO_MANY')).toHaveLength(1);
  });
});

test('the sender is notified of wrong codes when the link is disabled, not before', async () => {
  const token = await link({ authorizationCode: CODE });
  for (let tries = 1; tries <= 10; tries += 1) {
    await openShare(token, 'wrong', elsewhere()).catch(() => undefined); // refused, as expected
    if (tries === 5) standAt(now() + 16 * MINUTE);
    const notified = (await mailServer.deliver()).map(({ recipients }) => recipients);
    expect([tries, notified]).toEqual([tries, tries === 10 ? [[ada.emailAddress]] : []]);
  }
});

test('a deleted document is not counted either', async () => {
  const count = async (): Promise<number | undefined> =>
    (await listContainers(ada, clientA)).find(({ id }) => id === projectA.id)?.documentCount;
  const before = await count();
  const gone = await uploadAs(sam, projectA, 'Old.pdf', 'old');
  expect(await count()).toBe((before ?? 0) + 1);
  await db().updateTable('documents').set({ deleted_at: now() }).where('document_id', '=', gone.id).execute();
  expect(await count()).toBe(before);
});

test('a misspelled search parameter is refused, not ignored', async () => {
  const { paths } = (await (await apiAs(ada)('GET', '/api/openapi.json')).json()) as {
    paths: Record<string, { get?: { parameters?: { in: string }[] } }>;
  };
  const BINDINGS = '/api/security/v1/session'; // read by clients of all ages
  const searches = Object.entries(paths).flatMap(([address, { get }]) =>
    get?.parameters?.some((one) => one.in === 'query') && address !== BINDINGS ? [address] : [],
  );
  expect(searches.length).toBeGreaterThan(10);
  await openStorageOf(olga);
  await decideAccess(olga.companyId, undefined, { kind: 'flag', name: 'Reports' }, true);
  const staff = await actorOf(olga.contactId);
  for (const address of searches) {
    // those who may do what nobody in the matrix may are owners
    const who = /^(?:staff|nobody here)$/.test(ruleOf(`get ${address}`).who) ? staff : ada;
    const answer = await apiAs(who)('GET', `${address.replaceAll(/\{\w+\}/g, '1')}?planted=1`);
    expect([answer.status, await answer.text()], address).toEqual([
      422,
      expect.stringContaining(String.raw`Unrecognized key: \"planted\"`),
    ]);
  }
});
