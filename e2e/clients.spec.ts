import { expectUsable } from './support/accessibility.ts';
import { idOfClient, openRowMenu } from './support/steps.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

/* The records of clients, by the people who manage them. */

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? 'with scripts' : 'with scripts off', () => {
    test.use({ javaScriptEnabled });

    test('a client is created with an address, gets a contact, and is archived and restored', async ({
      page,
    }) => {
      const name = `Poplar Pianos ${javaScriptEnabled ? 'Ltd' : 'LLC'}`;
      await enter(page, PEOPLE.eleanor, 'staff/clients');
      await page.goto('staff/clients/new');
      await page.getByLabel('Name', { exact: true }).fill(name);
      await page.getByRole('radio', { name: 'Business' }).check();
      const address = page.getByRole('group', { name: /^Address/ });
      await address.getByLabel('Country').selectOption({ label: 'Canada' });
      if (!javaScriptEnabled)
        await page.getByRole('button', { name: 'Show fields for this country' }).click();
      await address.getByLabel('Address line 1').fill('100 King Street West');
      await address.getByLabel('City').fill('Toronto');
      await address.getByRole('combobox', { name: 'Province' }).selectOption({ label: 'Ontario' });
      await expect(address.getByLabel('County')).toBeHidden();
      await page.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
      await expect(page.getByText('100 King Street West, Toronto, Ontario, Canada')).toBeVisible();

      await page.locator('main summary[title=More]').click();
      await page.getByRole('link', { name: 'Edit' }).first().click();
      await expect(address.getByLabel('Country')).toHaveValue('CA');
      await expect(address.getByRole('combobox', { name: 'Province' })).toHaveValue('CA-ON');
      await page.getByRole('link', { name: 'Cancel' }).click();

      await page.getByRole('link', { name: 'Invite contact' }).click();
      await expect(page.getByText(`This person gets access to ${name}.`)).toBeVisible();
      if (javaScriptEnabled) await expectUsable(page, 'a new contact of a client');
      await page.getByLabel('First name').fill(javaScriptEnabled ? 'Paula' : 'Pia');
      await page.getByLabel('Last name').fill('Poplar');
      await page.getByLabel('Email').fill(`paula-${javaScriptEnabled}@poplar.example`);
      await page.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);

      await page.locator('main summary[title=More]').click();
      await page.getByRole('link', { name: 'Archive' }).click();
      await page.getByRole('link', { name: `Export ${name}` }).click();
      await expect(page.getByRole('button', { name: 'Export client' })).toBeVisible();
      await page.goBack();
      await page.getByRole('button', { name: /Archive/ }).click();
      await page.goto('staff/clients?state=archived');
      await page.getByRole('link', { name }).click();
      await expect(page.getByText('This client is archived, so its contacts can’t see it.')).toBeVisible();
      await expect(page.getByRole('link', { name: 'Invite contact' })).toHaveCount(0);
      await page.locator('main summary[title=More]').click();
      await expect(page.getByRole('link', { name: 'Export', exact: true })).toBeVisible();
      if (javaScriptEnabled) await expectUsable(page, 'an archived client');
      await page.getByRole('button', { name: 'Restore' }).click();
      await expect(page.getByText('1 client restored.')).toBeVisible();
    });
  });

test('the page of a client begins with what waits on whom', async ({ page }) => {
  await enter(page, PEOPLE.eleanor, 'staff/clients');
  await page.goto('staff/clients?searchTerm=juniper');
  await page.getByRole('rowheader').getByRole('link').first().click();
  const name = await page.getByRole('heading', { level: 1 }).innerText();
  const headings = page.getByRole('main').getByRole('heading', { level: 2 });
  await expect(headings.first()).toHaveText('Waiting for us');
  await page.getByRole('main').getByText('Ask for …', { exact: true }).click();
  for (const [kind, title] of [
    ['Signatures', 'Signatures'],
    ['Questionnaire', 'New task'],
    ['Document review', 'Request a document review'],
    ['Payment', 'Request payment'],
    ['Ask for documents', 'New task'],
  ] as const) {
    const href = await page.getByRole('listitem').getByRole('link', { name: kind }).getAttribute('href');
    const form = await page.context().newPage();
    await form.goto(href ?? '');
    await expect(form.getByRole('heading', { level: 1 })).toHaveText(title);
    await expect(form.getByRole('main'), `${kind} names the client`).toContainText(name);
    await form.close();
  }
  await page.keyboard.press('Escape'); // the menu is above the list
  const tasks = page.getByRole('region', { name: 'Open tasks' });
  await expect(tasks.getByRole('listitem').first()).toContainText(
    /Not started|In progress|Returned|To review/,
  );
  await tasks.getByRole('link', { name: 'All tasks' }).click();
  await expect(page.locator('#search-clientName')).toHaveValue(name);
});

test('on the page of a client contacts and details stay at the right, however much is at the left', async ({
  page,
  portal,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await enter(page, PEOPLE.eleanor, 'staff/clients');
  const places: number[][] = [];
  for (const name of ['Juniper Street Bakery LLC', 'Ashland Bakery LLC']) {
    await page.goto(`staff/clients/${await idOfClient(portal, name)}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
    const boxes = await Promise.all(
      ['Contacts', 'Details', 'Recent documents'].map((title) =>
        page.getByRole('region', { name: title, exact: true }).boundingBox(),
      ),
    );
    places.push(boxes.map((box) => box?.x ?? 0));
    const [contacts, , documents] = boxes;
    expect(contacts?.x).toBeGreaterThan((documents?.x ?? 0) + (documents?.width ?? 0));
    expect(contacts?.y, 'contacts are on the first screen').toBeLessThan(300);
  }
  expect(places[0]).toEqual(places[1]);
});

test('the access of a contact to a client ends on the page of the client', async ({ page, portal }) => {
  const [link = {}] = await portal.sql(
    "select client_contacts.* from client_contacts join contacts using (contact_id) where full_name = 'Olivia Bennett'",
  );
  await enter(page, PEOPLE.eleanor, 'staff/clients');
  await page.goto('staff/clients?searchTerm=juniper');
  await page.getByRole('rowheader').getByRole('link').first().click();
  const contacts = page.getByRole('region', { name: 'Contacts' });
  await openRowMenu(page, 'Olivia Bennett');
  await contacts.getByRole('button', { name: 'Remove access' }).click();
  await expect(page.getByText(/no longer has access to Juniper/)).toBeVisible();
  await expect(contacts.getByRole('listitem').filter({ hasText: 'Olivia' })).toHaveCount(0);

  // other tests use this portal, too
  const columns = Object.keys(link).join(', ');
  const values = Object.values(link).map((value) => (value === null ? 'null' : `'${String(value)}'`));
  await portal.sql(`insert into client_contacts (${columns}) values (${values.join(', ')})`);
});
