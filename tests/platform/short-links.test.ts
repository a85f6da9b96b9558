import { beforeAll, expect, test } from 'vitest';
import { DAY, moveClock } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { db, migrate } from '#platform/database/database.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { firmMail, mailedPage } from '#platform/mail/mail-layout.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import type { MailKind } from '#platform/mail/mail-kinds.ts';
import { sweepMails } from '#platform/mail/mail-log.server.ts';
import { pageOfShortLink, sweepShortLinks } from '#platform/mail/short-links.server.ts';
import '../../src/app.server.ts';

beforeAll(migrate);

const [companyId, clientId, taskId] = [newId('firm'), newId('client'), newId('task')];
const TASK_PAGE = mailedPage('en-us', `tasks/clients/${clientId}/task/${taskId}`, { companyId, clientId });
const THEME = {
  logoUrl: null,
  headerLine1: 'Maple & Hart',
  headerFillColor: '#222222',
  headerTextColor: '#ffffff',
  buttonFillColor: '#222222',
  buttonTextColor: '#ffffff',
};

const mailWith = (link: string, kind: MailKind = 'task', items: string[] = []) =>
  firmMail({
    about: { kind },
    firm: { name: 'Maple & Hart', phone: '', email: '', theme: THEME },
    to: 'nora@client.example',
    lang: 'en-us',
    title: 'A task is waiting for you',
    text: ['Bank statements – due May 20'],
    items: items.map((address) => ({
      title: 'A task',
      text: ['Payroll'],
      button: { label: 'View', link: address },
      reason: '',
    })),
    button: { label: 'View task', link },
    reason: 'You’re receiving this because you have a task.',
  });

const linksIn = (text: string): string[] => text.match(/https?:\/\/[^\s"<>]+/g) ?? [];
const pageOf = async (link = ''): Promise<string | undefined> => pageOfShortLink(new URL(link).pathname);

test('a link to a page takes one short word, in both parts of a mail, and leads to the page', async () => {
  const mail = mailWith(`${TASK_PAGE}#messages`);
  await queueMail(mail, newId('notice'));
  const links = new Set([...linksIn(mail.text), ...linksIn(mail.html)]);
  expect([...links]).toEqual([expect.stringMatching(new RegExp(`^${config.origin}/m/[0-9a-z]{14}$`))]);
  const target = new URL(config.origin + ((await pageOf([...links][0])) ?? ''));
  expect([target.pathname, target.hash]).toEqual([new URL(TASK_PAGE).pathname, '#messages']);
  expect(Object.fromEntries(target.searchParams)).toEqual({
    firm: companyId,
    client: clientId,
    mail: mail.mailId,
  });
});

test('a program that wraps lines at 72 characters leaves the links of a mail whole', () => {
  const { text } = mailWith(TASK_PAGE, 'task', [TASK_PAGE, TASK_PAGE]);
  const wrapped = text.replaceAll(/(.{1,72})(?:\s|$)|(.{72})/g, '$1$2\n');
  expect(linksIn(wrapped)).toEqual(linksIn(text));
  expect(new Set(linksIn(text)).size).toBe(3);
});

test('each notification in a mail has a link of its own', async () => {
  const other = mailedPage('pt', 'documents', { companyId, clientId });
  const mail = mailWith(TASK_PAGE, 'task', [other]);
  await queueMail(mail, newId('notice'));
  const pages = await Promise.all(linksIn(mail.text).map(pageOf));
  expect(pages.map((page) => page?.split('?')[0])).toEqual([
    new URL(other).pathname,
    new URL(TASK_PAGE).pathname,
  ]);
});

test('a link that works without signing in stays whole, and its token is not stored', async () => {
  const secret = `${config.origin}/${config.base}/en-us/share/${'s'.repeat(43)}`;
  const mail = mailWith(secret, 'share');
  await queueMail(mail, newId('notice'));
  expect(mail.text).toContain(secret);
  expect(mail.shortLinks).toEqual([]);
  const stored = await db().selectFrom('mail_links').select('page').execute();
  expect(JSON.stringify(stored)).not.toContain('share');
});

test('a short link is random, and one that nobody got leads nowhere', async () => {
  const codes = Array.from({ length: 200 }, () => mailWith(TASK_PAGE).shortLinks?.[0]?.code ?? '');
  expect(new Set(codes).size).toBe(200);
  // every letter is used, so that each carries five bits
  expect(new Set(codes.join('')).size).toBe(32);
  for (const address of [
    '/m/',
    `/m/${codes[0]}`,
    '/m/00000000000000',
    "/m/' or 1=1 --",
    '/m/%00',
    '/m/../api',
  ])
    expect(await pageOfShortLink(address)).toBeUndefined();
});

test('a short link works after the row of its mail is gone, for years', async () => {
  const mail = mailWith(TASK_PAGE);
  await queueMail(mail, newId('notice'));
  const [link] = linksIn(mail.text);
  moveClock(4 * 365 * DAY);
  await sweepMails();
  await sweepShortLinks();
  expect(await db().selectFrom('mails').selectAll().where('mail_id', '=', mail.mailId).execute()).toEqual([]);
  expect(await pageOf(link)).toBeDefined();
  moveClock(2 * 365 * DAY);
  await sweepShortLinks();
  expect(await pageOf(link)).toBeUndefined();
});
