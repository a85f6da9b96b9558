import { counts, stepsOf } from '../../support/statements.ts';
import { expect, test } from 'vitest';
import {
  countUnread,
  listNotifications,
  markAllRead,
} from '#features/office/notifications/notifications.server.ts';
import { addNotifications } from '#features/office/notifications/rows.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { makeCast } from '../../support/cast.ts';
import '../../../src/app.server.ts';

/* What the engine reads for the bell and its page, of a person who was told little and of one who was told much. */

const { ada, cleo, firmOne, clientA } = await makeCast();
const tell = (contactIds: string[], key: string) =>
  addNotifications('comment', {
    companyId: firmOne,
    clientId: clientA,
    contactIds,
    key,
    things: [{ target: `answer:${key}`, name: key }],
  });

for (let i = 0; i < 200; i += 1) await tell([cleo.contactId], `little-${i}`);
// many rows for ada, made from one
await tell([ada.contactId], 'much');
const one = await db()
  .selectFrom('notifications')
  .selectAll()
  .where('contact_id', '=', ada.contactId)
  .executeTakeFirstOrThrow();
const thing = await db()
  .selectFrom('notification_targets')
  .selectAll()
  .where('notification_id', '=', one.notification_id)
  .executeTakeFirstOrThrow();
for (let batch = 0; batch < 20; batch += 1) {
  const ids = Array.from({ length: 500 }, (_, i) => `notification_much_${batch}_${i}`);
  await db()
    .insertInto('notifications')
    .values(
      ids.map((id, i) => ({
        ...one,
        notification_id: id,
        group_key: id,
        changed_at: now() - i,
        read_at: batch < 10 ? null : now(),
        put_away_at: batch < 15 ? null : now(),
      })),
    )
    .execute();
  await db()
    .insertInto('notification_targets')
    .values(
      ids.map((id) => ({
        ...thing,
        notification_id: id,
        name: encryptFor('notification_targets.name', `${id}/${thing.target}`, 'Much'),
        detail: encryptFor('notification_targets.detail', `${id}/${thing.target}`, ''),
      })),
    )
    .execute();
}
await db()
  .updateTable('notifications')
  .set({ read_at: now() })
  .where('notification_id', '=', one.notification_id)
  .execute();

test.each(['unread', 'all'] as const)(
  'a page of %s notifications costs as much after 10,000',
  async (state) => {
    const page = (contact: Actor) => stepsOf(() => listNotifications(contact, { state, before: '' }));
    expect(await page(ada)).toBeLessThanOrEqual((await page(cleo)) * 1.2);
  },
);

test('the count of the bell costs the same after 10,000', async () => {
  expect(await countUnread(ada)).toBe(100);
  expect(await stepsOf(() => countUnread(ada))).toBeLessThanOrEqual(
    (await stepsOf(() => countUnread(cleo))) * 1.2,
  );
});

test('all of 5,000 are marked as read in a few statements', async () => {
  const before = counts.statements;
  expect((await markAllRead(ada, now())).count).toBe(5000);
  expect(counts.statements - before).toBeLessThanOrEqual(3);
  expect((await listNotifications(ada, { state: 'unread', before: '' })).items).toEqual([]);
});
