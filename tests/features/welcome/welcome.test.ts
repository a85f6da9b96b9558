import { expect, test } from 'vitest';
import { saveNotifications } from '#features/clients/mails/notifications.server.ts';
import { changePhrase } from '#features/clients/mails/phrases.server.ts';
import { offersSteps, openSteps, putAway } from '#features/office/welcome/first-steps.server.ts';
import { STEPS } from '#features/office/welcome/steps.ts';
import { optionalKinds } from '#platform/mail/mail-kinds.server.ts';
import { impersonating, sessionAs } from '../../support/api.ts';
import { makeCast } from '../../support/cast.ts';
import { rowsOf } from '../../support/home.ts';
import { AT_ONCE } from '../../support/mail-choices.ts';
import '../../../src/app.server.ts';

const { ada, ben, cleo, sam } = await makeCast();

test('a new contact is offered the steps on the home page, until they are taken or put away', async () => {
  expect(await openSteps(ada)).toEqual(STEPS);
  expect((await rowsOf(ada, 'first-steps'))?.map(([title]) => title)).toEqual([
    'See what’s here',
    'Choose what you’re told',
    'Put the portal on your phone',
    'Choose your phrase',
  ]);
  await putAway(ada, ['look', 'look']);
  await putAway(ada, ['look']);
  await changePhrase(sessionAs(ada), 'blue kettle');
  expect(await openSteps(ada)).toEqual(['notices', 'phone']);
  await saveNotifications(sessionAs(ada), {
    kinds: optionalKinds(),
    isQuiet: true,
    from: 20,
    until: 7,
    timeZone: 'UTC',
    ...AT_ONCE,
  });
  expect(await openSteps(ada)).toEqual(['phone']);
  expect(await openSteps(ben), 'of everybody their own').toEqual(STEPS);
  await putAway(ada, STEPS);
  expect(await rowsOf(ada, 'first-steps')).toBeUndefined();
});

test('staff who view as a contact put nothing away', async () => {
  await expect(putAway(impersonating(cleo, sam).actor, STEPS)).rejects.toEqual(
    expect.objectContaining({ code: 'EMULATION_READ_ONLY' }),
  );
  expect(await openSteps(cleo)).toEqual(STEPS);
});

test('the steps are not offered where the firm hides them, nor to staff who view as a contact', () => {
  const controls = new Set([...ben.access.controls, 'HideWelcomeModal' as const]);
  expect(offersSteps(sessionAs(ben))).toBe(true);
  expect(offersSteps(sessionAs({ ...ben, access: { ...ben.access, controls } }))).toBe(false);
  expect(offersSteps(impersonating(ben, sam))).toBe(false);
});
