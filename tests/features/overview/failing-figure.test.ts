import { expect, test, vi } from 'vitest';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { figuresFor } from '#features/office/overview/figures.server.ts';
import { tablesFor } from '#features/office/overview/tables.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { localsOf } from '../../support/home.ts';
import '../../../src/app.server.ts';

/* A figure and a table of a feature that stands in for the demo fail. */

const fails = vi.hoisted(() => vi.fn(() => Promise.reject(new Error('planted'))));
vi.mock('#features/demo/demo/feature.server.ts', () => ({
  demo: defineFeature({
    name: 'planted',
    figures: [
      {
        id: 'planted',
        group: 'firm',
        order: 1,
        label: text('home', 'title'),
        page: 'staff/tasks',
        query: () => ({}),
        count: fails,
      },
    ],
    overviewTables: [
      {
        id: 'planted',
        order: 1,
        title: text('home', 'title'),
        columns: [text('home', 'title')],
        page: 'staff/tasks',
        load: fails,
      },
    ],
  }),
}));

const { firmOne } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });

test('a part of the overview that fails leaves the others useful, and is not asked again for a while', async () => {
  for (let n = 0; n < 4; n += 1) {
    const figures = (await figuresFor(localsOf(olga))).flatMap((group) => group.figures);
    expect(figures.filter(({ count }) => count === undefined).map(({ id }) => id)).toEqual(['planted']);
    const tables = await tablesFor(localsOf(olga));
    expect(tables.map(({ id, view }) => [id, view !== undefined])).toEqual([
      ['planted', false],
      ['people', true],
      ['weeks', true],
    ]);
  }
  // three times as a figure, and as a table
  expect(fails).toHaveBeenCalledTimes(6);
});
