import { answerByApi, askByApi } from './support/tasks.ts';
import { DEMO_PASSWORD } from '#features/demo/demo/demo.ts';
import { PEOPLE, WAYS, enter, expect, test } from './support/test.ts';

/*
 * Numbers that must not be read over a shoulder are masked on the firm's page of a submission. Staff who decide about it
 * see one in full after they have confirmed that it is them, and each time is in the audit log.
 */

const SSN = '219-09-9999';

const text = (en: string) => ({ 'en-us': en });

const FORM = {
  format: 1,
  key: 'masked',
  country: 'US',
  languages: ['en-us'],
  label: text('Organizer'),
  sections: [
    {
      key: 'you',
      label: text('You'),
      items: [
        { kind: 'text', key: 'name', label: text('Name') },
        { kind: 'identifier', key: 'ssn', scheme: 'ssn', label: text('Social Security number') },
        { kind: 'identifier', key: 'account', scheme: 'account', label: text('Account number') },
      ],
    },
  ],
};

for (const { viewport, javaScriptEnabled } of WAYS) {
  const how = `at ${viewport.width} px${javaScriptEnabled ? '' : ' without scripts'}`;
  test.describe(how, () => {
    test.use({ viewport, javaScriptEnabled });

    test(`a masked answer is shown in full after confirming, and hidden again ${how}`, async ({
      page,
      portal,
    }) => {
      const label = `Masked ${viewport.width} ${javaScriptEnabled ? 'on' : 'off'}`;
      await enter(page, PEOPLE.eleanor, 'staff/tasks');
      const taskId = await askByApi(page, portal, { label, taxYear: 2024, form: FORM });
      await answerByApi(page, portal, taskId, {
        'you.name': 'Olivia Bennett',
        'you.ssn': '219099999',
        'you.account': '987654321',
      });
      await enter(page, PEOPLE.eleanor, `staff/tasks/${taskId}`);
      await expect(page.getByText('•••-••-9999')).toBeVisible();
      expect(await page.content()).not.toMatch(/219-?09-?9999|98765/);

      // who signed in long ago confirms first, and comes back to the place
      await portal.sql('update sessions set authenticated_at = 0');
      const show = page.getByRole('button', { name: 'Show Social Security number' });
      await show.click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Confirm it’s you');
      await page.locator('#confirm-password').fill(DEMO_PASSWORD);
      await page.getByRole('button', { name: 'Confirm' }).click();
      await expect(page).toHaveURL(new RegExp(`/staff/tasks/${taskId}[^#]*#answer-you-ssn$`));
      await expect(page.getByText('•••-••-9999')).toBeVisible();

      const response = page.waitForResponse((each) => each.request().method() === 'POST');
      await show.click();
      expect((await response).headers()['cache-control']).toBe('no-store');
      await expect(page.getByText(SSN)).toBeVisible();
      await expect(page.getByText('Recorded in the audit log')).toBeVisible();
      expect(page.url()).not.toMatch(/219|9999/);
      await expect(page.getByText('•••••4321')).toBeVisible();
      await page.getByRole('button', { name: 'Hide Social Security number' }).click();
      await expect(page.getByText('•••-••-9999')).toBeVisible();
      await expect(page.getByText(SSN)).toHaveCount(0);

      await page.goto('staff/audit?action=task.reveal');
      await expect(page.getByRole('main')).toContainText('Social Security number');
      expect(await page.content()).not.toMatch(/219-?09-?9999/);

      // an accepted submission stays masked, too
      await page.goto(`staff/tasks/${taskId}`);
      await page.getByRole('button', { name: 'Accept all' }).click();
      await page.getByRole('button', { name: 'Show Account number' }).click();
      await expect(page.getByText('987654321')).toBeVisible();
    });
  });
}
