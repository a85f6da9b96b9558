import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { Actor } from '#features/base/people/people.ts';
import { activityOf } from '#features/office/staff/audit-log.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import type { ShareAnswer, ShareRequest } from '#features/sharing/sharing/sharing.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, seen } from '../../support/api.ts';
import {
  CANARY,
  everyRow,
  uploadAs,
  makeCast,
  startMailServer,
  person,
  standAt,
} from '../../support/cast.ts';
import { failInserts } from '../../support/faults.ts';

const { ada, ben, sam, zoe, firmOne, projectA, projectB, documentTwo } = await makeCast();
const own = await uploadAs(sam, projectA, 'Tax return.pdf', 'return');
const second = await uploadAs(ada, projectA, 'Bank letter.pdf', 'letter');
const bens = await uploadAs(ben, projectB, 'Of Ben.pdf', 'ben');
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
afterEach(() => mailServer.discard());

let people = 0;
/** A sender who has not sent anything yet. */
const freshSender = async (): Promise<Actor> => {
  people += 1;
  const sender = await person(firmOne, `Sender ${people}`, `sender-${people}@one.example`, {
    role: 'member',
  });
  return sender;
};
const item = ({ id }: { id: string }) => ({
  containerType: 'Project' as const,
  containerId: projectA.id,
  documentId: id,
});
const request = (to: string[], changed: Partial<ShareRequest> = {}): ShareRequest => ({
  expirationPeriod: 'AfterThreeDays',
  overrides: { subject: 'Your papers', body: '' },
  recipients: to.map((emailAddress) => ({ emailAddress })),
  sharedItems: [item(own)],
  ...changed,
});
const tokenIn = (text: string | undefined) => /\/share\/([\w-]{43})\b/.exec(text ?? '')?.[1];
const many = (count: number) => Array.from({ length: count }, (_, i) => `reader-${i}@out.example`);

describe('sharing documents', () => {
  test('the activity names what was shared, and with whom', async () => {
    await shareDocuments(ada, request(['x@out.example', 'y@out.example']), 'en-us');
    const [entry] = (await activityOf(ada, undefined)).entries;
    expect(entry).toMatchObject({
      action: 'share.send',
      what: 'Tax return.pdf, x@out.example, y@out.example',
    });
  });

  test('sharing documents returns their expiry and the recipients of the mails', async () => {
    const before = now();
    const answer = await shareDocuments(ada, request(['x@out.example', 'y@out.example']), 'en-us');
    expect(answer.recipients).toEqual([
      { emailAddress: 'x@out.example', status: 'queued' },
      { emailAddress: 'y@out.example', status: 'queued' },
    ]);
    expect(Date.parse(answer.expiresAt)).toBeGreaterThanOrEqual(before + 3 * DAY);
    expect(Date.parse(answer.expiresAt)).toBeLessThanOrEqual(now() + 3 * DAY);
  });

  test('each recipient of a share gets one mail with a link of their own of 256 bits', async () => {
    await shareDocuments(ada, request(['x@out.example', 'y@out.example', 'X@out.example']), 'en-us');
    const mails = await mailServer.deliver();
    expect(mails.map(({ recipients }) => recipients.join().toLowerCase()).sort()).toEqual([
      'x@out.example',
      'y@out.example',
    ]);
    const tokens = mails.map(({ mail }) => tokenIn(mail.text));
    expect(new Set(tokens).size).toBe(2);
    for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/);
    for (const { mail } of mails) expect(tokenIn(mail.html)).toBe(tokenIn(mail.text));
  });

  test('the token of a link is stored nowhere once the mail is sent', async () => {
    await shareDocuments(ada, request(['x@out.example'], { authorizationCode: 'maple-7-secret' }), 'en-us');
    const [message] = await mailServer.deliver();
    const token = tokenIn(message?.mail.text);
    expect(token).toBeDefined();
    expect(JSON.stringify(await everyRow()).includes(token ?? '')).toBe(false);
  });

  test('the token of a link is never stored readable while the mail waits', async () => {
    await shareDocuments(ada, request(['x@out.example']), 'en-us');
    const waiting = JSON.stringify(await everyRow());
    const [message] = await mailServer.deliver();
    expect(waiting.includes(tokenIn(message?.mail.text) ?? '')).toBe(false);
  });

  test('the token of a link is stored nowhere when its mail was given up', async () => {
    const sender = await freshSender();
    await shareDocuments(sender, request(['x@out.example']), 'en-us');
    await db().updateTable('jobs').set({ attempts: 79 }).where('done_at', 'is', null).execute();
    mailServer.goAway();
    await mailServer.deliver();
    mailServer.comeBack();
    const given = (await everyRow())['jobs']
      ?.map((row) => row as { attempts: number; payload: string; done_at: number | null })
      .filter(({ attempts }) => attempts === 80);
    expect(given).toHaveLength(1);
    expect(given?.[0]?.done_at).toEqual(expect.any(Number));
    expect(given?.[0]?.payload).toBe('');
  });

  test('the code of a link is in no mail, and nowhere in the database', async () => {
    const answer = await shareDocuments(
      ada,
      request(['x@out.example'], { authorizationCode: 'maple-7-secret' }),
      'en-us',
    );
    expect(JSON.stringify(answer)).not.toContain('maple-7-secret');
    expect(JSON.stringify(await everyRow())).not.toContain('maple-7-secret');
    const mails = await mailServer.deliver();
    expect(mails).toHaveLength(1);
    for (const { raw, mail } of mails)
      expect(raw + (mail.text ?? '') + (mail.html ?? '')).not.toContain('maple-7');
  });

  test('the mail names the files only if no code is required', async () => {
    await shareDocuments(ada, request(['x@out.example']), 'en-us');
    await shareDocuments(ada, request(['y@out.example'], { authorizationCode: 'maple-7-secret' }), 'en-us');
    const mails = new Map(
      (await mailServer.deliver()).map(({ recipients, mail }) => [
        recipients[0],
        (mail.text ?? '') + (mail.html ?? ''),
      ]),
    );
    expect(mails.get('x@out.example')).toContain('Tax return.pdf');
    expect(mails.get('y@out.example')).toMatch(/share\//);
    expect(mails.get('y@out.example')).not.toContain('Tax return.pdf');
  });

  test("somebody else's document cannot be shared, and nothing is stored or sent", async () => {
    const before = await everyRow();
    for (const [actor, items] of [
      [ada, [bens]],
      [ada, [documentTwo]],
      [ada, [{ id: newId('doc') }]],
      [ada, [own, bens]],
      [ada, [documentTwo, own, second]],
      [ada, [own, documentTwo, second]],
      [sam, [documentTwo]],
      [zoe, [own]],
    ] as const) {
      await expect(
        shareDocuments(actor, request(['x@out.example'], { sharedItems: items.map(item) }), 'en-us'),
      ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(await everyRow()).toEqual(before);
    expect(await mailServer.deliver()).toEqual([]);
  });

  test.each(['shares', 'share_items', 'share_recipients', 'jobs'])(
    'a failure when inserting into %s leaves no link and no mail',
    async (table) => {
      const sender = await freshSender();
      const rows = async () => {
        const { limits, ...rest } = await everyRow();
        return rest;
      };
      const before = await rows();
      const undo = await failInserts(table, (before[table]?.length ?? 0) + (table === 'shares' ? 0 : 1));
      await expect(
        shareDocuments(
          sender,
          request(['x@out.example', 'y@out.example'], {
            authorizationCode: 'maple-7-secret',
            sharedItems: [item(own), item(second)],
          }),
          'en-us',
        ),
      ).rejects.toThrow('the disk is full');
      await undo();
      expect(await rows()).toEqual(before);
      expect(await mailServer.deliver()).toEqual([]);
    },
  );
});

describe('the mail that carries a link', () => {
  const hostile = 'Papers\r\nBcc: eve@evil.example\r\n\r\n<script>alert(1)</script>\u2028X-Evil: 1';

  test('a share mail has only the headers of its template, whatever subject, names and variables contain', async () => {
    const sender = await person(
      firmOne,
      'Eve "Boss\r\nBcc: eve@evil.example\r\n" <boss@bank.example>',
      'eve-sender@one.example',
      { role: 'member' },
    );
    await shareDocuments(
      sender,
      request(['x@out.example'], {
        overrides: { subject: hostile, body: 'Hello' },
        variables: { SENDER: 'boss@bank.example', from: 'boss@bank.example', firmName: 'Bank' },
      }),
      'en-us',
    );
    const [message] = await mailServer.deliver();
    expect(message?.recipients).toEqual(['x@out.example']);
    const names = message?.mail.headers.map(({ key }) => key).sort();
    expect(names).toEqual([
      'auto-submitted',
      'content-language',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'reply-to',
      'subject',
      'to',
    ]);
    expect(message?.mail.from).toEqual({ name: 'Maple & Hart', address: 'portal@firm.example' });
    expect(message?.mail.replyTo?.map(({ address }) => address)).toEqual(['eve-sender@one.example']);
    expect(message?.mail.to?.map(({ address }) => address)).toEqual(['x@out.example']);
    expect(message?.mail.cc ?? []).toEqual([]);
    expect(message?.mail.bcc ?? []).toEqual([]);
  });

  test("a share mail contains the sender's text as plain text, without their markup or links", async () => {
    const body =
      '<a href="https://evil.example/pay">Pay</a> **now** https://evil.example/pay <img src=x onerror=alert(1)>\n"quoted" & more';
    await shareDocuments(
      ada,
      request(['x@out.example'], { overrides: { subject: '<b>Subject</b>', body } }),
      'en-us',
    );
    const [message] = await mailServer.deliver();
    expect(message?.mail.text).toContain(body);
    const links = [...(message?.mail.html ?? '').matchAll(/href="([^"]*)"/g)].map(
      (match) => new URL(match[1] ?? '').origin,
    );
    expect(new Set(links)).toEqual(new Set(['http://127.0.0.1:4999']));
    expect(message?.mail.html).not.toMatch(/<img src=x|<b>Subject|<script/);
    expect(message?.mail.html).toContain('&lt;a href=&quot;https://evil.example/pay&quot;&gt;');
  });

  test('a share mail is in the language of the page', async () => {
    await shareDocuments(ada, request(['x@out.example']), 'pt');
    await shareDocuments(ada, request(['y@out.example']), 'fr');
    const mails = await mailServer.deliver();
    expect(
      mails.map(({ recipients, raw }) => [recipients[0], /^Content-Language: (\S+)/im.exec(raw)?.[1]]).sort(),
    ).toEqual([
      ['x@out.example', 'pt-BR'],
      ['y@out.example', 'fr-CA'],
    ]);
    expect(
      mails.map(({ mail }) => /\/clientcenter\/(\w+)\/share\//.exec(mail.text ?? '')?.[1]).sort(),
    ).toEqual(['fr', 'pt']);
    expect(JSON.stringify(mails)).not.toContain(CANARY);
  });
});

describe('a hundred recipients a day', () => {
  test('a sender has at most a hundred recipients a day, and the next day starts again', async () => {
    const sender = await freshSender();
    for (let i = 0; i < 5; i += 1) await shareDocuments(sender, request(many(20)), 'en-us');
    const before = (await everyRow())['share_recipients']?.length;
    await expect(shareDocuments(sender, request(many(1)), 'en-us')).rejects.toMatchObject({
      code: 'TOO_MANY',
      details: { retryAfter: expect.any(Number) as number },
    });
    expect((await everyRow())['share_recipients']).toHaveLength(before ?? -1);
    expect((await shareDocuments(await freshSender(), request(many(1)), 'en-us')).recipients).toHaveLength(1);
    standAt(now() + DAY + 1000);
    expect((await shareDocuments(sender, request(many(1)), 'en-us')).recipients).toHaveLength(1);
  });

  test('a share refused for its size does not count towards the daily recipients', async () => {
    const sender = await freshSender();
    for (let i = 0; i < 4; i += 1) await shareDocuments(sender, request(many(20)), 'en-us');
    await shareDocuments(sender, request(many(15)), 'en-us');
    await expect(shareDocuments(sender, request(many(10)), 'en-us')).rejects.toMatchObject({
      code: 'TOO_MANY',
    });
    expect((await shareDocuments(sender, request(many(5)), 'en-us')).recipients).toHaveLength(5);
  });

  test('the daily limit of recipients holds for concurrent shares', async () => {
    const sender = await freshSender();
    const sent = await Promise.allSettled(
      Array.from({ length: 10 }, () => shareDocuments(sender, request(many(20)), 'en-us')),
    );
    expect(sent.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(5);
  });
});

describe('the share call', () => {
  const share = (actor: Actor | undefined, json: object) =>
    apiAs(actor)('POST', '/api/storage/v2/sharing/share', { json });

  test('the share call follows the spec', async () => {
    const answer = await share(ada, {
      ...request(['x@out.example']),
      templateType: 'DOCUMENTS',
      templateId: 'CLIENT_SENDS_DOCUMENT_LINKS',
      locale: 'pt-BR',
      variables: { sender: 'somebody' },
    });
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as ShareAnswer).recipients).toEqual([
      { emailAddress: 'x@out.example', status: 'queued' },
    ]);
    expect((await mailServer.deliver())[0]?.mail.text).toContain('/clientcenter/pt/share/');
  });

  test("the share call answers for somebody else's document exactly as for an unknown one", async () => {
    const unknown = await seen(
      await share(ada, request(['x@out.example'], { sharedItems: [item({ id: newId('doc') })] })),
    );
    expect(unknown.status).toBe(404);
    for (const items of [[bens], [documentTwo], [own, documentTwo]])
      expect(
        await seen(await share(ada, request(['x@out.example'], { sharedItems: items.map(item) }))),
      ).toEqual(unknown);
  });

  test('the share call refuses visitors and invalid requests without echoing their content', async () => {
    expect((await share(undefined, request(['x@out.example']))).status).toBe(401);
    const short = await share(ada, { ...request(['x@out.example']), authorizationCode: 'zq9' });
    expect(short.status).toBe(422);
    expect(await short.text()).not.toContain('zq9');
    expect((await share(ada, { ...request(['x@out.example']), surprise: 1 })).status).toBe(422);
  });
});
