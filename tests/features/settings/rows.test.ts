import { expect, test } from 'vitest';
import { setPlan } from '#features/clients/access-review/access-review.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { settingsAreas, settingsGroups } from '#features/office/settings/rows.server.ts';
import { setDomains } from '#features/sharing/sharing/domains.server.ts';
import { denialReason, PAGES } from '../../../src/routes.ts';
import '../../../src/app.server.ts';
import { sessionAs } from '../../support/api.ts';
import { makeCast, person, standAt } from '../../support/cast.ts';

const { sam, firmOne } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const mona = await person(firmOne, 'Mona Manager', 'mona@one.example', { role: 'manager' });
const rita = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });
const lee = await person(firmOne, 'Lee Limited', 'lee@one.example', { role: 'owner', hasAllClients: false });
standAt(Date.UTC(2026, 1, 10, 12));

const areasOf = (actor: Actor) =>
  settingsAreas({ lang: 'en-us', locale: 'en-US', timeZone: 'UTC', session: sessionAs(actor) });
const pagesOf = async (actor: Actor) => (await areasOf(actor)).map(({ page }) => page);

test('everybody sees the areas that they may open, and no other', async () => {
  for (const actor of [olga, mona, sam, rita, lee])
    for (const page of await pagesOf(actor)) {
      const guard = PAGES[`/[base]/[lang]/${page}`];
      expect(
        guard && denialReason(guard, sessionAs(actor), { method: 'GET', isDemo: false }),
      ).toBeUndefined();
    }
  expect(await pagesOf(rita)).toEqual(['staff/people', 'staff/practice', 'staff/mails']);
  expect(await pagesOf(sam)).toEqual(['staff/people', 'staff/practice', 'staff/templates', 'staff/mails']);
  expect(await pagesOf(mona)).toEqual([
    'staff/people',
    'staff/rescue',
    'staff/practice',
    'staff/templates',
    'staff/mails',
    'staff/imports',
  ]);
  expect(await pagesOf(olga)).toEqual([
    'staff/start',
    'staff/firm',
    'staff/theme',
    'staff/home',
    'staff/payments',
    'staff/seal',
    'staff/people',
    'staff/access',
    'staff/access-review',
    'staff/sharing',
    'staff/rescue',
    'staff/terms',
    'staff/practice',
    'staff/templates',
    'staff/mail-texts',
    'staff/mails',
    'staff/imports',
    'staff/retention',
    'staff/data-exports',
    'staff/issues',
    'staff/audit',
    'staff/feedback',
  ]);
  // what concerns all clients is for those who act for all of them
  expect(await pagesOf(lee)).not.toContain('staff/retention');
  expect(await pagesOf(lee)).not.toContain('staff/access-review');
});

test('each area says how it is set, and follows a change', async () => {
  const stateOf = async (page: string) => (await areasOf(olga)).find((area) => area.page === page)?.state;
  expect(await stateOf('staff/sharing')).toBe('Sharing isn’t limited to specific domains');
  await setDomains(olga, 'one.example bank.example');
  expect(await stateOf('staff/sharing')).toBe('Sharing is limited to 2 domains');
  expect(await stateOf('staff/access-review')).toBe('No review is scheduled.');
  await setPlan(olga, { interval: '3' });
  expect(await stateOf('staff/access-review')).toBe('Next review on Apr 1, 2026');
  expect(await stateOf('staff/people')).toBe('5 team members');
  expect(await stateOf('staff/retention')).toBe('No periods are set, so all documents are kept.');
});

test('the areas are in four groups, of which nobody sees an empty one', async () => {
  const groupsOf = async (actor: Actor) =>
    (
      await settingsGroups({ lang: 'en-us', locale: 'en-US', timeZone: 'UTC', session: sessionAs(actor) })
    ).map(({ group, areas }) => [group, areas.map(({ page }) => page.replace('staff/', ''))]);
  expect(await groupsOf(olga)).toEqual([
    ['firm', ['start', 'firm', 'theme', 'home', 'payments', 'terms']],
    ['files', ['sharing', 'templates', 'mail-texts', 'mails', 'imports', 'feedback']],
    ['people', ['people', 'access', 'access-review', 'rescue', 'practice']],
    ['records', ['seal', 'retention', 'data-exports', 'issues', 'audit']],
  ]);
  expect(await groupsOf(rita)).toEqual([
    ['files', ['mails']],
    ['people', ['people', 'practice']],
  ]);
});
