import { afterEach, describe, expect, test } from 'vitest';
import { mergeClients } from '#features/documents/merging/merging.server.ts';
import { defaultFolder } from '#features/documents/folders/folders.server.ts';
import { setLocked } from '#features/documents/documents/rights.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import {
  changeRetention,
  previewRetention,
  retentionOf,
  sweepRetention,
} from '#features/documents/retention/retention.server.ts';
import {
  CATEGORIES,
  KEEP_ALL,
  NOTICE_DAYS,
  retentionRules,
  type RetentionRules,
} from '#features/documents/retention/retention.ts';
import {
  heldClients,
  holdClient,
  listHolds,
  releaseClient,
} from '#features/documents/trash/legal-holds.server.ts';
import { purgeDocuments, purgeOldTrash, restoreDocuments } from '#features/documents/trash/trash.server.ts';
import { DAY, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { db } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import '../../../src/app.server.ts';
import { sessionAs } from '../../support/api.ts';
import { client, makeCast, person, standAt, startMailServer, uploadAs } from '../../support/cast.ts';

const { ada, sam, tom, firmOne, firmTwo, clientA, clientB, clientTwo, projectA, projectB, projectTwo } =
  await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const mona = await person(firmOne, 'Mona Manager', 'mona@one.example', { role: 'manager' });
const mail = await startMailServer();
const START = Date.UTC(2026, 2, 1, 12);

const rulesOf = (some: Partial<RetentionRules>): RetentionRules => ({ ...KEEP_ALL, ...some });
const change = (actor: Actor, rules: RetentionRules, authenticatedAt = now()) =>
  changeRetention(sessionAs(actor, { authenticatedAt }), rules);
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => refusal(error)?.code,
  );
const added = async (document: { id: string }, instant: number): Promise<void> => {
  await db()
    .updateTable('documents')
    .set({ created_at: instant })
    .where('document_id', '=', document.id)
    .execute();
};
const isInTrash = async ({ id }: { id: string }): Promise<boolean> =>
  (await db().selectFrom('documents').select('deleted_at').where('document_id', '=', id).executeTakeFirst())
    ?.deleted_at !== null;

standAt(START);
afterEach(async () => {
  await db().deleteFrom('retention_policies').execute();
  await db().deleteFrom('legal_holds').execute();
  standAt(START);
});

describe('retention periods', () => {
  test('nothing happens before the notice is over; then due documents go to the trash, once', async () => {
    const old = await uploadAs(sam, projectA, 'Old.pdf', 'old');
    await added(old, Date.UTC(2018, 0, 1));
    const recent = await uploadAs(sam, projectA, 'Recent.pdf', 'recent');
    expect(await previewRetention(olga, rulesOf({ projects: '3' }))).toEqual([]); // the year 2025 ends later
    await db()
      .updateTable('containers')
      .set({ processing_year: 2018 })
      .where('container_id', '=', projectA.id)
      .execute();
    expect(await previewRetention(olga, rulesOf({ projects: '3' }))).toMatchObject([
      { category: 'projects', documents: 1, clients: 1 },
    ]);
    await mail.deliver();
    await change(olga, rulesOf({ projects: '3' }));
    expect((await mail.deliver()).map(({ recipients, mail: { subject } }) => [recipients, subject])).toEqual([
      [['olga@one.example'], 'The retention periods were changed'],
    ]);
    await sweepRetention();
    standAt(START + (NOTICE_DAYS - 1) * DAY);
    await sweepRetention();
    expect(await isInTrash(old)).toBe(false);
    standAt(START + NOTICE_DAYS * DAY + MINUTE);
    await sweepRetention();
    expect([await isInTrash(old), await isInTrash(recent)]).toEqual([true, false]);
    expect((await mail.deliver()).map(({ mail: { subject } }) => subject)).toEqual([
      '1 document moved to the trash',
    ]);
    const entries = await db()
      .selectFrom('audit')
      .select(['action', 'actor'])
      .where('action', 'in', ['retention.move', 'document.trash'])
      .where('company_id', '=', firmOne)
      .orderBy('seq')
      .execute();
    expect(entries).toEqual([
      { action: 'document.trash', actor: 'portal' },
      { action: 'retention.move', actor: 'portal' },
    ]);
    // whoever restores a document keeps it
    expect(await restoreDocuments(sam, [old.id])).toMatchObject([{ result: 'RESTORED' }]);
    standAt(START + (NOTICE_DAYS + 2) * DAY);
    await sweepRetention();
    expect(await isInTrash(old)).toBe(false);
  });

  test('a contact cannot restore what the periods removed, and does not see it come back', async () => {
    const uploads = await defaultFolder(ada, clientA);
    const own = await uploadAs(ada, uploads, 'Own upload.pdf', 'own');
    await added(own, Date.UTC(2015, 0, 1));
    await change(olga, rulesOf({ uploads: '5' }));
    standAt(START + NOTICE_DAYS * DAY + MINUTE);
    await sweepRetention();
    expect(await isInTrash(own)).toBe(true);
    expect(await restoreDocuments(ada, [own.id])).toMatchObject([{ result: 'FORBIDDEN' }]);
  });

  test('locked documents and those of other kinds and firms stay', async () => {
    await db().updateTable('containers').set({ processing_year: null }).execute();
    const locked = await uploadAs(sam, projectB, 'Locked.pdf', 'locked');
    const other = await uploadAs(sam, { id: clientB, containerType: 'Client' }, 'Elsewhere.pdf', 'elsewhere');
    const foreign = await uploadAs(tom, projectTwo, 'Foreign.pdf', 'foreign');
    for (const one of [locked, other, foreign]) await added(one, Date.UTC(2010, 0, 1));
    await setLocked(sam, projectB.id, true);
    await change(olga, rulesOf({ projects: '1' }));
    standAt(START + NOTICE_DAYS * DAY + MINUTE);
    await sweepRetention();
    expect(await Promise.all([locked, other, foreign].map(isInTrash))).toEqual([false, false, false]);
    await setLocked(sam, projectB.id, false);
  });

  test('XML files can be kept for eleven years or more, and no shorter', () => {
    expect(retentionRules.safeParse(rulesOf({ xml: '10' })).success).toBe(false);
    expect(retentionRules.safeParse(rulesOf({ xml: '11' })).success).toBe(true);
    expect(retentionRules.safeParse(rulesOf({ xml: '0' })).success).toBe(true);
  });

  test('only who manages the firm for all of its clients sees and changes them, with a recent sign-in', async () => {
    const lee = await person(firmOne, 'Lee Limited', 'lee@one.example', {
      role: 'owner',
      hasAllClients: false,
    });
    for (const actor of [mona, sam, ada, lee]) {
      expect(await codeOf(retentionOf(actor))).toBe('FORBIDDEN');
      expect(await codeOf(previewRetention(actor, KEEP_ALL))).toBe('FORBIDDEN');
      expect(await codeOf(change(actor, KEEP_ALL))).toBe('FORBIDDEN');
    }
    expect(await codeOf(change(olga, KEEP_ALL, now() - 10 * MINUTE))).toBe('STEP_UP');
    const otto = await person(firmTwo, 'Otto Other', 'otto@two.example', { role: 'owner' });
    await change(olga, rulesOf({ other: '5' }));
    expect((await retentionOf(otto)).rules).toEqual(KEEP_ALL);
  });
});

test('no category is named like a parameter that every page has', () => {
  expect(CATEGORIES.filter((name) => ['firm', 'client', 'form'].includes(name))).toEqual([]);
});

describe('a legal hold', () => {
  test('keeps the documents of a client from the periods, from the trash and from people', async () => {
    await db().updateTable('containers').set({ processing_year: null }).execute();
    const held = await uploadAs(sam, projectB, 'Held.pdf', 'held');
    const deleted = await uploadAs(sam, projectB, 'Deleted.pdf', 'deleted');
    for (const one of [held, deleted]) await added(one, Date.UTC(2010, 0, 1));
    await db()
      .updateTable('documents')
      .set({ deleted_at: now(), deleted_by: sam.contactId })
      .where('document_id', '=', deleted.id)
      .execute();
    await holdClient(olga, clientB, 'Dispute with the tax office');
    expect(await listHolds(olga)).toMatchObject([
      { clientId: clientB, reason: 'Dispute with the tax office', by: 'Olga Owner' },
    ]);
    await change(olga, rulesOf({ projects: '1' }));
    expect(await previewRetention(olga, rulesOf({ projects: '1' }))).toEqual([]);
    standAt(START + NOTICE_DAYS * DAY + MINUTE);
    await sweepRetention();
    expect(await isInTrash(held)).toBe(false);
    expect(await purgeDocuments(sam, [deleted.id])).toMatchObject([{ result: 'LOCKED' }]);
    standAt(START + (config.trashDays + 1) * DAY);
    await purgeOldTrash();
    const purged = () =>
      db()
        .selectFrom('documents')
        .select('purged_at')
        .where('document_id', '=', deleted.id)
        .executeTakeFirst();
    expect(await purged()).toEqual({ purged_at: null });
    await releaseClient(olga, clientB);
    await purgeOldTrash();
    expect((await purged())?.purged_at).not.toBeNull();
    const actions = await db()
      .selectFrom('audit')
      .select('action')
      .where('target', '=', clientB)
      .where('action', 'like', 'client.%')
      .orderBy('seq')
      .execute();
    expect(actions.map(({ action }) => action)).toEqual(['client.hold', 'client.release']);
  });

  test('needs a reason, the right to manage the firm, and a client of the own firm', async () => {
    expect(await codeOf(holdClient(olga, clientA, ' '))).toBe('INVALID');
    expect(await codeOf(holdClient(mona, clientA, 'why'))).toBe('FORBIDDEN');
    expect(await codeOf(holdClient(ada, clientA, 'why'))).toBe('FORBIDDEN');
    expect(await codeOf(holdClient(olga, clientTwo, 'why'))).toBe('NOT_FOUND');
    expect(await codeOf(releaseClient(olga, clientTwo))).toBe('NOT_FOUND');
    expect(await codeOf(listHolds(mona))).toBe('FORBIDDEN');
  });

  test('follows a client that is merged into another one', async () => {
    const from = await client(firmOne, 'From', 'M-1', []);
    const into = await client(firmOne, 'Into', 'M-2', []);
    await holdClient(olga, from, 'Dispute');
    await mergeClients(sessionAs(olga), from, into);
    expect(await heldClients([from, into])).toEqual(new Set([from, into]));
    expect(await listHolds(olga)).toMatchObject([{ clientId: into, reason: 'Dispute' }]);
  });
});
