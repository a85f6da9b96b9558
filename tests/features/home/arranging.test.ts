import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  arrangeForFirm,
  arrangeOwn,
  forgetFirmArrangement,
  forgetOwnArrangement,
  homeArrangement,
} from '#features/office/home/arrangements.server.ts';
import { arranged, moved, type Move, type Placed } from '#features/office/home/arranging.ts';
import { offeredWidgets } from '#features/office/home/widgets.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { putAway } from '#features/office/welcome/first-steps.server.ts';
import { STEPS } from '#features/office/welcome/steps.ts';
import { everyRow, makeCast, person } from '../../support/cast.ts';
import { homeFor, localsOf } from '../../support/home.ts';
import '../../../src/app.server.ts';

const place = (id: string, more: Partial<Placed> = {}): Placed => ({
  id,
  isBeside: false,
  isShown: true,
  ...more,
});
const idsOf = (widgets: readonly { id: string }[]): string[] => widgets.map(({ id }) => id);

const ids = fc.uniqueArray(
  fc.constantFrom('tasks', 'documents', 'messages', 'shares', 'contact', 'gone', 'new'),
);
const placed = ids.chain((all) =>
  fc.tuple(
    ...all.map((id) => fc.record({ id: fc.constant(id), isBeside: fc.boolean(), isShown: fc.boolean() })),
  ),
);

test('an arrangement has every offered widget once, in its order, and never hides the tasks', () => {
  fc.assert(
    fc.property(placed, placed, (offered, arrangement) => {
      const result = arranged(offered, arrangement);
      expect(idsOf(result).toSorted()).toEqual(idsOf(offered).toSorted());
      const known = idsOf(arrangement).filter((id) => idsOf(offered).includes(id));
      expect(idsOf(result).filter((id) => known.includes(id))).toEqual(known);
      if (known.includes('tasks')) expect(result.find(({ id }) => id === 'tasks')?.isShown).toBe(true);
    }),
  );
});

test('a newer widget comes after the one before it', () => {
  const offered = ['tasks', 'news', 'documents', 'contact'].map((id) => place(id));
  const own = ['contact', 'documents', 'tasks'].map((id) => place(id));
  expect(idsOf(arranged(offered, own))).toEqual(['contact', 'documents', 'tasks', 'news']);
});

test('a move keeps all widgets, and the opposite one takes it back', () => {
  const opposite: Record<Move, Move> = { up: 'down', down: 'up', column: 'column', visibility: 'visibility' };
  fc.assert(
    fc.property(placed, fc.constantFrom(...(Object.keys(opposite) as Move[])), (widgets, move) => {
      for (const { id } of widgets) {
        const after = moved(widgets, id, move);
        expect(idsOf(after).toSorted()).toEqual(idsOf(widgets).toSorted());
        const changed = JSON.stringify(after) !== JSON.stringify(widgets);
        if (changed && id !== 'tasks') expect(moved(after, id, opposite[move])).toEqual(widgets);
      }
    }),
  );
  expect(moved([place('tasks')], 'tasks', 'visibility')).toEqual([place('tasks')]);
});

const { ada, ben, sam, firmOne } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
// neither is new here
for (const actor of [ada, ben]) await putAway(actor, STEPS);
const shownTo = async (actor: Actor): Promise<string[][]> => {
  const { main, beside } = await homeFor(actor);
  return [idsOf(main), idsOf(beside)];
};
const offeredTo = (actor: Actor) => offeredWidgets(localsOf(actor));

test('people arrange their home page, and what they have not arranged is as their firm has it', async () => {
  expect(await shownTo(ada)).toEqual([['tasks', 'documents'], ['contact']]);
  await arrangeForFirm(olga, 'documents', 'column');
  await arrangeForFirm(olga, 'documents', 'down');
  expect(await shownTo(ada), 'as the firm has it').toEqual([['tasks'], ['documents', 'contact']]);

  await arrangeOwn(ada, await offeredTo(ada), 'contact', 'visibility');
  await arrangeOwn(ada, await offeredTo(ada), 'tasks', 'visibility');
  await arrangeOwn(ada, await offeredTo(ada), 'no such widget', 'up');
  expect(await shownTo(ada)).toEqual([['tasks'], ['documents']]);
  expect(await shownTo(ben), 'others’ stays').toEqual([['tasks'], ['documents', 'contact']]);
  expect(await homeArrangement(ada, await offeredTo(ada))).toMatchObject({ isOwn: true });

  await forgetOwnArrangement(ada);
  expect(await shownTo(ada)).toEqual([['tasks'], ['documents', 'contact']]);
  await forgetFirmArrangement(olga);
  expect(await shownTo(ada)).toEqual([['tasks', 'documents'], ['contact']]);
});

test('what the firm hides is gone for somebody who has it first, and the rest keeps the order of that person', async () => {
  await arrangeOwn(ada, await offeredTo(ada), 'contact', 'column');
  for (const id of ['contact', 'documents']) {
    // before all, also those that are not on the page since they are empty
    const others = (await offeredTo(ada)).length;
    for (let n = 0; n < others; n++) await arrangeOwn(ada, await offeredTo(ada), id, 'up');
  }
  expect(await shownTo(ada)).toEqual([['documents', 'contact', 'tasks'], []]);

  await arrangeForFirm(olga, 'documents', 'visibility');
  expect(await shownTo(ada)).toEqual([['contact', 'tasks'], []]);
  expect(await shownTo(ben), 'others, as the firm has it').toEqual([['tasks'], ['contact']]);
  await arrangeOwn(ada, await offeredTo(ada), 'documents', 'visibility');
  expect(await shownTo(ada), 'nor can they show it').toEqual([['contact', 'tasks'], []]);
  const { widgets } = await homeArrangement(ada, await offeredTo(ada));
  expect(idsOf(widgets), 'nor is it offered').not.toContain('documents');

  await arrangeForFirm(olga, 'documents', 'visibility');
  expect(await shownTo(ada), 'shown again').toEqual([['documents', 'contact', 'tasks'], []]);
  await forgetOwnArrangement(ada);
  await forgetFirmArrangement(olga);
});

test('an id that is no widget, however strange or long, changes nothing and is not stored', async () => {
  const before = await shownTo(ada);
  for (const id of ['__proto__', 'constructor', '', 'tasks,documents', 'x'.repeat(10_000)])
    for (const move of ['up', 'down', 'column', 'visibility'] as const) {
      await arrangeOwn(ada, await offeredTo(ada), id, move);
      await arrangeForFirm(olga, id, move);
    }
  expect(await shownTo(ada)).toEqual(before);
  const stored = JSON.stringify(await everyRow());
  for (const id of ['__proto__', 'xxxxxxxxxx']) expect(stored).not.toContain(id);
  const twice = [place('documents'), place('documents', { isShown: false }), place('tasks')];
  expect(idsOf(arranged([place('tasks'), place('documents')], twice))).toEqual(['documents', 'tasks']);
  await forgetOwnArrangement(ada);
  await forgetFirmArrangement(olga);
});

test('the firm’s arrangement is changed by those who manage it, one’s own not by staff who view it', async () => {
  await expect(arrangeForFirm(sam, 'documents', 'up')).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(forgetFirmArrangement(ada)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  const viewed = { ...ada, viewedBy: olga.contactId };
  await expect(arrangeOwn(viewed, [], 'documents', 'up')).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(forgetOwnArrangement(viewed)).rejects.toMatchObject({ code: 'FORBIDDEN' });
});
