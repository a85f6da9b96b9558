import { expect, test } from 'vitest';
import { plansOf } from '../../support/statements.ts';
import { endSession, findSession, startSession } from '#features/identity/sessions/sessions.server.ts';
import { BROWSER, makeCast } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { ada } = await makeCast();

test('signing out reads no table as a whole', async () => {
  const token = await startSession(ada, BROWSER);
  const session = await findSession(token);
  const plans = await plansOf(() => endSession(session?.id ?? ''));
  expect(plans.map(({ text }) => text)).toContainEqual(expect.stringContaining('update "task_links"'));
  for (const { text, plan } of plans) expect(plan.join('\n'), text).not.toContain('SCAN');
});
