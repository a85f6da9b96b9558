import { askByApi, openTask, saveAndCheck } from './support/tasks.ts';
import { PEOPLE, WAYS, enter, expect, test } from './support/test.ts';

/*
 * An entry of a long list is found by typing: suggested while one types, or chosen from what the list has for the words.
 * Times of day and amounts of hours are typed beside it.
 */

const text = (en: string) => ({ 'en-us': en });

const FORM = {
  format: 1,
  key: 'lookups',
  country: 'US',
  languages: ['en-us'],
  label: text('Person'),
  sections: [
    {
      key: 'person',
      label: text('Person'),
      items: [
        { kind: 'lookup', key: 'nationality', list: 'countries', label: text('Nationality'), required: true },
        {
          kind: 'text',
          key: 'visa',
          label: text('Visa'),
          when: { all: [{ op: 'isNot', of: 'nationality', value: 'US' }] },
        },
        { kind: 'clock', key: 'from', label: text('Work begins') },
        { kind: 'hours', key: 'week', label: text('Hours a week'), max: 2640 },
      ],
    },
  ],
};

for (const { viewport, javaScriptEnabled } of WAYS) {
  const how = `at ${viewport.width} px${javaScriptEnabled ? '' : ' without scripts'}`;
  test.describe(how, () => {
    test.use({ viewport, javaScriptEnabled });

    test(`an entry of a long list is found by words ${how}`, async ({ page, portal }) => {
      const label = `Lookups ${viewport.width} ${javaScriptEnabled ? 'on' : 'off'}`;
      await enter(page, PEOPLE.eleanor, 'staff/tasks');
      await askByApi(page, portal, { label, taxYear: 2024, form: FORM });
      await page.context().clearCookies();
      await openTask(page, `${label} 2024`);
      const nationality = page.getByLabel('Nationality');
      await page.getByLabel('Work begins').fill('08:30');
      await page.getByLabel('Hours a week').fill('44:00');
      if (javaScriptEnabled) {
        await nationality.focus();
        await nationality.pressSequentially('guin');
        await expect(page.locator('datalist option')).toHaveCount(4);
        await expect(page.locator('datalist option').last()).toHaveAttribute('value', 'Papua New Guinea');
        await nationality.fill('Papua New Guinea');
        // the condition knows the entry as soon as it is saved
        await expect(page.getByLabel('Visa')).toBeVisible();
        await expect(page.locator('[data-saving-state]')).toHaveText('Changes saved');
      } else {
        await nationality.fill('guin');
        await saveAndCheck(page);
        await page.goto(`${page.url().split('?')[0]}?step=person&check=typing`);
        await expect(nationality).toHaveValue('guin');
        await expect(page.getByText('Not in the list.').first()).toBeVisible();
        await page.getByRole('group', { name: 'Entries for “guin”' }).getByLabel('Papua New Guinea').check();
      }
      await saveAndCheck(page);
      await expect(page.getByRole('main')).toContainText('Papua New Guinea');
      await expect(page.getByRole('main')).toContainText('8:30 AM');
      await expect(page.getByRole('main')).toContainText('44:00');
    });
  });
}
