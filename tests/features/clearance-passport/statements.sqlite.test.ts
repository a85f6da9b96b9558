import '../../../src/app.server.ts';
import { expect, test } from 'vitest';
import { actorOf } from '#features/base/people/people.server.ts';
import { followAgency } from '#features/brazil/clearance-certificates/following.server.ts';
import { makePassport } from '#features/brazil/clearance-passport/passports.server.ts';
import { viewPassport } from '#features/brazil/clearance-passport/viewing.server.ts';
import { makeCast, standAt } from '../../support/cast.ts';
import { counts } from '../../support/statements.ts';

const { clientA, ...cast } = await makeCast();
const sam = await actorOf(cast.sam.contactId);

async function statementsFor(agencyIds: readonly string[]): Promise<number> {
  for (const agencyId of agencyIds)
    await followAgency(sam, { clientId: clientA, agencyId, renewBeforeDays: 15, notifiesClient: false });
  const { token } = await makePassport(sam, {
    clientId: clientA,
    recipient: 'A bank',
    agencyIds: [...agencyIds],
    endsOn: '2026-12-27',
  });
  const before = counts.statements;
  await viewPassport(token);
  return counts.statements - before;
}

test('a passport is shown with the same statements, however many agencies it has', async () => {
  standAt(Date.UTC(2026, 10, 27, 15));
  const one = await statementsFor(['labor']);
  const states = ['AC', 'AL', 'AM', 'AP', 'BA', 'CE', 'DF', 'ES', 'GO', 'MA'].map(
    (state) => `state-${state}`,
  );
  expect(await statementsFor(states)).toBe(one);
  expect(one).toBeGreaterThan(0);
});
