import { once } from 'node:events';
import http from 'node:http';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createProject } from '#features/documents/folders/folders.server.ts';
import { addDocument } from '#features/documents/documents/adding.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { askAgain, openShare, sharedBytes, viewShare } from '#features/sharing/sharing/recipient.server.ts';
import { abortTransfersOfEnded } from '#features/sharing/sharing/in-flight.server.ts';
import {
  extendShare,
  listLinks,
  listShares,
  revokeRecipient,
  revokeShare,
  sendAgain,
  sendersOf,
  sharedElsewhere,
  shareOf,
} from '#features/sharing/sharing/my-shares.server.ts';
import { newOpenings, openingsToAnnounce, seenOpenings } from '#features/sharing/sharing/openings.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { recentRecipients } from '#features/sharing/sharing/share-form.server.ts';
import { sweepShares } from '#features/sharing/sharing/ending.server.ts';
import { shareQuery, type SentShare } from '#features/sharing/sharing/my-shares.ts';
import type { ShareRequest } from '#features/sharing/sharing/sharing.ts';
import { activityOf, activityOfClient } from '#features/office/staff/audit-log.server.ts';
import { DAY, HOUR, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, listenAs, sessionAs } from '../../support/api.ts';
import {
  CANARY,
  client,
  everyRow,
  fileOf,
  uploadAs,
  makeCast,
  startMailServer,
  pdf,
  person,
  standAt,
  unlink,
} from '../../support/cast.ts';

const { ada, ben, cleo, sam, zoe, tom, firmOne, clientA, clientB, clientTwo, projectA, documentTwo } =
  await makeCast();
const taxes = await uploadAs(sam, projectA, 'Tax return.pdf', 'return');
const letter = await uploadAs(ada, projectA, 'Bank letter.pdf', 'letter');
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
afterEach(() => mailServer.discard());

const item = ({ id }: { id: string }) => ({
  containerType: 'Project' as const,
  containerId: projectA.id,
  documentId: id,
});
let callers = 0;
const elsewhere = () => `198.51.100.${(callers += 1)}`;
const tokenIn = (text: string | undefined): string => /\/share\/([\w-]{43})\b/.exec(text ?? '')?.[1] ?? '';
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'OK',
    (error: unknown) => (error as { code: string }).code,
  );
const actionsOn = async (target: string): Promise<string[]> =>
  (
    await db()
      .selectFrom('audit')
      .select(['action', 'actor', 'client_id'])
      .where('target', '=', target)
      .orderBy('seq')
      .execute()
  ).map((row) => `${row.action} by ${row.actor} of ${row.client_id ?? '-'}`);

/** Shares documents, delivers the mails, and returns the share with its link tokens by address. */
async function share(
  sender: Actor,
  to: string[],
  changed: Partial<ShareRequest> = {},
): Promise<{ shareId: string; tokens: Record<string, string> }> {
  await mailServer.discard();
  const { shareId } = await shareDocuments(
    sender,
    {
      expirationPeriod: 'AfterThreeDays',
      overrides: { subject: 'Your papers', body: 'Hello' },
      recipients: to.map((emailAddress) => ({ emailAddress })),
      sharedItems: [item(taxes)],
      ...changed,
    },
    'en-us',
  );
  const letters = await mailServer.deliver();
  return {
    shareId,
    tokens: Object.fromEntries(
      letters.map(({ recipients, mail }) => [recipients[0] ?? '', tokenIn(mail.text)]),
    ),
  };
}
const list = async (actor: Actor, clientId: string, more: object = {}): Promise<SentShare[]> =>
  (await listShares(actor, shareQuery.parse({ clientId, ...more }))).shares;
const idsOf = (shares: readonly SentShare[]) => shares.map(({ shareId }) => shareId);
const recipientOf = ({ recipients }: SentShare, address: string): string =>
  recipients.find(({ emailAddress }) => emailAddress === address)?.recipientId ?? '';
const freshSender = (name: string): Promise<Actor> =>
  person(firmOne, `${name} Sender`, `${name}-${newId('x')}@one.example`);

describe('the notice that a link was opened', () => {
  /** A new contact with a client, who shared a document with an address. */
  async function senderTo(address: (sender: Actor) => string) {
    const sender = await freshSender('told');
    const clientId = await client(firmOne, 'Told', newId('T').slice(0, 10), [sender]);
    const document = await uploadAs(sender, { id: clientId, containerType: 'Client' }, 'a.pdf', 'a');
    const to = address(sender);
    const { shareId, tokens } = await share(sender, [to], { sharedItems: [item(document)] });
    return { sender, clientId, shareId, token: tokens[to] ?? '' };
  }
  /** A page view of the sender, or of staff who view the portal as the sender. */
  const pageView = (actor: Actor, viewing?: Session['viewing']) => ({
    session: sessionAs(actor, viewing && { viewing }),
    openings: newOpenings(actor),
  });
  const announced = async (view: ReturnType<typeof pageView>) =>
    (await openingsToAnnounce(view)).map(({ emailAddress }) => emailAddress);

  test('a sender is notified once that a link was opened, and it counts as new until they see the list of shares', async () => {
    const { sender, clientId, shareId, token } = await senderTo(() => 'x@out.example');
    expect(await newOpenings(sender), 'before it is opened').toEqual([]);
    await openShare(token, undefined, elsewhere());
    expect(await announced(pageView(ada)), 'to somebody else').toEqual([]);
    expect(await announced(pageView(sender))).toEqual(['x@out.example']);
    expect(await announced(pageView(sender)), 'on the next page').toEqual([]);
    expect(await newOpenings(sender)).toMatchObject([{ shareId, clientIds: [clientId], isAnnounced: true }]);

    const elsewhereView = pageView(sender);
    expect(await seenOpenings(elsewhereView, { shareId: undefined, clientId: clientB })).toEqual(new Set());
    const view = pageView(sender);
    expect((await seenOpenings(view, { shareId: undefined, clientId })).size).toBe(1);
    expect(await view.openings, 'the rest of the page').toEqual([]);
    expect(await newOpenings(sender)).toEqual([]);
    await openShare(token, undefined, elsewhere());
    expect(await newOpenings(sender), 'opened again').toEqual([]);
  });

  test('staff who view the portal as the sender leave the notice to the sender', async () => {
    const { sender, shareId, token } = await senderTo(() => 'x@out.example');
    await openShare(token, undefined, elsewhere());
    const viewing = { staff: sam, until: now() + HOUR };
    expect(await announced(pageView(sender, viewing))).toEqual([]);
    expect((await seenOpenings(pageView(sender, viewing), { shareId, clientId: undefined })).size).toBe(1);
    expect(await announced(pageView(sender))).toEqual(['x@out.example']);
  });

  test('opening one’s own copy is no news', async () => {
    const { sender, token } = await senderTo(({ emailAddress }) => emailAddress);
    await openShare(token, undefined, elsewhere());
    expect(await newOpenings(sender)).toEqual([]);
  });
});

describe('the list of my shares', () => {
  test('each share is listed with its contents, expiry, whether it needs a code, and what each recipient did', async () => {
    const sent = now();
    const { shareId, tokens } = await share(ada, ['x@out.example', 'y@out.example'], {
      authorizationCode: 'maple-7-secret',
      sharedItems: [item(taxes), item(letter)],
    });
    const opened = now();
    const visit = await openShare(tokens['x@out.example'] ?? '', 'maple-7-secret', elsewhere());
    await sharedBytes(tokens['x@out.example'] ?? '', visit, taxes.id);
    await sharedBytes(tokens['x@out.example'] ?? '', visit);
    const shown = await shareOf(ada, shareId);
    expect(shown).toMatchObject({
      subject: 'Your papers',
      sender: { fullName: 'Ada Amber' },
      isOwn: true,
      state: 'open',
      requiresCode: true,
      maxDownloads: null,
      missing: 0,
    });
    expect(shown.documents.map(({ name }) => name)).toEqual(['Bank letter.pdf', 'Tax return.pdf']);
    for (const at of [Date.parse(shown.createdAt), Date.parse(shown.expiresAt) - 3 * DAY]) {
      expect(at).toBeGreaterThanOrEqual(sent);
      expect(at).toBeLessThanOrEqual(opened);
    }
    expect(shown.recipients).toMatchObject([
      { emailAddress: 'x@out.example', status: 'sent', opens: 1, downloads: 2 },
      { emailAddress: 'y@out.example', status: 'sent', opens: 0, lastOpenedAt: null, downloads: 0 },
    ]);
    expect(Date.parse(shown.recipients[0]?.lastOpenedAt ?? '')).toBeGreaterThanOrEqual(opened);
  });

  test('the links of shares are listed one for each recipient, and pages divide them between recipients', async () => {
    const clientC = await client(firmOne, 'Cobalt Cafe', newId('c'), [ada, ben]);
    const project = await createProject(sam, { clientId: clientC, name: 'Year', productType: 'TaxReturn' });
    const menu = await uploadAs(sam, project, 'Menu.pdf', 'menu');
    const sharedItems = [{ ...item(menu), containerId: project.id }];
    const older = await share(ada, ['x@out.example', 'y@out.example'], { sharedItems });
    standAt(now() + HOUR);
    const newer = await share(ada, ['z@out.example'], { sharedItems });
    const pageOf = async (actor: Actor, pageNum: number) => {
      const query = shareQuery.parse({ clientId: clientC, pageNum, pageSize: 2 });
      const { links, total } = await listLinks(actor, query);
      return { total, links: links.map((link) => [link.share.shareId, link.recipient.emailAddress]) };
    };
    const [first, second] = [await pageOf(ada, 1), await pageOf(ada, 2)];
    expect([first.total, first.links.length, second.links.length]).toEqual([3, 2, 1]);
    expect(first.links[0]).toEqual([newer.shareId, 'z@out.example']);
    const rest = [...first.links.slice(1), ...second.links];
    expect(rest.toSorted((a, b) => String(a[1]).localeCompare(String(b[1])))).toEqual([
      [older.shareId, 'x@out.example'],
      [older.shareId, 'y@out.example'],
    ]);
    expect((await pageOf(ben, 1)).links, 'another contact of the client').toEqual([]);
    expect((await pageOf(sam, 1)).total, 'staff of the firm').toBe(3);
    await expect(pageOf(cleo, 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('each share shows correctly whether its mail waits, was sent, or was given up', async () => {
    const statusOf = async () => (await shareOf(ada, shareId)).recipients[0]?.status;
    const { shareId } = await shareDocuments(
      ada,
      {
        expirationPeriod: 'AfterOneDay',
        overrides: { subject: 'S' },
        recipients: [{ emailAddress: 'x@out.example' }],
        sharedItems: [item(taxes)],
      },
      'en-us',
    );
    expect(await statusOf()).toBe('queued');
    await db().updateTable('jobs').set({ attempts: 79 }).where('done_at', 'is', null).execute();
    mailServer.goAway();
    await mailServer.deliver();
    mailServer.comeBack();
    expect(await statusOf()).toBe('failed');
    expect((await shareOf(ada, (await share(ada, ['x@out.example'])).shareId)).recipients[0]?.status).toBe(
      'sent',
    );
  });

  test('a share shows who requested a new link, and no longer once that was refused', async () => {
    const { shareId, tokens } = await share(ada, ['x@out.example', 'y@out.example'], {
      expirationPeriod: 'AfterOneDay',
    });
    const asking = async () =>
      (await shareOf(ada, shareId)).recipients.map(({ asksForANewLink }) => asksForANewLink);
    standAt(now() + 25 * HOUR);
    expect([
      await asking(),
      await askAgain(tokens['x@out.example'] ?? '', elsewhere()),
      await asking(),
    ]).toEqual([[false, false], undefined, [true, false]]);
    await revokeRecipient(ada, shareId, recipientOf(await shareOf(ada, shareId), 'x@out.example'));
    expect(await asking()).toEqual([false, false]);
    await mailServer.discard();
  });

  test('shares are listed for one client, the newest first, 25 a page', async () => {
    const sender = await freshSender('paging');
    const [one, two] = [
      await client(firmOne, 'One', 'P1', [sender]),
      await client(firmOne, 'Two', 'P2', [sender]),
    ];
    const [a, b] = [
      await uploadAs(sender, { id: one, containerType: 'Client' }, 'a.pdf', 'a'),
      await uploadAs(sender, { id: two, containerType: 'Client' }, 'b.pdf', 'b'),
    ];
    const ids: string[] = [];
    for (let i = 0; i < 27; i += 1) {
      standAt(now() + 1000);
      ids.unshift(
        (
          await shareDocuments(
            sender,
            {
              expirationPeriod: 'AfterOneDay',
              overrides: { subject: `No. ${i}` },
              recipients: [{ emailAddress: 'x@out.example' }],
              sharedItems: [item(a)],
            },
            'en-us',
          )
        ).shareId,
      );
    }
    const other = await share(sender, ['x@out.example'], { sharedItems: [item(b)] });
    const both = await share(sender, ['x@out.example'], { sharedItems: [item(a), item(b)] });
    const first = await listShares(sender, shareQuery.parse({ clientId: one }));
    expect([first.total, first.totalPages, idsOf(first.shares)]).toEqual([
      28,
      2,
      [both.shareId, ...ids.slice(0, 24)],
    ]);
    expect(idsOf(await list(sender, one, { pageNum: '2' }))).toEqual(ids.slice(24));
    expect(idsOf(await list(sender, two))).toEqual([both.shareId, other.shareId]);
  });

  test('contacts see their own shares, staff those of the whole firm, with a filter by sender', async () => {
    const [adas, cleos] = [
      (await share(ada, ['x@out.example'])).shareId,
      (await share(cleo, ['x@out.example'])).shareId,
    ];
    const seen = async (actor: Actor, more?: object) => {
      const ids = idsOf(await list(actor, clientA, more));
      return [adas, cleos].filter((id) => ids.includes(id));
    };
    expect([
      await seen(ada),
      await seen(cleo),
      await seen(sam),
      await seen(sam, { senderId: cleo.contactId }),
      await seen(ada, { senderId: cleo.contactId }),
    ]).toEqual([[adas], [cleos], [adas, cleos], [cleos], []]);
    expect((await sendersOf(sam, clientA)).map(({ fullName }) => fullName)).toEqual([
      'Ada Amber',
      'Cleo Cedar',
    ]);
    expect((await sendersOf(ada, clientA)).map(({ fullName }) => fullName)).toEqual(['Ada Amber']);
    expect((await shareOf(sam, adas)).isOwn).toBe(false);
  });

  test('the shares of an inaccessible client are not found, nor are they for staff of another firm', async () => {
    const { shareId } = await share(ada, ['x@out.example']);
    for (const [actor, clientId] of [
      [ada, clientB],
      [ben, clientA],
      [zoe, clientA],
      [tom, clientA],
      [sam, clientTwo],
    ] as const)
      expect([await codeOf(list(actor, clientId)), await codeOf(sendersOf(actor, clientId))]).toEqual([
        'NOT_FOUND',
        'NOT_FOUND',
      ]);
    for (const actor of [cleo, ben, zoe, tom])
      expect(await codeOf(shareOf(actor, shareId))).toBe('NOT_FOUND');
  });

  test('a share counts documents that the reader may no longer see, without their names', async () => {
    const sender = await freshSender('loses');
    const [one, two] = [
      await client(firmOne, 'One', 'L1', [sender]),
      await client(firmOne, 'Two', 'L2', [sender]),
    ];
    const [a, b] = [
      await uploadAs(sender, { id: one, containerType: 'Client' }, 'a.pdf', 'a'),
      await uploadAs(sender, { id: two, containerType: 'Client' }, 'b.pdf', 'b'),
    ];
    await share(sender, ['x@out.example'], { sharedItems: [item(a), item(b)] });
    await unlink(two, sender);
    const [shown] = await list(sender, one);
    expect([shown?.documents.map(({ name }) => name), shown?.missing]).toEqual([['a.pdf'], 1]);
  });

  test('the list of shares contains no token, no code and nothing of another firm', async () => {
    const { tokens } = await share(ada, ['x@out.example'], { authorizationCode: 'maple-7-secret' });
    await share(tom, ['x@out.example'], { sharedItems: [item(documentTwo)] });
    const said = JSON.stringify([await list(ada, clientA), await list(sam, clientA)]);
    expect([
      said.includes(tokens['x@out.example'] ?? '-'),
      said.includes('maple-7'),
      said.includes('argon'),
      said.includes(CANARY),
    ]).toEqual([false, false, false, false]);
  });
});

describe('ending links', () => {
  test('ending a share ends all of its links permanently, also for visitors who have opened them', async () => {
    const { shareId, tokens } = await share(ada, ['x@out.example', 'y@out.example']);
    const token = tokens['x@out.example'] ?? '';
    const visit = await openShare(token, undefined, elsewhere());
    expect((await revokeShare(ada, shareId)).state).toBe('revoked');
    expect([
      (await viewShare(token, visit)).kind,
      await codeOf(sharedBytes(token, visit)),
      await codeOf(openShare(tokens['y@out.example'] ?? '', undefined, elsewhere())),
    ]).toEqual(['over', 'GONE', 'GONE']);
    expect((await shareOf(ada, shareId)).recipients.map(({ status }) => status)).toEqual([
      'revoked',
      'revoked',
    ]);
    expect(await codeOf(extendShare(ada, shareId, 'AfterTwoWeeks'))).toBe('GONE');
    expect((await viewShare(token, visit)).kind).toBe('over');
    expect(await actionsOn(shareId)).toEqual([
      `share.send by ${ada.contactId} of ${clientA}`,
      expect.stringContaining('share.open'),
      `share.revoke by ${ada.contactId} of ${clientA}`,
    ]);
  });

  test('ending the link of one recipient leaves the others', async () => {
    const { shareId, tokens } = await share(ada, ['x@out.example', 'y@out.example']);
    const visit = await openShare(tokens['x@out.example'] ?? '', undefined, elsewhere());
    const shown = await revokeRecipient(
      ada,
      shareId,
      recipientOf(await shareOf(ada, shareId), 'x@out.example'),
    );
    expect([shown.state, shown.recipients.map(({ status }) => status)]).toEqual([
      'open',
      ['revoked', 'sent'],
    ]);
    expect([
      await codeOf(sharedBytes(tokens['x@out.example'] ?? '', visit)),
      await codeOf(openShare(tokens['x@out.example'] ?? '', undefined, elsewhere())),
    ]).toEqual(['GONE', 'GONE']);
    expect(await codeOf(openShare(tokens['y@out.example'] ?? '', undefined, elsewhere()))).toBe('OK');
  });

  test('ending a link cancels a mail that was not sent yet', async () => {
    const { shareId } = await shareDocuments(
      ada,
      {
        expirationPeriod: 'AfterOneDay',
        overrides: { subject: 'S' },
        recipients: [{ emailAddress: 'x@out.example' }, { emailAddress: 'y@out.example' }],
        sharedItems: [item(taxes)],
      },
      'en-us',
    );
    await revokeRecipient(ada, shareId, recipientOf(await shareOf(ada, shareId), 'x@out.example'));
    expect((await mailServer.deliver()).map(({ recipients }) => recipients)).toEqual([['y@out.example']]);
    expect(
      JSON.stringify(
        (await everyRow())['jobs']
          ?.filter((row) => (row as { last_error: string | null }).last_error === 'WITHDRAWN')
          .map((row) => (row as { payload: string }).payload),
      ),
    ).toBe('[""]');
  });

  test('ending a link twice is recorded once', async () => {
    const { shareId } = await share(ada, ['x@out.example']);
    await revokeShare(ada, shareId);
    const before = await everyRow();
    await revokeShare(ada, shareId);
    expect(await everyRow()).toEqual(before);
    const other = await share(ada, ['x@out.example', 'y@out.example']);
    const recipientId = recipientOf(await shareOf(ada, other.shareId), 'x@out.example');
    await revokeRecipient(ada, other.shareId, recipientId);
    const once = await everyRow();
    await revokeRecipient(ada, other.shareId, recipientId);
    expect(await everyRow()).toEqual(once);
  });

  test('ending a share that has expired changes nothing', async () => {
    const { shareId } = await share(ada, ['x@out.example'], { expirationPeriod: 'AfterOneDay' });
    standAt(now() + DAY);
    const before = await everyRow();
    expect((await revokeShare(ada, shareId)).state).toBe('expired');
    expect(await everyRow()).toEqual(before);
  });

  test('a share can be ended by its sender and staff of the firm, and nobody else', async () => {
    const { shareId, tokens } = await share(ada, ['x@out.example']);
    const recipientId = recipientOf(await shareOf(ada, shareId), 'x@out.example');
    const strange = recipientOf(
      await shareOf(cleo, (await share(cleo, ['z@out.example'])).shareId),
      'z@out.example',
    );
    const before = await everyRow();
    for (const actor of [cleo, ben, zoe, tom])
      expect([
        await codeOf(revokeShare(actor, shareId)),
        await codeOf(revokeRecipient(actor, shareId, recipientId)),
      ]).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    expect([
      await codeOf(revokeRecipient(ada, shareId, strange)),
      await codeOf(revokeShare(ada, newId('share'))),
    ]).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    expect(await everyRow()).toEqual(before);
    await revokeShare(sam, shareId);
    expect(await codeOf(openShare(tokens['x@out.example'] ?? '', undefined, elsewhere()))).toBe('GONE');
    expect((await actionsOn(shareId)).at(-1)).toBe(`share.revoke by ${sam.contactId} of ${clientA}`);
  });
});

describe('extending a share', () => {
  test.each([
    ['AfterOneDay', 3],
    ['AfterThreeDays', 4],
    ['AfterOneWeek', 8],
    ['AfterTwoWeeks', 15],
  ] as const)(
    'extending by %s sets the expiry counting from now, never earlier: %i days after sending',
    async (period, days) => {
      const before = now();
      const { shareId, tokens } = await share(ada, ['x@out.example']);
      const sent = Date.parse((await shareOf(ada, shareId)).createdAt);
      standAt(sent + DAY);
      const { expiresAt } = await extendShare(ada, shareId, period);
      expect(Date.parse(expiresAt)).toBeGreaterThanOrEqual(before + days * DAY);
      expect(Date.parse(expiresAt)).toBeLessThanOrEqual(now() + (days - 1) * DAY);
      standAt(Date.parse(expiresAt) - 1000);
      expect((await viewShare(tokens['x@out.example'] ?? '', undefined)).kind).toBe('closed');
      standAt(Date.parse(expiresAt) + 1000);
      expect((await viewShare(tokens['x@out.example'] ?? '', undefined)).kind).toBe('over');
      expect((await actionsOn(shareId)).at(-1)).toBe(`share.extend by ${ada.contactId} of ${clientA}`);
    },
  );

  test('an ended share cannot be extended, before or after it is swept, even if the clock goes back', async () => {
    const { shareId, tokens } = await share(ada, ['x@out.example'], { expirationPeriod: 'AfterOneDay' });
    standAt(now() + 25 * HOUR);
    expect([
      await codeOf(extendShare(ada, shareId, 'AfterTwoWeeks')),
      (await shareOf(ada, shareId)).state,
    ]).toEqual(['GONE', 'expired']);
    await sweepShares();
    expect([
      await codeOf(extendShare(ada, shareId, 'AfterTwoWeeks')),
      (await shareOf(ada, shareId)).state,
    ]).toEqual(['GONE', 'expired']);
    standAt(now() - 5 * HOUR);
    expect([
      await codeOf(extendShare(ada, shareId, 'AfterTwoWeeks')),
      (await viewShare(tokens['x@out.example'] ?? '', undefined)).kind,
    ]).toEqual(['GONE', 'over']);
    standAt(now() + 5 * HOUR);
  });

  test('a share can be extended by its sender only, not even by staff of the firm', async () => {
    const { shareId } = await share(ada, ['x@out.example']);
    const before = await everyRow();
    for (const actor of [sam, cleo, ben, zoe, tom])
      expect(await codeOf(extendShare(actor, shareId, 'AfterTwoWeeks'))).toBe('NOT_FOUND');
    expect(await everyRow()).toEqual(before);
  });
});

describe('sending a link again', () => {
  test('sending again gives one recipient a new link to the same contents with the same text and code, and ends the old one', async () => {
    const { shareId, tokens } = await share(ada, ['x@out.example', 'y@out.example'], {
      authorizationCode: 'maple-7-secret',
      sharedItems: [item(taxes), item(letter)],
      maxDownloads: 5,
    });
    const old = tokens['x@out.example'] ?? '';
    const visit = await openShare(old, 'maple-7-secret', elsewhere());
    await mailServer.discard();
    const before = now();
    const again = await sendAgain(
      ada,
      shareId,
      recipientOf(await shareOf(ada, shareId), 'x@out.example'),
      'AfterOneDay',
    );
    expect([(await viewShare(old, visit)).kind, await codeOf(sharedBytes(old, visit))]).toEqual([
      'over',
      'GONE',
    ]);
    const letters = await mailServer.deliver();
    expect(
      letters.map(({ recipients, mail }) => [recipients, mail.subject, mail.replyTo?.[0]?.address]),
    ).toEqual([[['x@out.example'], 'Your papers', ada.emailAddress]]);
    expect(letters[0]?.raw).not.toContain('maple-7');
    const fresh = tokenIn(letters[0]?.mail.text);
    expect(fresh).not.toBe(old);
    expect(await codeOf(openShare(fresh, 'wrong', elsewhere()))).toBe('CODE_WRONG');
    expect(await sharedBytes(fresh, await openShare(fresh, 'maple-7-secret', elsewhere()))).toHaveLength(2);
    expect(again).toMatchObject({
      state: 'open',
      requiresCode: true,
      maxDownloads: 5,
      recipients: [{ emailAddress: 'x@out.example' }],
    });
    expect(Date.parse(again.expiresAt)).toBeGreaterThanOrEqual(before + DAY);
    expect(Date.parse(again.expiresAt)).toBeLessThanOrEqual(now() + DAY);
    expect(await codeOf(openShare(tokens['y@out.example'] ?? '', 'maple-7-secret', elsewhere()))).toBe('OK');
  });

  test('sending again also works after the link ended, and does not revive the others', async () => {
    const { shareId, tokens } = await share(ada, ['x@out.example', 'y@out.example'], {
      expirationPeriod: 'AfterOneDay',
    });
    standAt(now() + 25 * HOUR);
    await sweepShares();
    await sendAgain(ada, shareId, recipientOf(await shareOf(ada, shareId), 'x@out.example'), 'AfterOneWeek');
    const [sent] = await mailServer.deliver();
    expect((await viewShare(tokenIn(sent?.mail.text), undefined)).kind).toBe('closed');
    expect([
      (await viewShare(tokens['x@out.example'] ?? '', undefined)).kind,
      (await viewShare(tokens['y@out.example'] ?? '', undefined)).kind,
    ]).toEqual(['over', 'over']);
  });

  test('sending again is refused when its sender may no longer see everything, and the old link keeps working', async () => {
    const sender = await freshSender('again');
    const clientId = await client(firmOne, 'Again', 'AG', [sender]);
    const document = await uploadAs(sender, { id: clientId, containerType: 'Client' }, 'a.pdf', 'a');
    const { shareId } = await share(sender, ['x@out.example'], { sharedItems: [item(document)] });
    const recipientId = recipientOf(await shareOf(sender, shareId), 'x@out.example');
    await unlink(clientId, sender);
    const before = await everyRow();
    expect(await codeOf(sendAgain(sender, shareId, recipientId, 'AfterOneDay'))).toBe('NOT_FOUND');
    expect(await everyRow()).toEqual(before);
  });

  test('sending again counts among the hundred recipients a day, and over the limit ends no link', async () => {
    const sender = await freshSender('many');
    const clientId = await client(firmOne, 'Many', 'MA', [sender]);
    const document = await uploadAs(sender, { id: clientId, containerType: 'Client' }, 'a.pdf', 'a');
    const { shareId, tokens } = await share(sender, ['x@out.example'], { sharedItems: [item(document)] });
    for (let left = 99; left > 0; left -= 20) {
      const recipients = Array.from({ length: Math.min(20, left) }, (_, i) => ({
        emailAddress: `r${left - i}@out.example`,
      }));
      await shareDocuments(
        sender,
        {
          expirationPeriod: 'AfterOneDay',
          overrides: { subject: 'S' },
          recipients,
          sharedItems: [item(document)],
        },
        'en-us',
      );
    }
    expect(
      await codeOf(
        sendAgain(
          sender,
          shareId,
          recipientOf(await shareOf(sender, shareId), 'x@out.example'),
          'AfterOneDay',
        ),
      ),
    ).toBe('TOO_MANY');
    expect((await viewShare(tokens['x@out.example'] ?? '', undefined)).kind).toBe('closed');
  });

  test('only the sender can send again, and only to a recipient of that share', async () => {
    const { shareId } = await share(ada, ['x@out.example']);
    const recipientId = recipientOf(await shareOf(ada, shareId), 'x@out.example');
    const another = await share(ada, ['z@out.example']);
    const before = await everyRow();
    for (const actor of [sam, cleo, zoe, tom])
      expect(await codeOf(sendAgain(actor, shareId, recipientId, 'AfterOneDay'))).toBe('NOT_FOUND');
    expect(await codeOf(sendAgain(ada, another.shareId, recipientId, 'AfterOneDay'))).toBe('NOT_FOUND');
    expect(await everyRow()).toEqual(before);
  });
});

describe('the share calls', () => {
  const path = '/api/storage/v2/sharing/shares';

  test('the share calls list, extend and end shares', async () => {
    const { shareId, tokens } = await share(ada, ['x@out.example', 'y@out.example']);
    const call = apiAs(ada);
    const listed = (await (await call('GET', `${path}?clientId=${clientA}&pageSize=1`)).json()) as {
      shares: SentShare[];
      total: number;
    };
    expect([listed.shares.map((one) => one.shareId), listed.total > 1]).toEqual([[shareId], true]);
    const extended = await call('POST', `${path}/${shareId}/extend`, {
      json: { expirationPeriod: 'AfterTwoWeeks' },
    });
    expect([
      extended.status,
      Math.round((Date.parse(((await extended.json()) as SentShare).expiresAt) - now()) / DAY),
    ]).toEqual([200, 14]);
    expect(
      (
        await call(
          'DELETE',
          `${path}/${shareId}/recipients/${recipientOf(await shareOf(ada, shareId), 'x@out.example')}`,
        )
      ).status,
    ).toBe(200);
    expect([
      await codeOf(openShare(tokens['x@out.example'] ?? '', undefined, elsewhere())),
      await codeOf(openShare(tokens['y@out.example'] ?? '', undefined, elsewhere())),
    ]).toEqual(['GONE', 'OK']);
    expect((await call('DELETE', `${path}/${shareId}`)).status).toBe(200);
    expect(
      (await call('POST', `${path}/${shareId}/extend`, { json: { expirationPeriod: 'AfterTwoWeeks' } }))
        .status,
    ).toBe(410);
  });

  test('the share calls refuse an invalid period, page or client', async () => {
    const { shareId } = await share(ada, ['x@out.example']);
    const call = apiAs(ada);
    for (const json of [
      {},
      { expirationPeriod: 'Forever' },
      { expirationPeriod: 'AfterOneDay', expiresAt: 1 },
    ])
      expect((await call('POST', `${path}/${shareId}/extend`, { json })).status).toBe(422);
    for (const query of [
      '',
      `?clientId=${clientA}&pageNum=0`,
      `?clientId=${clientA}&pageSize=101`,
      `?clientId=${clientA}&surprise=1`,
    ])
      expect((await call('GET', path + query)).status).toBe(422);
  });
});

test('ending a link aborts its downloads in flight, and not those of other links', async () => {
  // more than a connection buffers, so that a slow reader keeps the download in flight
  const MEBIBYTES = 24;
  const large = await addDocument(ada, {
    containerType: projectA.containerType,
    containerId: projectA.id,
    name: 'Large.pdf',
    bytes: fileOf(Buffer.concat([pdf('large'), Buffer.alloc(MEBIBYTES * 1024 * 1024)])),
    onConflict: 'rename',
  });
  const { shareId, tokens } = await share(ada, ['x@out.example', 'y@out.example'], {
    sharedItems: [item(large)],
  });
  const portal = await listenAs(ada);
  const fetching = async (address: string, what: string) => {
    const token = tokens[address] ?? '';
    const headers = { cookie: `visit=${await openShare(token, undefined, elsewhere())}` };
    const [answer] = (await once(
      http.get({
        port: portal.port,
        path: `/api/storage/v2/sharing/links/${token}/${what}`,
        headers,
        agent: false,
      }),
      'response',
    )) as [http.IncomingMessage];
    return answer;
  };
  const [file, archive, others] = [
    await fetching('x@out.example', `documents/${large.id}`),
    await fetching('x@out.example', 'documents.zip'),
    await fetching('y@out.example', 'documents.zip'),
  ];
  expect([file.statusCode, archive.statusCode, others.statusCode, await abortTransfersOfEnded()]).toEqual([
    200, 200, 200, 0,
  ]);
  await revokeRecipient(ada, shareId, recipientOf(await shareOf(ada, shareId), 'x@out.example'));
  const broken = Promise.all([once(file, 'error'), once(archive, 'error')]);
  expect(await abortTransfersOfEnded()).toBe(2);
  for (const one of [file, archive]) one.resume();
  expect(await broken).toMatchObject([[{ code: 'ECONNRESET' }], [{ code: 'ECONNRESET' }]]);
  expect([others.destroyed, await abortTransfersOfEnded()]).toEqual([false, 0]);
  const alsoBroken = once(others, 'error');
  await revokeShare(ada, shareId);
  expect(await abortTransfersOfEnded()).toBe(1);
  others.resume();
  expect(await alsoBroken).toMatchObject([{ code: 'ECONNRESET' }]);
  await portal.close();
});

describe('recent recipients', () => {
  test('are those of the sender and of the client, the newest first, each once and without the own address', async () => {
    await share(ada, ['first@out.example', ada.emailAddress]);
    await share(sam, ['of-sam@out.example']);
    await share(ada, ['Second@out.example']);
    await share(ada, ['FIRST@out.example']);
    expect((await recentRecipients(ada, clientA)).slice(0, 2)).toEqual([
      'FIRST@out.example',
      'Second@out.example',
    ]);
    const all = await recentRecipients(ada, clientA);
    expect(new Set(all.map((address) => address.toLowerCase())).size).toBe(all.length);
    expect(all.length).toBeLessThanOrEqual(8);
    expect(all).not.toContain('of-sam@out.example');
    expect(all).not.toContain(ada.emailAddress);
  });

  test('of a client that the sender does not act for are not there', async () => {
    expect(await recentRecipients(ada, clientTwo)).toEqual([]);
    expect(await recentRecipients(zoe, clientA)).toEqual([]);
  });
});

describe('the activity', () => {
  const entriesOf = async (actor: Actor, action: string) =>
    (await (actor.staff ? activityOfClient(actor, clientA, undefined) : activityOf(actor, undefined))).entries
      .filter((entry) => entry.action === action)
      .map(({ who, what }) => ({ who, what }));

  test('says with whom documents were shared, to their sender and the firm', async () => {
    const [bank, broker] = [`bank-${newId('x')}@else.example`, `broker-${newId('x')}@else.example`];
    const { shareId, tokens } = await share(ada, [bank, broker]);
    await openShare(tokens[bank] ?? '', undefined, elsewhere());
    await revokeRecipient(ada, shareId, recipientOf(await shareOf(ada, shareId), broker));
    for (const reader of [ada, sam]) {
      expect((await entriesOf(reader, 'share.send'))[0]?.what).toBe(`Tax return.pdf, ${bank}, ${broker}`);
      expect((await entriesOf(reader, 'share.open'))[0]?.who).toBe(bank);
      expect((await entriesOf(reader, 'share.revoke'))[0]?.what).toBe(broker);
    }
  });

  test('does not say it to another contact of the client', async () => {
    await share(ada, [`secret-${newId('x')}@else.example`]);
    expect(JSON.stringify(await activityOf(cleo, undefined))).not.toContain('else.example');
  });
});

test('an empty company leads to the one whose documents the contact shared last', async () => {
  const sender = await freshSender('elsewhere');
  const [shared, other] = [
    await client(firmOne, 'Shared Ltd', newId('S').slice(0, 10), [sender]),
    await client(firmOne, 'Other Ltd', newId('S').slice(0, 10), [sender]),
  ];
  expect(await sharedElsewhere(sender, other)).toBeUndefined();
  const document = await uploadAs(sender, { id: shared, containerType: 'Client' }, 'a.pdf', 'a');
  await share(sender, ['somebody@else.example'], { sharedItems: [item(document)] });
  expect(await sharedElsewhere(sender, other)).toEqual({ clientId: shared, client: 'Shared Ltd' });
  expect(await sharedElsewhere(sender, shared)).toBeUndefined();
});

test('the name of a recipient labels the link, also when it is sent again, and is in no email', async () => {
  const emailAddress = `named-${newId('x')}@else.example`;
  const { shareId } = await share(ada, [], { recipients: [{ emailAddress, name: 'Jane at the bank' }] });
  const [sent] = (await shareOf(ada, shareId)).recipients;
  expect(sent).toMatchObject({ emailAddress, name: 'Jane at the bank' });
  const again = await sendAgain(ada, shareId, sent?.recipientId ?? '', 'AfterOneDay');
  expect(again.recipients[0]).toMatchObject({ emailAddress, name: 'Jane at the bank' });
  expect(JSON.stringify(await mailServer.deliver())).not.toContain('Jane at the bank');
});

test('the subject of an email keeps no character that turns its direction', async () => {
  await shareDocuments(
    ada,
    {
      expirationPeriod: 'AfterOneDay',
      overrides: { subject: 'Invoice \u202Efdp.exe\u2066 for you', body: '' },
      recipients: [{ emailAddress: 'someone@else.example' }],
      sharedItems: [item(taxes)],
    },
    'en-us',
  );
  const [letter] = await mailServer.deliver();
  expect(letter?.mail.subject).toBe('Invoice fdp.exe for you');
});
