import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { setSecondStep } from '#features/base/firms/firms.server.ts';
import { actorOf, createContact, decideAccess } from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { findSession, startSession, switchAccount } from '#features/identity/sessions/sessions.server.ts';
import { publishTerms } from '#features/identity/sessions/terms.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, impersonating } from '../../support/api.ts';
import { BROWSER, lockFirm, makeCast, pdf, unlink } from '../../support/cast.ts';

/* An upload that was begun in an account of a person goes on after they have switched to another one in another tab. */

const { ada, ben, sam, zoe, tom, firmOne, firmTwo, clientA, projectA } = await makeCast();
await setSecondStep(firmTwo, { who: 'nobody', from: 0 });
const second = await actorOf(
  await createContact({ companyId: firmTwo, prismGuid: ada.prismGuid, fullName: 'Ada of two' }),
);
for (const actor of [ada, second])
  await decideAccess(actor.companyId, actor.contactId, { kind: 'permission', name: 'DefaultClient' }, true);

const bytes = Buffer.concat([pdf('large'), randomBytes(1000)]);
const half = 600;

async function signedIn(actor: Actor): Promise<Session> {
  const session = await findSession(await startSession(actor, BROWSER));
  if (!session) throw new Error('nobody is signed in');
  return session;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const TUS = { 'tus-resumable': '1.0.0' };
const patch = ({ actor, ...session }: Session, address: string, offset: number, part: Buffer) =>
  apiAs(actor, { actor, ...session })('PATCH', address, {
    text: part as never,
    headers: { ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) },
  });

/** Begins an upload of Ada's and sends its first half; returns its address, and her session. */
async function begun() {
  const session = await signedIn(ada);
  const answer = await apiAs(ada, session)('POST', '/api/storage/v1/uploads', {
    headers: {
      ...TUS,
      'upload-length': String(bytes.length),
      'upload-metadata': `filename ${base64('Begun.pdf')},containerType ${base64('Project')},containerId ${base64(projectA.id)},onConflict ${base64('rename')}`,
    },
  });
  const address = answer.headers.get('location') ?? '';
  expect((await patch(session, address, 0, bytes.subarray(0, half))).status).toBe(204);
  return { address, session };
}

async function switched(session: Session): Promise<Session> {
  const { token } = await switchAccount(session, second.contactId, BROWSER.device);
  const next = await findSession(token);
  if (!next) throw new Error('the sign-in did not go on');
  return next;
}

test('an upload goes on after a switch of accounts, as the contact who began it', async () => {
  const { address, session } = await begun();
  const next = await switched(session);
  const head = await apiAs(next.actor, next)('HEAD', address);
  expect([head.status, head.headers.get('upload-offset')]).toEqual([200, String(half)]);
  const last = await patch(next, address, half, bytes.subarray(half));
  expect(last.status).toBe(200);
  const { data } = (await last.json()) as { data: { id: string }[] };
  const stored = await db()
    .selectFrom('documents')
    .select(['company_id', 'client_id', 'created_by'])
    .where('document_id', '=', data[0]?.id ?? '')
    .executeTakeFirst();
  expect(stored).toEqual({ company_id: firmOne, client_id: clientA, created_by: ada.contactId });
});

test('an upload can be given up after a switch of accounts', async () => {
  const { address, session } = await begun();
  const next = await switched(session);
  expect((await apiAs(next.actor, next)('DELETE', address, { headers: TUS })).status).toBe(204);
});

test.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
  [
    'they have lost the client',
    () => unlink(clientA, ada),
    () =>
      db().insertInto('client_contacts').values({ client_id: clientA, contact_id: ada.contactId }).execute(),
  ],
  ['its firm is locked', () => lockFirm(firmOne, true), () => lockFirm(firmOne, false)],
  [
    'its firm has new terms',
    async () => publishTerms(await actorOf(sam.contactId), { 'en-us': 'New terms' }),
    () => db().deleteFrom('terms').execute(),
  ],
  [
    'they may not enter its account any more',
    () => decideAccess(firmOne, ada.contactId, { kind: 'permission', name: 'DefaultClient' }, false),
    () => decideAccess(firmOne, ada.contactId, { kind: 'permission', name: 'DefaultClient' }, true),
  ],
])('after a switch of accounts an upload is not found when %s', async (_, happens, undo) => {
  await decideAccess(firmOne, sam.contactId, { kind: 'permission', name: 'ManageFirm' }, true);
  const { address, session } = await begun();
  const next = await switched(session);
  await happens();
  expect((await patch(next, address, half, bytes.subarray(half))).status).toBe(404);
  await undo();
});

test('after a switch of accounts an upload is not found when its firm requires a second step that was not made', async () => {
  const { address, session } = await begun();
  const next = await switched(session);
  await setSecondStep(firmOne, { who: 'everybody', from: 0 });
  const rest = bytes.subarray(half);
  expect((await patch({ ...next, amr: ['pwd'] }, address, half, rest)).status).toBe(404);
  expect((await patch(next, address, half, rest)).status, 'it was made').toBe(200);
});

test('an upload is not found for other people, by a token of the other account, and for staff who view as it', async () => {
  const { address, session } = await begun();
  const next = await switched(session);
  const rest = bytes.subarray(half);
  for (const other of [ben, sam, zoe])
    expect((await patch(await signedIn(other), address, half, rest)).status, other.fullName).toBe(404);
  expect((await patch({ ...next, byToken: 'token_1' }, address, half, rest)).status).toBe(404);
  expect((await patch(impersonating(second, tom), address, half, rest)).status, 'a view cannot write').toBe(
    403,
  );
  expect((await patch(next, address, half, rest)).status, 'it is still there').toBe(200);
});
