import { expectUsable } from './support/accessibility.ts';
import { startPortal } from './support/portal.ts';
import { DESK, enter, expect, PEOPLE, PHONE, signIn, test } from './support/test.ts';

const CODE = /^[2-9a-z]{5}-[2-9a-z]{5}$/;

for (const [viewport, javaScriptEnabled] of [
  [PHONE, true],
  [DESK, false],
] as const)
  test.describe(() => {
    test.use({ viewport, javaScriptEnabled });

    test(`a problem is reported and answered, ${viewport.width} px wide, with scripts ${javaScriptEnabled ? 'on' : 'off'}`, async ({
      page,
      portal,
      browser,
    }) => {
      await enter(page, PEOPLE.marcus, 'documents');
      await page.locator('#help summary').click();
      await page.getByRole('link', { name: 'Report a problem' }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Report a problem');
      const form = page.getByRole('main').locator('form');
      await expect(form.getByText('/documents')).toBeVisible();
      await form.getByLabel('The portal itself').check();
      await form.getByRole('checkbox', { name: 'Browser' }).uncheck();
      await form.getByRole('button', { name: 'Send report' }).click();
      await expect(page.getByText('Describe what happened.').first()).toBeVisible();
      await form.getByLabel('What happened?').fill('The list stays empty.');
      await form.getByRole('button', { name: 'Send report' }).click();

      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Thank you for your report');
      const code = await page.getByLabel('Reference code').first().inputValue();
      expect(code).toMatch(CODE);
      await page.getByText('What you sent').click();
      await expect(page.getByText('The list stays empty.')).toBeVisible();
      await expect(page.getByText('Browser:'), 'what was left out').toHaveCount(0);
      if (javaScriptEnabled) await expectUsable(page, 'a report that was sent');
      const own = page.url();

      const staff = await (await browser.newContext({ viewport, javaScriptEnabled })).newPage();
      await staff.goto(`${portal.origin}/clientcenter/en-us/auth`);
      await enter(staff, PEOPLE.eleanor, 'staff/settings');
      await staff.getByRole('link', { name: 'Reported problems' }).click();
      await staff.getByRole('link', { name: 'The list stays empty.' }).first().click();
      if (javaScriptEnabled) await expectUsable(staff, 'a reported problem');
      await staff.getByLabel('Your answer').fill('Choose another folder.');
      await staff.getByRole('button', { name: 'Send answer' }).click();
      await expect(staff.getByText('gets your answer by email').first()).toBeVisible();
      await staff.context().close();

      await page.goto(own);
      await expect(page.getByText('Choose another folder.')).toBeVisible();
    });
  });

test('the firm hides the reporting of problems', async ({ page, portal }) => {
  await portal.sql(
    `insert into access_settings (company_id, contact_id, kind, name, granted) select company_id, '', 'control', 'HideDiagnosticTool', 1 from firms where name = 'Maple & Hart CPAs'`,
  );
  await enter(page, PEOPLE.marcus, 'documents');
  await page.locator('#help summary').click();
  await expect(page.locator('#help')).toHaveAttribute('open');
  await expect(page.locator('#help a[href*="help/report"]')).toHaveCount(0);
  await portal.sql(`delete from access_settings where name = 'HideDiagnosticTool'`);
});

test.describe(() => {
  test.use({ baseURL: '' });

  test('the live chat opens three seconds later in a tab of its own, where the operator has one', async ({
    page,
    trouble,
  }) => {
    trouble.expect(/stranger: https:\/\/chat\.example/);
    const chat = 'https://chat.example/?lang={language}&code={code}';
    const portal = await startPortal({
      CHAT_URL: chat,
      CHAT_HOURS: 'Mon-Sun 00:00-23:59 America/New_York',
      SUPPORT_EMAILS: 'us=support@portal.example,*=other@portal.example',
    });
    await page
      .context()
      .route('https://chat.example/**', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Chat</title>' }),
      );
    await page.goto(`${portal.origin}/clientcenter/en-us/help/report`);
    await signIn(page, PEOPLE.marcus);
    await page.getByLabel('The portal itself').check();
    await page.getByLabel('What happened?').fill('Nothing opens.');
    await page.getByRole('button', { name: 'Send report' }).click();
    const code = await page.getByLabel('Reference code').inputValue();
    await expect(page.getByRole('link', { name: 'Write an email' })).toHaveAttribute(
      'href',
      /^mailto:support@portal\.example\?subject=/,
    );
    await page.getByRole('link', { name: 'Live chat' }).click();
    await expect(page.getByLabel('Reference code')).toHaveValue(code);
    await expectUsable(page, 'the code to tell in the chat');
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Open the chat' }).click(),
    ]);
    await expect(tab.getByLabel('Reference code')).toHaveValue(code);
    await tab.waitForURL(`https://chat.example/?lang=en-US&code=${code}`);
    await page.getByRole('link', { name: 'Done' }).click();
    await expect(page).toHaveURL(/\/home$/);
    await portal.stop();
  });
});
