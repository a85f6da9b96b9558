import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listClients } from '#features/clients/clients/clients.server.ts';
import { clientQuery } from '#features/clients/clients/clients.ts';
import { fillDemoWorld, isDemo, startDemo, stopDemo, welcomeText } from '#features/demo/demo/demo.server.ts';
import { listMails, readMail } from '#features/demo/demo/mailbox.server.ts';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '#features/demo/demo/demo.ts';
import { containerTree } from '#features/documents/folders/tree.server.ts';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { listTrash } from '#features/documents/trash/trash.server.ts';
import { documentQuery } from '#features/documents/documents/documents.ts';
import { listShares } from '#features/sharing/sharing/my-shares.server.ts';
import { accountsOf } from '#features/base/people/people.server.ts';
import { db, fold, migrate } from '#platform/database/database.server.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { queueMail, type Mail } from '#platform/mail/mail.server.ts';
import { secretMatches } from '#platform/security/passwords.server.ts';
import { apiAs } from '../../support/api.ts';
import { blobFiles, everyRow } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';

await migrate();
const wasDemo = isDemo();
beforeAll(fillDemoWorld);

const userOf = async (email: string) =>
  (
    await db()
      .selectFrom('users')
      .selectAll()
      .where('email_key', '=', await blindIndex(fold(email)))
      .execute()
  )[0];

describe('the demo data', () => {
  test('the demo data is created once: a second start finds it and changes nothing', async () => {
    expect([wasDemo, isDemo()], 'a portal is none until it is asked to be').toEqual([false, true]);
    const [rows, files] = [await everyRow(), await blobFiles()];
    expect(rows['firms']).toHaveLength(4);
    await fillDemoWorld();
    expect(isDemo()).toBe(true);
    expect([await everyRow(), await blobFiles()]).toEqual([rows, files]);
  });

  test.each(DEMO_PEOPLE.map(({ name, email, story }) => [name, email, story] as const))(
    '%s signs in to the demo with the password shown on the page',
    async (name, email, story) => {
      const user = await userOf(email);
      expect(user && (await secretMatches(DEMO_PASSWORD, user.password_hash))).toBe(true);
      const accounts = await accountsOf(user?.prism_guid ?? '');
      const [first] = accounts;
      expect(first?.fullName).toBe(name);
      const clients = first && (await listClients(first, clientQuery.parse({})));
      const total = {
        storyOneClient: 1,
        storyFourClients: 4,
        storyFortyClients: 40,
        storyNoClients: 0,
        storyTwoFirms: 1,
        storyLocked: 1,
        storyMfa: 1,
        storyFrench: 1,
        storyTerms: 1,
      };
      if (story !== 'storyStaff') expect(clients?.total).toBe(total[story]);
      else expect(first?.staff).toBe(true);
      expect(accounts).toHaveLength(story === 'storyTwoFirms' ? 2 : 1);
      expect(first?.termsDue).toBe(story === 'storyTerms');
      expect(first?.firmLocked).toBe(story === 'storyLocked');
      expect(user?.mfa_required).toBe(story === 'storyMfa' ? 1 : 0);
    },
  );

  test('Olivia has more than one page of documents in the demo, none dated later than the demo begins', async () => {
    const [olivia] = await accountsOf((await userOf('olivia@juniper.example'))?.prism_guid ?? '');
    if (!olivia) throw new Error('no Olivia');
    const { clients } = await listClients(olivia, clientQuery.parse({}));
    const page = await listDocuments(olivia, clients[0]?.id ?? '', documentQuery.parse({}));
    expect([page.items.length, page.totalPages]).toEqual([100, 2]);
    expect(page.items[0]?.name).toBe('Tax return 2025 - for your review.pdf');
  });

  test("Daniel's demo data covers the life of documents: nested folders, a locked one, the trash, ended links, receipts, and no pending mail", async () => {
    const [daniel] = await accountsOf((await userOf('daniel@twofirms.example'))?.prism_guid ?? '');
    if (!daniel) throw new Error('no Daniel');
    const clientId = (await listClients(daniel, clientQuery.parse({}))).clients[0]?.id ?? '';
    const tree = await containerTree(daniel, {
      clientId,
      includeOrphans: false,
      countDocuments: true,
      calculateLocks: true,
    });
    expect(tree.map(({ name, depth, isLocked }) => [name, depth, isLocked])).toEqual([
      ['Cho Imports Inc', 0, false],
      ['2026', 1, false],
      ['Tax return 2024', 1, false],
      ['As filed', 2, true],
      ['Proofs', 3, true],
    ]);
    expect(tree.find(({ name }) => name === '2026')?.permissions.delete).toBe(true);
    expect((await listTrash(daniel, clientId, 0)).total).toBe(1);
    expect(
      (await listShares(daniel, { clientId, pageNum: 1, pageSize: 25 })).shares.map(({ state }) => state),
    ).toEqual(['revoked', 'expired']);
    const kinds = (await everyRow())['receipts']
      ?.filter((row) => (row as { client_id: string }).client_id === clientId)
      .map((row) => (row as { kind: string }).kind);
    expect(new Set(kinds)).toEqual(
      new Set(['upload', 'submission', 'payment', 'download', 'delete', 'share']),
    );
    expect((await everyRow())['jobs']).toEqual([]);
  });

  test('the activity and the confirmations of the demo are numbered in the order of their dates', async () => {
    for (const { company_id: firm } of await db().selectFrom('firms').select('company_id').execute())
      for (const [table, number] of [
        ['audit', 'seq'],
        ['receipts', 'number'],
      ] as const) {
        const rows = await db()
          .selectFrom(table)
          .select('at')
          .where('company_id', '=', firm)
          .orderBy(number)
          .execute();
        const dates = rows.map(({ at }) => at);
        expect(dates, `${table} of ${firm}`).toEqual(dates.toSorted((a, b) => a - b));
      }
  });

  test('the demo reports its people, address and password when it starts', () => {
    for (const { email } of DEMO_PEOPLE) expect(welcomeText()).toContain(email);
    expect(welcomeText()).toContain(DEMO_PASSWORD);
    expect(welcomeText()).toContain('http://127.0.0.1:4999/clientcenter/');
  });
});

describe('the mailbox of a demo', () => {
  beforeAll(startDemo);
  afterAll(stopDemo);

  const mail = (changed: Partial<Mail> = {}): Mail => ({
    mailId: newId('mail'),
    about: { kind: 'documents' },
    to: 'olivia@juniper.example',
    from: { name: 'Maple & Hart — Büro' },
    replyTo: { name: 'Eleanor Hart', address: 'hart@maplehart.example' },
    subject: 'Prüfung ✓',
    html: '<p>Hello <b>Olivia</b></p>',
    text: 'Hello Olivia',
    language: 'en-US',
    ...changed,
  });

  test('the demo mailbox receives what the outbox sends, over real SMTP', async () => {
    await queueMail(mail(), 'first');
    await queueMail(mail(), 'first');
    await runDueJobs();
    const mails = await listMails();
    expect(mails).toHaveLength(1);
    expect(mails[0]).toMatchObject({
      to: 'olivia@juniper.example',
      from: 'Maple & Hart — Büro <portal@firm.example>',
      subject: 'Prüfung ✓',
    });
    expect(mails[0]?.text.trim()).toBe('Hello Olivia');
    expect(await readMail(mails[0]?.id ?? '')).toEqual(mails[0]);
    expect((await everyRow())['jobs']).toMatchObject([
      { done_at: expect.any(Number) as number, payload: '' },
    ]);
  });

  test('the demo mailbox lists the newest mail first', async () => {
    await queueMail(mail({ subject: 'Second' }), 'second');
    await runDueJobs();
    expect((await listMails()).map(({ subject }) => subject)).toEqual(['Second', 'Prüfung ✓']);
  });

  test('a mail in the demo mailbox is sandboxed, so none of its scripts run', async () => {
    await queueMail(
      mail({ subject: 'Evil', html: '<script>alert(1)</script><a href="https://evil.example">x</a>' }),
      'evil',
    );
    await runDueJobs();
    const id = (await listMails())[0]?.id ?? '';
    const answer = await apiAs(undefined)('GET', `/api/demo/v1/mails/${id}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox /);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('content-security-policy')).not.toMatch(/allow-scripts|allow-same-origin/);
  });

  test('an unknown mail in the demo mailbox answers "not found"', async () => {
    await expect(readMail('mail_nothing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await apiAs(undefined)('GET', '/api/demo/v1/mails/mail_nothing')).status).toBe(404);
  });
});
