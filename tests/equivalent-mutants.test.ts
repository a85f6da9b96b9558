import { expect, test } from 'vitest';
import { outdatedEquivalents } from '../scripts/mutation/equivalent.mjs';

test('the list of equivalent mutants names files that exist, and text that they contain', () => {
  expect(outdatedEquivalents()).toEqual([]);
});
