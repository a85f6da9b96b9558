import { afterEach, expect, test, vi } from 'vitest';
import { defineFeature, type Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { breaker } from '#features/office/home/breaker.server.ts';
import type { ShownWidget } from '#features/office/home/widgets.server.ts';
import { db } from '#platform/database/database.server.ts';
import { makeCast } from '../../support/cast.ts';
import { homeFor } from '../../support/home.ts';
import '../../../src/app.server.ts';

/* A widget of a feature that stands in for the demo fails, and then works again. */

type Load = Contributions['widgets'][number]['load'];
const load = vi.hoisted(() => vi.fn());
const beside = vi.hoisted(() => vi.fn());
vi.mock('#features/demo/demo/feature.server.ts', () => ({
  demo: defineFeature({
    name: 'planted',
    widgets: [
      {
        id: 'planted',
        section: 1,
        order: 1,
        page: 'home',
        title: text('home', 'title'),
        load: load as unknown as Load,
      },
      {
        id: 'beside',
        section: 1,
        order: 2,
        page: 'home',
        title: text('home', 'title'),
        isFor: () => beside.getMockImplementation() !== undefined,
        load: beside as unknown as Load,
      },
    ],
  }),
}));

const { ada } = await makeCast();
const home = async (only?: string): Promise<ShownWidget[]> => (await homeFor(ada, only)).main;
const viewOf = async (only?: string): Promise<unknown> =>
  (await home(only)).find(({ id }) => id === 'planted')?.view;

afterEach(() => {
  vi.useRealTimers();
  load.mockReset();
});

test('a widget that fails leaves the others useful, and is not asked again for a while', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  load.mockImplementation(() => {
    throw new Error('planted');
  });
  expect(await viewOf()).toBe('failed');
  expect((await home()).map(({ id }) => id)).toEqual(['tasks', 'planted', 'documents', 'first-steps']);
  expect(await viewOf()).toBe('failed');
  expect(await viewOf(), 'after the third failure').toBe('deferred');
  expect(load).toHaveBeenCalledTimes(3);

  load.mockResolvedValue({ rows: [{ title: 'One', href: '#' }] });
  expect(await viewOf('planted'), 'asked for by name').toMatchObject({ rows: [{ title: 'One' }] });
  expect(await viewOf(), 'with the page').toMatchObject({ rows: [{ title: 'One' }] });
});

test('two widgets that fail at once, one of them since the database refuses a statement, leave the others useful', async () => {
  load.mockImplementation(async () => {
    await db()
      .selectFrom('no_such_table' as 'firms')
      .select('name')
      .execute();
  });
  beside.mockImplementation(() => {
    throw new Error('planted');
  });
  const shown = await home();
  const failed = shown.filter(({ view }) => view === 'failed').map(({ id }) => id);
  expect(failed).toEqual(['planted', 'beside']);
  expect(shown.find(({ id }) => id === 'documents')?.view).toMatchObject({
    rows: expect.any(Array) as unknown,
  });
  beside.mockReset();
});

test('rows without end are cut', async () => {
  load.mockResolvedValue({ rows: Array.from({ length: 1000 }, () => ({ title: 'One', href: '#' })) });
  expect(await viewOf()).toMatchObject({ rows: { length: 20 } });
});

test('a widget that is slow most of the time is left out for five minutes, but tried once a minute', async () => {
  let time = 0;
  const { isOpen, watch } = breaker(() => time);
  const takes = (ms: number) => watch('slow', () => Promise.resolve((time += ms)));
  for (let n = 0; n < 19; n++) await takes(n % 5 === 0 ? 10 : 600);
  expect(isOpen('slow'), 'nineteen loads').toBe(false);
  await takes(600);
  expect(isOpen('slow')).toBe(true);
  time += 60_000;
  expect(isOpen('slow'), 'the trial').toBe(false);
  expect(isOpen('slow'), 'once a minute').toBe(true);
  await takes(10);
  expect(isOpen('slow'), 'after a trial that was quick').toBe(false);

  for (let n = 0; n < 20; n++) await takes(600);
  expect(isOpen('slow')).toBe(true);
  time += 5 * 60_000;
  expect(isOpen('slow')).toBe(false);
});
