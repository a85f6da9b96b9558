import { describe, expect, test } from 'vitest';
import { placeViews } from '#features/signing/signing/pages.server.ts';

const A4 = { width: 1000, height: 1414 };
const place = (text: string, x: number, y: number, page = 1) => ({
  text,
  page,
  x,
  y,
  width: 24_000,
  height: 4000,
});
const viewsOf = (...fields: ReturnType<typeof place>[]) => placeViews(fields, () => A4);

describe('the parts of pages around the places of a signer', () => {
  test('a place is in the middle of what is shown, wide enough to see what is around it', () => {
    const [view] = viewsOf(place('Signature', 40_000, 50_000));
    expect(view).toMatchObject({ page: 1, x: 160, width: 720, height: 460 });
    const [marked] = view?.places ?? [];
    expect(marked).toMatchObject({ x: 400, width: 240, text: 'Signature' });
    expect((view?.y ?? 0) + 230).toBeCloseTo((marked?.y ?? 0) + (marked?.height ?? 0) / 2, 0);
  });

  test.each([
    [0, 0],
    [76_000, 96_000],
  ])('a place at the edge (%i, %i) is shown without what is beyond the page', (x, y) => {
    const [view] = viewsOf(place('Signature', x, y));
    expect(view?.x).toBeGreaterThanOrEqual(0);
    expect(view?.y).toBeGreaterThanOrEqual(0);
    expect((view?.x ?? 0) + (view?.width ?? 0)).toBeLessThanOrEqual(A4.width);
    expect((view?.y ?? 0) + (view?.height ?? 0)).toBeLessThanOrEqual(A4.height);
  });

  test('places close to each other share what is shown, others and other pages do not', () => {
    const views = viewsOf(
      place('Signature', 40_000, 50_000),
      { ...place('Date', 66_000, 50_000), width: 8000 },
      place('Second signature', 40_000, 10_000),
      place('On page 2', 40_000, 50_000, 2),
    );
    expect(views.map(({ page, places }) => [page, places.map(({ text }) => text)])).toEqual([
      [1, ['Signature', 'Date']],
      [1, ['Second signature']],
      [2, ['On page 2']],
    ]);
  });

  test('a place as wide as the page is shown whole', () => {
    const [view] = viewsOf({ ...place('Signature', 0, 0), width: 100_000, height: 100_000 });
    expect(view).toMatchObject({ x: 0, y: 0, ...A4 });
  });
});
