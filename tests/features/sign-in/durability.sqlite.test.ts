import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { commitsOf } from '../../support/statements.ts';

// The configuration is read once at import, so the address of this test's own provider has to be known first.
const server = http.createServer();
await once(server.listen(0, '127.0.0.1'), 'listening');
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
process.env['PUBLIC_ORIGIN'] = origin;

const { answerOidc } = await import('#features/identity/sign-in/provider.server.ts');
const { finishSignIn, setOwnAddress, signInWithPassword } =
  await import('#features/identity/sign-in/sign-in.server.ts');
const { addTicket, takeTicket } = await import('#features/identity/sign-in/tickets.server.ts');
const { activeClient } = await import('#features/clients/clients/clients.server.ts');
const { listDocuments } = await import('#features/documents/documents/documents.server.ts');
const { documentQuery } = await import('#features/documents/documents/documents.ts');
const { findSession, startSession } = await import('#features/identity/sessions/sessions.server.ts');
const { writeLastSeen } = await import('#features/identity/sessions/last-seen.server.ts');
const { shareDocuments } = await import('#features/sharing/sharing/sending.server.ts');
const { audit } = await import('#platform/security/audit.server.ts');
const { MINUTE, now } = await import('#platform/runtime/clock.server.ts');
const { config } = await import('#platform/runtime/config.server.ts');
const { sha256 } = await import('#platform/security/crypto.server.ts');
const { db, inTransaction, withoutSync } = await import('#platform/database/database.server.ts');
const { overwriteForwardedHeaders } = await import('#platform/http/http-security.server.ts');
const { consume } = await import('#platform/security/limits.server.ts');
const { databaseFile } = await import('#platform/database/sqlite.server.ts');
const { BROWSER, uploadAs, makeCast, PASSWORD, standAt } = await import('../../support/cast.ts');
const { browse } = await import('../../support/sign-in-browser.ts');
await import('../../../src/app.server.ts');

setOwnAddress(origin);
server.on('request', (request, response) => {
  overwriteForwardedHeaders(request);
  void answerOidc(request, response);
});
const { ada, clientA, firmOne, projectA } = await makeCast();
const document = await uploadAs(ada, projectA, 'Receipt.pdf', 'a receipt');
const returnTo = '/clientcenter/en-us/documents';
const set = (name: string) => db().insertInto('settings').values({ name, value: 'x' }).execute();

afterAll(() => {
  server.closeAllConnections();
  return new Promise<void>((resolve) => server.close(() => resolve()));
});

/** Goes through a sign-in as a browser does, up to the new session. */
async function signIn(): Promise<string> {
  const input = {
    email: 'ada@one.example',
    password: PASSWORD,
    network: '198.51.100.7',
    lang: 'en-us',
    returnTo,
  };
  const { callback, jar } = await browse(await signInWithPassword(input));
  const { actor, amr } = await finishSignIn(callback, jar.get('signin'));
  return startSession(actor, { ...BROWSER, amr });
}

describe('writes that wait for the disk', () => {
  test('a sign-in waits for the disk once, for its session, but not for short-lived rows and counters', async () => {
    await signIn(); // the provider creates its key at the first sign-in
    const commits = await commitsOf(signIn);
    expect(commits.synced, 'synced writes of a sign-in').toBe(1);
    expect(commits.unsynced, 'the rest was written, too').toBeGreaterThan(10);
  });

  test('a page view writes nothing, even an hour later, and last-seen times are written without waiting', async () => {
    const token = await startSession(ada, BROWSER);
    const view = async () => {
      const session = await findSession(token);
      if (!session) throw new Error('it should be live');
      await activeClient(session.actor, clientA);
      await listDocuments(session.actor, clientA, documentQuery.parse({}));
    };
    const pages = await commitsOf(async () => {
      for (let page = 0; page < 60; page += 1) {
        await view();
        standAt(now() + MINUTE);
      }
    });
    expect(pages).toEqual({ synced: 0, unsynced: 0 });
    expect(await commitsOf(writeLastSeen)).toEqual({ synced: 0, unsynced: 1 });
  });

  test('documents, shares, the audit log and sessions wait for the disk', async () => {
    const share = {
      expirationPeriod: 'AfterOneDay' as const,
      overrides: { subject: 'Receipt' },
      recipients: [{ emailAddress: 'bank@ledger.example' }],
      sharedItems: [{ containerType: 'Project' as const, containerId: projectA.id, documentId: document.id }],
    };
    const kept: Record<string, () => Promise<unknown>> = {
      'a document': () => uploadAs(ada, projectA, 'Another.pdf', 'another'),
      'a share': () => shareDocuments(ada, share, 'en-us'),
      'an entry of the audit trail': () =>
        audit({ companyId: firmOne, actor: ada.contactId, action: 'session.start', target: 'x' }),
      'a session': () => startSession(ada, BROWSER),
      'what comes after a count': async () => {
        await consume('tries', 10, MINUTE);
        await set('after a count');
      },
    };
    for (const [what, work] of Object.entries(kept)) {
      expect((await commitsOf(work)).synced, what).toBeGreaterThan(0);
    }
  });

  test('a write that need not wait by itself waits with the transaction it is part of', async () => {
    const within = () => inTransaction(() => withoutSync(() => set('within')));
    expect(await commitsOf(within)).toEqual({ synced: 1, unsynced: 0 });
  });
});

test('a ticket used without waiting stays used when the process dies: every other process sees it', async () => {
  const token = await addTicket(ada.prismGuid, ['pwd'], MINUTE);
  const elsewhere = new DatabaseSync(databaseFile(config.dataDir), { readOnly: true });
  const left = () =>
    elsewhere.prepare('select count(*) as count from login_tickets where ticket_hash = ?').get(sha256(token));
  expect(left()).toEqual({ count: 1 });
  expect(await takeTicket(token)).toMatchObject({ prismGuid: ada.prismGuid });
  expect(left()).toEqual({ count: 0 });
  elsewhere.close();
});
