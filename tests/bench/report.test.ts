import { expect, test } from 'vitest';
import { median, rounded, verdict } from './support/report.ts';

const row = { what: 'documents page', unit: 'ms', figure: 3, baseline: 1.5 };

test('a metric within its target is met, and one beyond it reports by how much', () => {
  expect(verdict({ ...row, reach: [{ most: 3 }] })).toBe('met');
  expect(verdict({ ...row, reach: [{ most: 2 }] })).toBe('**missed by 1 ms**');
  expect(verdict({ ...row, reach: [{ least: 4 }] })).toBe('**missed by 1 ms**');
});

test('a ratio is judged on its own, in the right direction', () => {
  expect(verdict({ ...row, reach: [{ of: 'ratio', most: 2 }] })).toBe('met');
  expect(verdict({ ...row, reach: [{ of: 'ratio', most: 1.2 }] })).toBe('**missed by 0.8 ×**');
  expect(verdict({ ...row, inverse: true, reach: [{ of: 'ratio', least: 0.5 }] })).toBe('met');
  expect(verdict({ ...row, inverse: true, reach: [{ most: 2 }, { of: 'ratio', least: 0.8 }] })).toBe(
    '**missed by 1 ms, missed by 0.3 ×**',
  );
});

test('a metric that was not measured is not reported as met', () => {
  expect(verdict({ ...row, figure: Number.NaN, reach: [{ most: 2 }] })).toBe('not measured');
  expect(verdict({ what: 'archive', unit: 'MB/s', figure: 500, reach: [{ of: 'ratio', least: 1 }] })).toBe(
    '**not measured**',
  );
});

test('a metric without a target has no verdict', () => expect(verdict(row)).toBe(''));

test('the median is the middle value, or halfway between the two middle values', () => {
  expect(median([5, 1, 3])).toBe(3);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([])).toBeNaN();
});

test('metrics are shown with three significant digits', () => {
  expect([0, 0.01234, 1.2345, 41.06, 1234.5].map(rounded)).toEqual(['0', '0.012', '1.23', '41.1', '1,235']);
});
