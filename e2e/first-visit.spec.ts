import { linkInMailbox } from './support/steps.ts';
import { DESK, PEOPLE, PHONE, enter, expect, signIn, test } from './support/test.ts';

/* What a new contact finds: first steps, a phrase in their emails, a page that checks emails, and larger text. */

test.describe('with scripts off', () => {
  test.use({ javaScriptEnabled: false, viewport: PHONE });

  test('a new contact takes the first steps that they want, and hides the others for good', async ({
    page,
  }) => {
    await enter(page, PEOPLE.sophie, 'home');
    const steps = page.getByRole('region', { name: 'First steps' });
    await expect(steps.getByRole('listitem')).toHaveCount(4);
    await steps.getByRole('link', { name: 'All steps, or hide them' }).click();
    await page.getByRole('button', { name: 'Hide this: Put the portal on your phone' }).click();
    await expect(page.getByRole('heading', { level: 2 })).toHaveCount(3);
    await page.getByRole('link', { name: /^Read: / }).click();
    await expect(page).toHaveURL(/\/help\/five-minutes/);
    await page.goto('home/first-steps');
    await page.getByRole('button', { name: 'Hide all steps' }).click();
    await expect(page.getByText('First steps hidden.')).toBeVisible();
    await expect(page).toHaveURL(/\/home$/);
    await expect(steps).toHaveCount(0);
  });

  test('a phrase is in every later email, whose code a stranger checks without an account', async ({
    page,
    browser,
  }) => {
    await page.goto('profile/phrase');
    await signIn(page, PEOPLE.marcus);
    const field = page.getByRole('textbox', { name: /^Phrase/ });
    const suggested = await field.inputValue();
    expect(suggested).toMatch(/^\S+ \S+$/);
    await page.getByRole('link', { name: 'Suggest two words' }).click();
    await field.fill('x');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByRole('alert')).toBeVisible();
    await field.fill('blue kettle');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('Phrase saved.')).toBeVisible();
    await expect(field).toHaveValue('blue kettle');
    await field.fill('quiet harbor');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const { mail } = await linkInMailbox(page, 'Your phrase for emails was changed', 2, PEOPLE.marcus);
    expect(mail).toContain('Your phrase: blue kettle');

    const code = /Type (\S{4}-\S{4}) at (\S+)/.exec(mail);
    const stranger = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await stranger.goto(new URL(`/${(code?.[2] ?? '').split('/').slice(1).join('/')}`, page.url()).href);
    await stranger.getByLabel('Code').fill((code?.[1] ?? '').toLowerCase().replace('-', ' '));
    await stranger.getByRole('button', { name: 'Check' }).click();
    const main = stranger.getByRole('main');
    await expect(main).toContainText(/Yes\. .+ sent this email \(Security notice\) on .+ “m”\./);
    await expect(main).not.toContainText(PEOPLE.marcus);
    await stranger.getByLabel('Code').fill('0000-0000');
    await stranger.getByRole('button', { name: 'Check' }).click();
    await expect(main).toContainText('No email of ours from the last 180 days has this code.');
    await stranger.context().close();
  });

  test('larger text holds on every page and after signing in elsewhere, and not for the next person', async ({
    page,
    browser,
  }) => {
    await enter(page, PEOPLE.sophie, 'profile/reading');
    await page.getByLabel('Largest').check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('Settings saved.')).toBeVisible();
    const sizeOf = (one: typeof page) =>
      one.locator('main').evaluate((main) => Number.parseFloat(getComputedStyle(main).fontSize));
    for (const path of ['home', 'documents', 'tasks', 'profile']) {
      await page.goto(path);
      expect(await sizeOf(page), path).toBe(24);
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        `${path} is as wide as the window`,
      ).toBeLessThanOrEqual(0);
    }
    const elsewhere = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await enter(elsewhere, PEOPLE.sophie, 'home');
    expect(await sizeOf(elsewhere)).toBe(24);
    await elsewhere.context().clearCookies({ name: 'sid' });
    await enter(elsewhere, PEOPLE.marcus, 'home');
    expect(await sizeOf(elsewhere)).toBe(16);
    await elsewhere.context().close();
    // other tests measure her pages as they were
    await page.goto('profile/reading');
    await page.getByLabel('Usual').check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('Settings saved.')).toBeVisible();
    expect(await sizeOf(page)).toBe(16);
  });
});

test('a page is read aloud without its controls, and silence is one press away', async ({ page }) => {
  await page.setViewportSize(DESK);
  await page.addInitScript(() => {
    const said: string[] = [];
    const voice = {
      speaking: false,
      pending: false,
      speak: (part: SpeechSynthesisUtterance) => {
        voice.speaking = true;
        said.push(`${part.lang} ${part.text}`);
      },
      cancel: () => {
        voice.speaking = false;
      },
    };
    Object.defineProperty(window, 'speechSynthesis', { value: voice });
    Object.assign(window, { said });
  });
  await enter(page, PEOPLE.olivia, 'profile/reading');
  await expect(page.getByRole('button', { name: 'Read this page aloud' })).toHaveCount(0);
  await page.getByLabel('Show a button that reads pages aloud').check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const button = page.getByRole('button', { name: 'Read this page aloud' });
  await button.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Stop reading' })).toBeFocused();
  const said = await page.evaluate(() => (window as unknown as { said: string[] }).said);
  expect(said).toContain('en-US Reading: size, plain words, voice');
  expect(said.join(' ')).not.toContain('Save');
  await page.keyboard.press('Enter');
  await expect(button).toBeFocused();
  // other tests find her pages as they were
  await page.getByLabel('Show a button that reads pages aloud').uncheck();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(button).toHaveCount(0);
});
