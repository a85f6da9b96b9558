import { afterAll } from 'vitest';
import { endAll } from './portal.ts';
import { removeCopies } from './world.ts';

afterAll(() => {
  endAll();
  removeCopies();
});
