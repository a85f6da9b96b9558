import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineList, queryOf, useList } from '#platform/forms/lists.server.ts';

const list = defineList('staff', {
  schema: z.object({
    person: z.string().max(5).default(''),
    action: z.enum(['', 'read', 'write']).default(''),
    day: z.iso.date().or(z.literal('')).default(''),
    pageNum: z.coerce.number().int().min(1).max(100).default(1),
  }),
  position: 'pageNum',
  filter: {
    id: 'search',
    title: 'filterButton',
    submit: 'filterButton',
    fields: {
      person: { kind: 'text', label: 'filterPerson' },
      action: { kind: 'select', label: 'filterAction' },
      day: { kind: 'date', label: 'filterFrom' },
    },
  },
});

const at = (query: string) =>
  useList({ url: new URL(`http://localhost/list${query}`), locals: { lang: 'en-us' } }, list);

describe('the query of a list', () => {
  test('a list query uses valid parameters, and defaults for invalid, missing and unknown ones', () => {
    const query = (address: string) => queryOf(list, new URLSearchParams(address));
    const usual = { person: '', action: '', day: '', pageNum: 1 };
    expect(query('')).toEqual(usual);
    expect(query('person=Olive&action=read&pageNum=3')).toEqual({
      ...usual,
      person: 'Olive',
      action: 'read',
      pageNum: 3,
    });
    expect(query('person=toolong&action=erase&day=1&pageNum=0&__proto__=1')).toEqual(usual);
    expect(query('person=a&pageNum=x&person=b')).toEqual({ ...usual, person: 'a' });
  });
});

describe('the links of a list', () => {
  test('links of a list keep its filters, omit defaults, and lead to the first page unless a page is given', () => {
    const { urlFor } = at('?person=Olive&action=read&pageNum=3&other=1');
    expect(urlFor()).toBe('/list?person=Olive&action=read');
    expect(urlFor({ action: 'write' })).toBe('/list?person=Olive&action=write');
    expect(urlFor({ person: '', action: undefined })).toBe('/list');
    expect(urlFor({ pageNum: 4 })).toBe('/list?person=Olive&action=read&pageNum=4');
    expect(urlFor({}, '/export')).toBe('/export?person=Olive&action=read');
  });

  test('a list links to its previous and next page if they exist', () => {
    expect(at('').pager(25, 25)).toBeUndefined();
    expect(at('').pager(1026, 25)).toMatchObject({
      range: '1–25 of 1,026',
      previousUrl: undefined,
      nextUrl: '/list?pageNum=2',
    });
    expect(at('?pageNum=2&person=a').pager(30, 25)).toMatchObject({
      range: '26–30 of 30',
      previousUrl: '/list?person=a',
      nextUrl: undefined,
    });
  });
});

describe('the filters of a list', () => {
  const choices = { action: [{ value: 'read', text: 'Opened' }] };

  test('active filters are shown by field name, each with a link that removes it', () => {
    const { active, resultText } = at('?person=Olive&action=read&day=2026-11-23&pageNum=2').filter(
      { count: 30 },
      choices,
    );
    expect(active.map(({ text, removeUrl }) => [text, removeUrl])).toEqual([
      ['Person: Olive', '/list?action=read&day=2026-11-23'],
      ['Action: Opened', '/list?person=Olive&day=2026-11-23'],
      ['From: Nov 23, 2026', '/list?person=Olive&action=read'],
    ]);
    expect(resultText).toBe('30 results');
  });

  test('the number of results is shown only after a search with results', () => {
    expect(at('').filter({ count: 30 }).resultText).toBe('');
    expect(at('?person=a').filter({ count: 0 }).resultText).toBe('');
    expect(at('?person=a').filter({ count: 25, isMore: true }).resultText).toBe('More than 25 results');
    expect(at('?person=a').filter(undefined).resultText).toBe('');
  });
});
