import { expect, test } from 'vitest';
import type { UploadingFile } from '#features/documents/uploads/state.ts';
import { secondsLeft, type Sample } from '#features/documents/uploads/ui/time-left.ts';

const file = (size: number, state: UploadingFile['state']): UploadingFile => ({
  id: 'a',
  name: 'a.pdf',
  size,
  state,
});
const at = (progress: number) => [
  file(1000, { kind: 'success', finalName: 'a.pdf', digest: '' }),
  file(1000, { kind: 'inProgress', progress }),
  file(500, { kind: 'selected' }),
  file(9000, { kind: 'failed', code: 'INFECTED' }),
];

test('the time left follows the rate of the last seconds, over all files that are still sent', () => {
  const samples: Sample[] = [];
  expect(secondsLeft(samples, at(0), 0)).toBeUndefined();
  expect(secondsLeft(samples, at(0.1), 1000), 'too early').toBeUndefined();
  expect(secondsLeft(samples, at(0.2), 2000)).toBeCloseTo(13); // 100 bytes a second, 1,300 bytes
  expect(secondsLeft(samples, at(0.2), 20_000), 'nothing moves').toBeUndefined();
});

test('the time left is unknown while the connection is lost, and is measured anew after it', () => {
  const samples: Sample[] = [];
  secondsLeft(samples, at(0), 0);
  expect(secondsLeft(samples, at(0.5), 4000)).toBeCloseTo(8);
  const paused = [file(1000, { kind: 'paused', progress: 0.5 })];
  expect(secondsLeft(samples, paused, 5000)).toBeUndefined();
  expect(secondsLeft(samples, at(0.5), 60_000)).toBeUndefined();
  expect(secondsLeft(samples, at(0.6), 63_000)).toBeCloseTo(27);
});
