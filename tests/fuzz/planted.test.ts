import path from 'node:path';
import { expect, test, vi } from 'vitest';
import type * as all from '../../src/features/all.server.ts';
import type * as files from '../authz/access-files.ts';
import { huntThrough, operations } from './calls.ts';
import { share, timeFor } from './hunt.ts';

/* The calls of one feature more than the portal has (tests/contributions.test.ts). */
vi.mock('../../src/features/all.server.ts', async (original) => ({
  FEATURES: [
    ...(await original<typeof all>()).FEATURES,
    (await import('../support/planted-feature.ts')).visits,
  ],
}));
vi.mock('../authz/access-files.ts', async (original) => ({
  ACCESS_FILES: {
    ...(await original<typeof files>()).ACCESS_FILES,
    visits: path.join(import.meta.dirname, '../support/planted-access.ts'),
  },
}));

const planted = operations.filter((operation) => operation.path.startsWith('/api/visits/'));
const requests = share(0.01, 30_000);

test.each(planted.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
  'the call of a planted feature answers made-up requests as documented: %s',
  { timeout: timeFor(requests) },
  async (_, operation) => {
    const statuses = await huntThrough(operation, requests);
    expect([...statuses.keys()].some((status) => status < 400)).toBe(true);
  },
);

test('the calls of a planted feature are documented', () => {
  expect(planted.map(({ method }) => method)).toEqual(['GET', 'POST']);
});
