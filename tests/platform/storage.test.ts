import '../../src/app.server.ts';
import { sql } from 'kysely';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { addDocument } from '#features/documents/documents/adding.server.ts';
import { listInbox, openItem } from '#features/office/inbox/inbox.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import { findSession, startSession } from '#features/identity/sessions/sessions.server.ts';
import { findTokenSession, issueApiToken } from '#features/identity/sessions/tokens.server.ts';
import { openShare } from '#features/sharing/sharing/recipient.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { viewSharedDocument } from '#features/sharing/sharing/viewing.server.ts';
import { noteImpersonatedRequest } from '#features/office/staff/view-as.server.ts';
import { messagesSection } from '#features/tasks/task-messages/messages-section.server.ts';
import { addTaskMessage } from '#features/tasks/task-messages/messages.server.ts';
import { makeCalendar, readCalendar } from '#features/tasks/task-reminders/calendars.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { viewDocument } from '#features/documents/viewer/viewer.server.ts';
import { HOUR, MINUTE, moveClock } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { db } from '#platform/database/database.server.ts';
import { recordOpened } from '#platform/mail/mail-log.server.ts';
import { assertWritable } from '#platform/runtime/settings.server.ts';
import { apiAs, impersonating, sessionAs } from '../support/api.ts';
import { BROWSER, fileOf, makeCast, startMailServer, uploadAs } from '../support/cast.ts';

/*
 * The database cannot be written: its disk became read-only, or the server is a standby. Stored data can
 * still be read.
 */

const { ada, sam, clientA, projectA } = await makeCast();
const place = { containerType: 'Project', containerId: projectA.id } as const;
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
const note = await addDocument(ada, {
  ...place,
  name: 'note.csv',
  bytes: fileOf('As agreed,1'),
  onConflict: 'fail',
});
const WRITTEN = [
  'sessions',
  'long_tokens',
  'audit_heads',
  'audit',
  'settings',
  'limits',
  'containers',
  'document_reads',
  'ended_sessions',
  'calendar_feeds',
  'inbox_reads',
  'mails',
  'task_reads',
];
const onPostgres = config.databaseUrl !== undefined;
const run = (text: string) => sql.raw(text).execute(db());

async function takeNoWrites(): Promise<void> {
  if (!onPostgres) return void (await run('pragma query_only = on'));
  await run(
    "create function no_writes() returns trigger language plpgsql as $$ begin raise exception 'read-only' using errcode = '25006'; end $$",
  );
  const on = 'before insert or update or delete on';
  for (const table of WRITTEN)
    await run(`create trigger no_writes ${on} ${table} for each statement execute function no_writes()`);
}

const takeWritesAgain = () =>
  run(onPostgres ? 'drop function if exists no_writes cascade' : 'pragma query_only = off');
afterEach(takeWritesAgain);

describe('while the database cannot be written', () => {
  test('on a read-only database a session continues, although its use is not recorded', async () => {
    const token = await startSession(ada, BROWSER);
    await takeNoWrites();
    moveClock(2 * MINUTE);
    expect((await findSession(token))?.actor.contactId).toBe(ada.contactId);
    moveClock(HOUR);
    expect(await findSession(token), 'one that is over stays over').toBeUndefined();
  });

  test('on a read-only database API tokens work', async () => {
    const { token } = await issueApiToken(sessionAs(ada));
    await takeNoWrites();
    expect((await findTokenSession(token))?.actor.contactId).toBe(ada.contactId);
  });

  test('on a read-only database lists and documents can be viewed, also by staff viewing as a contact', async () => {
    await takeNoWrites();
    expect((await apiAs(ada)('GET', `/api/storage/v1/containers/documents?clientId=${clientA}`)).status).toBe(
      200,
    );
    expect(JSON.stringify(await viewDocument(sessionAs(ada), note.id, { page: 1 }))).toContain('As agreed');
    await noteImpersonatedRequest(impersonating(ada, sam), {
      method: 'GET',
      route: '/documents',
      address: '/documents',
    });
  });

  test('on a read-only database a shared document and its pages are shown to the recipient of the link', async () => {
    const letter = await uploadAs(ada, projectA, 'letter.pdf', 'As agreed');
    await mailServer.discard();
    await shareDocuments(
      ada,
      {
        expirationPeriod: 'AfterOneDay',
        overrides: { subject: 'A letter' },
        recipients: [{ emailAddress: 'bank@out.example' }],
        sharedItems: [{ ...place, documentId: letter.id }],
      },
      'en-us',
    );
    const [mail] = await mailServer.deliver();
    const token = /\/share\/([\w-]{43})\b/.exec(mail?.mail.text ?? '')?.[1] ?? '';
    const visit = await openShare(token, undefined, '198.51.100.1');
    await takeNoWrites();
    expect(await viewSharedDocument(token, visit, letter.id, { page: 1 })).toMatchObject({
      view: { kind: 'pages' },
    });
    const image = `/api/storage/v2/sharing/links/${token}/documents/${letter.id}/pages/1?width=700`;
    expect((await apiAs(undefined)('GET', image, { headers: { cookie: `visit=${visit}` } })).status).toBe(
      200,
    );
  });

  test('on a read-only database a task shows its unread messages, which stay unread', async () => {
    const { taskId } = await createTask(sam, { clientId: clientA, type: 'misc', label: 'Papers' });
    await addTaskMessage(sam, taskId, { text: 'Please hurry.' });
    await takeNoWrites();
    const url = new URL('http://portal.example/task');
    const page = {
      url,
      request: new Request(url),
      response: {},
      locals: { lang: 'en-us', session: sessionAs(ada) },
    } as const;
    const view = () =>
      messagesSection(page, taskId, { names: { firm: 'Firm', client: 'Client' }, draft: undefined });
    for (let times = 0; times < 2; times += 1)
      expect(await view()).toMatchObject({ items: [{ text: 'Please hurry.' }], unread: { size: 1 } });
  });

  test('on a read-only database an entry of the inbox leads on, and stays unread', async () => {
    await uploadAs(ada, projectA, 'waiting.pdf', 'w');
    const [item] = (await listInbox(sam, inboxQuery.parse({ of: 'all' }))).items;
    await takeNoWrites();
    expect(await openItem(sam, item?.itemId ?? '')).toMatchObject({ kind: 'documents' });
    const { items } = await listInbox(sam, inboxQuery.parse({ of: 'all' }));
    expect(items).toMatchObject([{ isUnread: true }]);
  });

  test('on a read-only database the link of an email leads on', async () => {
    const { taskId } = await createTask(sam, { clientId: clientA, type: 'misc', label: 'Receipts' });
    await addTaskMessage(sam, taskId, { text: 'One is missing.' });
    const { mail_id: mailId } = await db()
      .selectFrom('mails')
      .select('mail_id')
      .where('contact_id', '=', ada.contactId)
      .limit(1)
      .executeTakeFirstOrThrow();
    await takeNoWrites();
    await recordOpened(mailId, ada.contactId);
  });

  test('on a read-only database a calendar is read', async () => {
    const token = /\/calendar\/(.+)\.ics$/.exec(await makeCalendar(ada))?.[1] ?? '';
    await takeNoWrites();
    expect((await readCalendar(token, '192.0.2.1')).text).toContain('BEGIN:VCALENDAR');
  });

  test('on a read-only database changes are refused with 507 and an error code of their own, and work afterwards', async () => {
    const add = () =>
      apiAs(ada)('POST', '/api/storage/v1/folders', {
        json: { parentType: 'Project', parentId: projectA.id, name: 'Later' },
      });
    await takeNoWrites();
    const refused = await add();
    expect([refused.status, await refused.json()]).toEqual([
      507,
      { errors: [{ code: 'READ_ONLY', reason: 'READ_ONLY' }] },
    ]);
    await takeWritesAgain();
    expect((await add()).status).toBe(200);
  });

  test('on a read-only database the portal is not ready, and is ready again as soon as it can write', async () => {
    await assertWritable();
    moveClock(MINUTE);
    await takeNoWrites();
    await expect(assertWritable()).rejects.toMatchObject({ code: 'READ_ONLY' });
    await takeWritesAgain();
    await assertWritable();
  });
});
