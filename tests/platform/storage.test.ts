import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { addDocument } from '#features/documents/adding.server.ts';
import { findSession, startSession } from '#features/sessions/sessions.server.ts';
import { findTokenSession, issueApiToken } from '#features/sessions/tokens.server.ts';
import { noteImpersonatedRequest } from '#features/staff/view-as.server.ts';
import { viewDocument } from '#features/viewer/viewer.server.ts';
import { HOUR, MINUTE, moveClock } from '#platform/clock.server.ts';
import { config } from '#platform/config.server.ts';
import { db } from '#platform/database.server.ts';
import { assertWritable } from '#platform/settings.server.ts';
import { apiAs, impersonating, sessionAs } from '../support/api.ts';
import { BROWSER, fileOf, makeCast } from '../support/cast.ts';

/*
 * The database cannot be written: its disk became read-only, or the server is a standby. Stored data can
 * still be read.
 */

const { ada, sam, clientA, projectA } = await makeCast();
const place = { containerType: 'Project', containerId: projectA.id } as const;
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
