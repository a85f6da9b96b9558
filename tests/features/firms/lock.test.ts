import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { lockFirm } from '#features/base/firms/firms.server.ts';
import { askForReset } from '#features/identity/recovery/reset.server.ts';
import { abortTransfersOfLocked, inFlightFor } from '#features/identity/sessions/cut-off.server.ts';
import { findSession, startSession } from '#features/identity/sessions/sessions.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { Env } from '#features/base/people/people.server.ts';
import { api } from '../../../src/api.server.ts';
import { BROWSER, CANARY, uploadAs, makeCast, startMailServer, standAt } from '../../support/cast.ts';

const { ada, zoe, firmOne, firmTwo, projectA, clientTwo, documentTwo } = await makeCast();
const mailServer = await startMailServer();
afterAll(() => mailServer.close());

const share = (actor: typeof ada, documentId: string, containerId: string) =>
  shareDocuments(
    actor,
    {
      expirationPeriod: 'AfterOneDay',
      overrides: { subject: 'Papers', body: '' },
      recipients: [{ emailAddress: 'r@out.example' }],
      sharedItems: [{ containerType: 'Project', containerId, documentId }],
    } as never,
    'en-us',
  );

describe('a locked firm', () => {
  test('a locked firm answers its people once with the reason, and does not recognize their session afterwards', async () => {
    const token = await startSession(ada, BROWSER);
    await lockFirm(firmOne, true, 'operator');
    const ask = async () => {
      let lockedOut = false;
      const session = await findSession(token, { onLockOut: () => void (lockedOut = true) });
      const incoming = {
        portal: { requestId: 'r', network: '192.0.2.1', session, lockedOut },
      } as Env['Bindings']['incoming'];
      const answer = await api.request('/api/client-center/v1/clients/', {}, { incoming });
      return [answer.status, ((await answer.json()) as { errors?: { code: string }[] }).errors?.[0]?.code];
    };
    expect([await ask(), await ask()]).toEqual([
      [403, 'FIRM_LOCKED_OUT'],
      [401, 'UNAUTHENTICATED'],
    ]);
    await lockFirm(firmOne, false, 'operator');
    const actions = (
      await db()
        .selectFrom('audit')
        .select(['action', 'actor'])
        .where('company_id', '=', firmOne)
        .orderBy('seq')
        .execute()
    ).filter(({ action }) => action.startsWith('firm.'));
    expect(actions).toEqual([
      { action: 'firm.lock', actor: 'operator' },
      { action: 'firm.unlock', actor: 'operator' },
    ]);
  });

  test('a locked firm sends no mail until it is unlocked, and mails of other firms are sent', async () => {
    const paper = await uploadAs(ada, projectA, 'Paper.pdf', 'paper');
    await share(ada, paper.id, projectA.id);
    await share(zoe, documentTwo.id, clientTwo);
    await lockFirm(firmOne, true, 'operator');
    const from = (await mailServer.deliver()).map(({ mail }) => mail.from?.name);
    expect(from).toEqual([expect.stringMatching(`via ${CANARY} Ledger$`)]);
    standAt(now() + 5 * HOUR);
    await askForReset({ email: ada.emailAddress, network: '192.0.2.1' });
    expect(await mailServer.deliver()).toEqual([]);
    await lockFirm(firmOne, false, 'operator');
    standAt(now() + MINUTE);
    const later = (await mailServer.deliver()).map(({ mail }) => mail.from?.name);
    expect(later).toEqual([expect.stringMatching('via Maple & Hart$')]);
  });

  test('locking an unknown firm answers "not found"', async () => {
    await expect(lockFirm('firm_none', true, 'operator')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test("locking a firm aborts the downloads of its people, and nobody else's", async () => {
    const server = http.createServer((request, response) => {
      inFlightFor(response)(request.url === '/one' ? firmOne : firmTwo);
      response.write('the first half');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const fetching = async (name: string) => {
      const [answer] = (await once(
        http.get({ port: (server.address() as AddressInfo).port, path: `/${name}`, agent: false }),
        'response',
      )) as [http.IncomingMessage];
      await once(answer, 'data');
      return answer;
    };
    const [one, two] = [await fetching('one'), await fetching('two')];
    expect(await abortTransfersOfLocked()).toBe(0);
    await lockFirm(firmOne, true, 'operator');
    const broken = once(one, 'error');
    expect(await abortTransfersOfLocked()).toBe(1);
    expect(await broken).toMatchObject([{ code: 'ECONNRESET' }]);
    expect(two.destroyed).toBe(false);
    expect(await abortTransfersOfLocked(), 'it is forgotten').toBe(0);
    two.destroy();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  });
});
