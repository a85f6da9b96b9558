import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { moved, ROW_HEIGHT, scrolledTo, windowOf } from '#features/base/grids/rules.ts';
import { selectedIds } from '#features/base/grids/selection.server.ts';
import {
  countSelected,
  isSelected,
  NOTHING_SELECTED,
  selectAllState,
  withToggled,
  type GridSelection,
} from '#features/base/grids/state.ts';
import { peopleGrid } from '#features/clients/directory/people-grid.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { makeCast } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { ada, ben, cleo, zoe, sam } = await makeCast();

describe('the rows that are drawn', () => {
  test('all visible rows are drawn, few others, and together with the spacers they are as high as all rows', () => {
    fc.assert(
      fc.property(fc.nat(300_000), fc.nat(2000), fc.nat(20_000_000), (total, height, scrollTop) => {
        const { first, last, above, below } = windowOf(scrollTop, height, total);
        expect(above + (last - first) * ROW_HEIGHT + below).toBe(total * ROW_HEIGHT);
        expect(last - first).toBeLessThanOrEqual(Math.ceil(height / ROW_HEIGHT) + 13);
        const top = Math.min(scrollTop, Math.max(0, total * ROW_HEIGHT - height));
        expect(first * ROW_HEIGHT).toBeLessThanOrEqual(top);
        expect(last * ROW_HEIGHT).toBeGreaterThanOrEqual(Math.min(total * ROW_HEIGHT, top + height));
      }),
    );
  });

  test('keys stay inside the grid, and the row that they lead to becomes visible', () => {
    const keys = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown'];
    fc.assert(
      fc.property(
        fc.array(fc.record({ key: fc.constantFrom(...keys), ctrlKey: fc.boolean() }), { maxLength: 30 }),
        fc.integer({ min: 1, max: 500 }),
        (presses, rows) => {
          let at = { row: 0, column: 0 };
          let top = 0;
          for (const press of presses) {
            at = moved(at, press, { rows, columns: 4, page: 10 }) ?? at;
            expect([at.row >= -1, at.row < rows, at.column >= 0, at.column < 4]).toEqual([
              true,
              true,
              true,
              true,
            ]);
            top = at.row < 0 ? top : scrolledTo(at.row, top, 500);
            if (at.row >= 0)
              expect([at.row * 50 >= top, at.row * 50 + 50 <= top + 500]).toEqual([true, true]);
          }
        },
      ),
    );
    expect(
      moved({ row: 3, column: 1 }, { key: 'a', ctrlKey: false }, { rows: 9, columns: 4, page: 5 }),
    ).toBeUndefined();
  });
});

describe('the selection of a grid', () => {
  test('the box in the heading has three states, whichever way rows were selected', () => {
    const all: GridSelection = { kind: 'all', except: new Set(), query: '', total: 3 };
    const some = withToggled(NOTHING_SELECTED, 'a');
    expect(
      [NOTHING_SELECTED, some, all, withToggled(all, 'a')].map((each) => selectAllState(each, 3)),
    ).toEqual(['none', 'some', 'all', 'some']);
    expect([isSelected(withToggled(all, 'a'), 'a'), isSelected(withToggled(all, 'a'), 'b')]).toEqual([
      false,
      true,
    ]);
    expect(countSelected(withToggled(withToggled(all, 'a'), 'a'))).toBe(3);
  });

  test('a form selects rows by id, or all that match but for some, and only those that the actor may see', async () => {
    const chosen = async (actor: Actor, ...fields: [string, string][]) => {
      const form = new FormData();
      for (const [name, value] of fields) form.append(name, value);
      const found: string[] = [];
      for await (const batch of selectedIds(peopleGrid, actor, form)) found.push(...batch);
      return found;
    };
    expect(await chosen(sam, ['id', ben.contactId], ['id', zoe.contactId])).toEqual([ben.contactId]);
    expect(await chosen(sam)).toEqual([]);
    expect(await chosen(sam, ['all', 'who=contacts'], ['except', ben.contactId])).toEqual([
      ada.contactId,
      cleo.contactId,
    ]);
    expect(await chosen(sam, ['all', 'searchTerm=ce'])).toEqual([cleo.contactId]);
    await expect(chosen(ada, ['all', ''])).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
