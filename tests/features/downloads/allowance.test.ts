import { describe, expect, test, vi } from 'vitest';
import { addDocument } from '#features/documents/documents/adding.server.ts';
import { assertMayFetch, countFetched } from '#features/documents/downloads/allowance.server.ts';
import { startExport } from '#features/documents/downloads/exports.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { decideAccess } from '#features/base/people/people.server.ts';
import { at, DAY, HOUR, MINUTE, moveClock, now } from '#platform/runtime/clock.server.ts';
import { viewDocument } from '#features/documents/viewer/viewer.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import type * as Limits from '#platform/security/limits.server.ts';
import { consume } from '#platform/security/limits.server.ts';
import { apiAs, seen, sessionAs } from '../../support/api.ts';
import { everyRow, fileOf, uploadAs, makeCast, startMailServer, person } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';

vi.mock('#platform/security/limits.server.ts', async (original) => {
  const real = await original<typeof Limits>();
  return { ...real, consume: vi.fn(real.consume) };
});

const { firmOne, ada, ben, cleo, sam, projectA, projectB } = await makeCast();
await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const mailServer = await startMailServer();
const letter = await uploadAs(sam, projectA, 'letter.pdf', 'a letter');
const bens = await uploadAs(sam, projectB, 'letter.pdf', 'of ben');

const urlOf = ({ id, parent }: typeof letter): string =>
  `/api/storage/v1/projects/${parent.id}/documents/${id}`;
const session = (actor: Actor, more: Partial<Session> = {}): Session =>
  sessionAs(actor, { expiresAt: now() + 99 * HOUR, authenticatedAt: now() - MINUTE, ...more });
/** The same session after a new step-up. */
const proved = (one: Session): Session => ({ ...one, authenticatedAt: now() + 1 });
const fetchOnce = async (
  one: Session,
  headers: Record<string, string> = {},
  method = 'GET',
  document = letter,
): Promise<number> => (await apiAs(one.actor, one)(method, urlOf(document), { headers })).status;
/** Records so many downloads within this hour. */
const haveFetched = async ({ contactId }: Actor, used: number, what: 'files' | 'bytes' = 'files') => {
  await db().deleteFrom('limits').where('limit_key', 'not like', 'download:%').execute();
  await db()
    .insertInto('limits')
    .values({ limit_key: `fetched-${what}:${contactId}:0`, used, resets_at: now() + HOUR })
    .execute();
};
/** A moment in the time zone of the firm, as the alert formats it. */
const IN_ZONE = /\d:\d\d[ \u202f][AP]M E[SD]T/;
const alarms = async (): Promise<string[]> =>
  (await mailServer.deliver())
    .filter(({ mail }) => mail.subject?.includes('is downloading many documents'))
    .map(({ recipients, mail }) => `${recipients.join()}: ${mail.subject}`);

describe('the download allowance', () => {
  test('the 501st download of an hour requires a step-up, and those who manage the firm are alerted once', async () => {
    const thief = session(ada);
    await inTransaction(async () => {
      for (let i = 0; i < 490; i += 1) await countFetched(thief, [letter.originalItemSize]);
    });
    for (let i = 490; i < 500; i += 1) expect(await fetchOnce(thief)).toBe(200);
    const refused = await Promise.all(
      Array.from({ length: 20 }, () => apiAs(ada, thief)('GET', urlOf(letter))),
    );
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([403]));
    expect(await refused[0]?.json()).toEqual({ errors: [{ code: 'STEP_UP', reason: 'STEP_UP' }] });
    const letters = await mailServer.deliver();
    const alerts = letters.filter(({ mail }) => mail.subject === 'Ada Amber is downloading many documents');
    expect(alerts.map(({ recipients }) => recipients.join())).toEqual(['olga@one.example']);
    expect(alerts[0]?.mail.text).toMatch(IN_ZONE);
    expect(
      await db()
        .selectFrom('audit')
        .select(['actor', 'target'])
        .where('action', '=', 'document.alarm')
        .execute(),
    ).toEqual([{ actor: ada.contactId, target: ada.contactId }]);
    const receipts = await db()
      .selectFrom('receipts')
      .select('number')
      .where('actor', '=', ada.contactId)
      .where('kind', '=', 'download')
      .execute();
    expect(receipts, 'what was refused left no receipt').toHaveLength(10);
  });

  test('a step-up allows the next 500 downloads in that session only, until the hour is over', async () => {
    const thief = session(ada, { id: 'stolen' });
    await haveFetched(ada, 500);
    expect(await fetchOnce(thief)).toBe(403);
    const owner = proved(session(ada));
    expect([await fetchOnce(owner), await fetchOnce(thief)]).toEqual([200, 403]);
    moveClock(HOUR - 1000);
    expect(await fetchOnce(thief)).toBe(403);
    moveClock(1001);
    expect(await fetchOnce(thief)).toBe(200);
    expect(await alarms()).toHaveLength(1);
  });

  test('after the next 500 downloads another step-up is required, and the firm is alerted again', async () => {
    await haveFetched(ada, 500);
    expect(await fetchOnce(session(ada))).toBe(403);
    const owner = proved(session(ada));
    expect(await fetchOnce(owner)).toBe(200);
    await db()
      .updateTable('limits')
      .set({ used: 500 })
      .where('limit_key', 'like', `fetched-files:${ada.contactId}:%`)
      .execute();
    moveClock(MINUTE);
    expect([await fetchOnce(owner), await fetchOnce(proved(owner))]).toEqual([403, 200]);
    expect(await alarms()).toHaveLength(2);
  });

  test('no alert is sent when counting a download fails for another reason', async () => {
    const before = await everyRow();
    vi.mocked(consume).mockRejectedValueOnce(new PortalError('UNAVAILABLE'));
    await expect(countFetched(session(ben), [1])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await everyRow()).toEqual(before);
  });

  test('the allowance is checked before the work, by number and by bytes independently', async () => {
    for (const [what, most] of [
      ['files', 500],
      ['bytes', 5 * 1024 ** 3],
    ] as const) {
      await haveFetched(cleo, most - 2, what);
      const sizes = what === 'files' ? [0, 0] : [2];
      await assertMayFetch(session(cleo), sizes);
      await expect(assertMayFetch(session(cleo), [...sizes, 1]), what).rejects.toMatchObject({
        code: 'STEP_UP',
      });
    }
    await mailServer.discard();
  });

  test('downloads are also limited by bytes, for staff as for contacts, each person separately', async () => {
    await haveFetched(sam, 5 * 1024 ** 3 - letter.originalItemSize, 'bytes');
    expect([
      await fetchOnce(session(sam)),
      await fetchOnce(session(sam)),
      await fetchOnce(session(cleo)),
    ]).toEqual([200, 403, 200]);
    expect(await alarms()).toEqual(['olga@one.example: Sam Staff is downloading many documents']);
  });

  test('a resumed download is not counted twice, but a range behind the first byte does not bypass the count', async () => {
    await haveFetched(ben, 499);
    expect([
      await fetchOnce(session(ben), {}, 'GET', bens),
      await fetchOnce(session(ben), { range: 'bytes=5-' }, 'GET', bens),
    ]).toEqual([200, 206]);
    await haveFetched(cleo, 500);
    expect([
      await fetchOnce(session(cleo), {}, 'HEAD', bens),
      await fetchOnce(session(cleo), { range: 'bytes=1-' }, 'GET', bens),
    ]).toEqual([200, 403]);
    await mailServer.discard();
  });

  test('resuming a download of yesterday, or a document that was only uploaded, is counted', async () => {
    const goOn = async (actor: Actor, document: typeof letter) => {
      await haveFetched(actor, 500);
      return fetchOnce(session(actor), { range: 'bytes=5-' }, 'GET', document);
    };
    await haveFetched(ben, 499);
    expect(await fetchOnce(session(ben), {}, 'GET', bens)).toBe(200);
    expect([
      await goOn(ben, bens),
      await at(now() + DAY + 1, () => goOn(ben, bens)),
      await goOn(cleo, await uploadAs(cleo, projectA, 'uploaded.pdf', 'x')),
    ]).toEqual([206, 403, 403]);
    await db().deleteFrom('limits').execute();
    await mailServer.discard();
  });

  test('a link over the limit redirects to the step-up page and back, while a program gets an error', async () => {
    await haveFetched(ada, 500);
    const link = {
      accept: 'text/html,application/xhtml+xml',
      referer: `${config.origin}/clientcenter/fr/documents?folder=x`,
    };
    const answer = await apiAs(ada, session(ada))('GET', urlOf(letter), { headers: link });
    const { origin, pathname, searchParams } = new URL(answer.headers.get('location') ?? '', config.origin);
    expect([answer.status, origin, pathname, searchParams.get('r')]).toEqual([
      303,
      config.origin,
      '/clientcenter/en-us/auth/confirm',
      '/clientcenter/fr/documents?folder=x',
    ]);
    const elsewhere = await apiAs(ada, session(ada))('GET', urlOf(letter), {
      headers: { ...link, referer: 'https://evil.example/' },
    });
    expect(elsewhere.headers.get('location')).toContain(
      `r=${encodeURIComponent('/clientcenter/en-us/documents')}`,
    );
    expect(await fetchOnce(session(ada, { byToken: 'token_1' }), link)).toBe(403);
    await mailServer.discard();
  });

  test('viewing a document counts towards the allowance, once for all of its pages', async () => {
    const look = (one: Session, { id } = letter) => viewDocument(one, id, { page: 1 });
    await haveFetched(ada, 499);
    expect([(await look(session(ada))).kind, (await look(session(ada))).kind]).toEqual(['pages', 'pages']);
    await expect(look(session(ada), await uploadAs(sam, projectA, 'next.pdf', 'the next'))).rejects.toThrow(
      'STEP_UP',
    );
    expect(await fetchOnce(session(ada))).toBe(403);
    await mailServer.discard();
  });

  test('viewing a table counts towards the allowance each time, because each view returns all of it', async () => {
    const place = { containerType: 'Project' as const, containerId: projectA.id };
    const bytes = fileOf('a,b\n1,2\n');
    const table = await addDocument(sam, { ...place, name: 'table.csv', bytes, onConflict: 'rename' });
    const look = async () => (await viewDocument(session(ada), table.id, { page: 1 })).kind;
    await haveFetched(ada, 498);
    expect([await look(), await look()]).toEqual(['table', 'table']);
    await expect(look()).rejects.toThrow('STEP_UP');
    const entries = await db().selectFrom('audit').select('actor').where('target', '=', table.id).execute();
    expect(
      entries.filter(({ actor }) => actor === ada.contactId),
      'one look in the audit trail',
    ).toHaveLength(1);
    await mailServer.discard();
  });

  test('an API token cannot step up, and is refused once an alert was raised', async () => {
    await db().deleteFrom('limits').execute();
    const program = session(ada, { byToken: 'token_1', authenticatedAt: 0 });
    expect(await fetchOnce(program)).toBe(200);
    await haveFetched(ada, 500);
    expect([await fetchOnce(session(ada)), await fetchOnce(program)]).toEqual([403, 403]);
    await mailServer.discard();
  });

  test('sending documents by email counts towards the allowance, and nothing is sent beyond it', async () => {
    const item = {
      containerType: letter.parent.containerType,
      containerId: letter.parent.id,
      documentId: letter.id,
    };
    const send = async () =>
      (
        await apiAs(ada, session(ada))('POST', '/api/storage/v2/sharing/share', {
          json: {
            expirationPeriod: 'AfterOneDay',
            overrides: { subject: 'S' },
            recipients: [{ emailAddress: 'x@out.example' }],
            sharedItems: [item],
          },
        })
      ).status;
    await haveFetched(ada, 499);
    expect([await send(), await send()]).toEqual([200, 403]);
    expect(await db().selectFrom('shares').select('share_id').execute()).toHaveLength(1);
    await mailServer.discard();
  });

  test('downloads while viewing as a contact count towards the allowance of the staff member', async () => {
    await haveFetched(sam, 500);
    const viewing = session({ ...ada, viewedBy: sam.contactId });
    expect([await fetchOnce(viewing), await fetchOnce(session(ada))]).toEqual([403, 200]);
    await expect(viewDocument(viewing, letter.id, { page: 1 })).rejects.toThrow('STEP_UP');
    await mailServer.discard();
  });

  test('a document of somebody else is "not found" however many were downloaded', async () => {
    await haveFetched(ben, 500);
    expect(await seen(await apiAs(ben, session(ben))('GET', urlOf(letter)))).toEqual(
      await seen(await apiAs(ben, session(ben))('GET', urlOf({ ...letter, id: 'doc_none' }))),
    );
  });
});

describe('archives and the download allowance', () => {
  const jobs = '/api/storage/v1/jobs';
  const ask = (one: Session, ids: readonly string[]) =>
    apiAs(one.actor, one)('POST', `${jobs}/export`, { json: { fileIDs: ids } });
  const resultOf = async (one: Session, job: string): Promise<number> =>
    (await apiAs(one.actor, one)('GET', `${jobs}/${job}/result`)).status;

  test('each download of an archive counts each of its documents', async () => {
    await db().deleteFrom('limits').execute();
    const others = await Promise.all([1, 2].map((n) => uploadAs(sam, projectA, `paper ${n}.pdf`, `${n}`)));
    const job = await startExport(
      ada,
      [letter, ...others].map(({ id }) => id),
    );
    await runDueJobs();
    await haveFetched(ada, 495);
    expect([await resultOf(session(ada), job), await resultOf(session(ada), job)]).toEqual([200, 403]);
    expect(
      (
        await db()
          .selectFrom('audit')
          .select('seq')
          .where('action', '=', 'document.export')
          .where('target', '=', job)
          .execute()
      ).length,
    ).toBe(1);
    await mailServer.discard();
  });

  test('an archive of more than 500 documents requires a step-up at once, and can be made after it', async () => {
    await db().deleteFrom('limits').execute();
    const row = await db()
      .selectFrom('documents')
      .selectAll()
      .where('document_id', '=', letter.id)
      .executeTakeFirstOrThrow();
    const ids = Array.from({ length: 501 }, (_, i) => `doc_many${i}`);
    const { seq: _, ...rest } = row;
    await inTransaction(async () => {
      for (const id of ids)
        await db()
          .insertInto('documents')
          .values({ ...rest, document_id: id, blob_key: id, name: `${id}.pdf`, name_key: `${id}.pdf` })
          .execute();
    });
    const one = session(ada);
    expect([(await ask(one, ids.slice(0, 500))).status, (await ask(one, ids)).status]).toEqual([200, 403]);
    expect(await db().selectFrom('exports').select('export_id').where('total', '=', 501).execute()).toEqual(
      [],
    );
    const again = proved(one);
    expect((await ask(again, ids)).status).toBe(200);
    await expect(
      countFetched(
        one,
        ids.map(() => 1),
      ),
    ).rejects.toThrow('STEP_UP');
    await countFetched(
      again,
      ids.map(() => 1),
    );
    expect(await fetchOnce(again), 'it was all that the proof allows').toBe(403);
    await mailServer.discard();
  });

  test('an archive of ordinary size requires no step-up', async () => {
    await db().deleteFrom('limits').execute();
    expect((await ask(session(cleo), [letter.id, bens.id])).status).toBe(200);
  });
});

test('only those who manage the firm are alerted', async () => {
  await decideAccess(firmOne, sam.contactId, { kind: 'permission', name: 'ManageFirm' }, true);
  await haveFetched(cleo, 500);
  expect(await fetchOnce(session(cleo))).toBe(403);
  expect((await alarms()).toSorted()).toEqual([
    'olga@one.example: Cleo Cedar is downloading many documents',
    'sam@one.example: Cleo Cedar is downloading many documents',
  ]);
  await mailServer.close();
});
