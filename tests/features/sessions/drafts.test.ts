import { expect, test } from 'vitest';
import { draftOf } from '#features/identity/sessions/drafts.server.ts';
import { sweepSessions } from '#features/identity/sessions/sessions.server.ts';
import { DAY, now, SECOND } from '#platform/runtime/clock.server.ts';
import { everyRow, makeCast, standAt } from '../../support/cast.ts';
import { impersonating, sessionAs } from '../../support/api.ts';

const { ada, ben, sam } = await makeCast();

function draftFor(actor: typeof ada, formId: string, subject: string) {
  const draft = draftOf(sessionAs(actor), formId, subject);
  if (!draft) throw new Error('Nobody impersonates.');
  return draft;
}

test('a draft is kept for its person, its form and its subject alone, encrypted', async () => {
  const draft = draftFor(ada, 'comment', 'doc_1');
  await draft.save({ text: 'Half a thought' }, 0);
  expect((await draft.load())?.values).toEqual({ text: 'Half a thought' });
  for (const other of [
    draftFor(ben, 'comment', 'doc_1'),
    draftFor(ada, 'comment', 'doc_2'),
    draftFor(ada, 'share', 'doc_1'),
  ])
    expect(await other.load()).toBeUndefined();
  expect(JSON.stringify(await everyRow())).not.toContain('Half a thought');
});

test('a save over an older version is refused, and the newer draft stays', async () => {
  const draft = draftFor(ada, 'comment', 'doc_3');
  const first = await draft.save({ text: 'one' }, 0);
  const second = await draft.save({ text: 'two' }, first ?? 0);
  expect(second).not.toBe(first);
  expect(await draft.save({ text: 'late' }, first ?? 0)).toBeUndefined();
  expect(await draft.save({ text: 'new' }, 0)).toBeUndefined();
  expect((await draft.load())?.values).toEqual({ text: 'two' });
});

test('of two saves at the same time over the same version, one wins', async () => {
  const draft = draftFor(ada, 'comment', 'doc_4');
  const first = (await draft.save({ text: 'one' }, 0)) ?? 0;
  const saves = await Promise.all(['a', 'b'].map((text) => draft.save({ text }, first)));
  expect(saves.filter((version) => version !== undefined)).toHaveLength(1);
});

test('a discarded draft is gone, and a page that still shows it does not bring it back', async () => {
  const draft = draftFor(ada, 'comment', 'doc_5');
  const version = (await draft.save({ text: 'one' }, 0)) ?? 0;
  await draft.discard();
  expect(await draft.load()).toBeUndefined();
  await draft.save({ text: 'again' }, 0);
  expect(await draft.save({ text: 'late' }, version), 'not even over a newer draft').toBeUndefined();
});

test('a draft ends after thirty days', async () => {
  const draft = draftFor(ada, 'comment', 'doc_6');
  await draft.save({ text: 'one' }, 0);
  standAt(now() + 30 * DAY + SECOND);
  expect(await draft.load()).toBeUndefined();
  expect(await draft.save({ text: 'new' }, 0)).toBeDefined();
  standAt(now() + 30 * DAY + SECOND);
  await sweepSessions();
  expect((await everyRow())['kept_forms']).toEqual([]);
});

test('who views the portal as a contact neither sees nor changes drafts', () => {
  expect(draftOf(impersonating(ada, sam), 'comment', 'doc_1')).toBeUndefined();
});
