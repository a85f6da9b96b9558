import { enter, expect, PEOPLE, signIn, test } from './support/test.ts';

test('every spelling of a language code redirects to its canonical address and keeps path and query', async ({
  request,
  portal,
}) => {
  const where = async (path: string): Promise<string> => {
    const response = await request.get(portal.origin + path, { maxRedirects: 0 });
    return `${response.status()} ${response.headers()['location'] ?? ''}`;
  };
  const cases = {
    en: 'en-us',
    'en/us': 'en-us',
    'en/gb': 'en-gb',
    'en/ca': 'en-ca',
    'es-ar': 'es',
    'pt-br': 'pt',
    'fr-ca': 'fr',
    'EN-US': 'en-us',
    'PT-BR': 'pt',
  };
  for (const [given, meant] of Object.entries(cases))
    expect(await where(`/clientcenter/${given}/auth?r=%2Fx`)).toBe(`308 /clientcenter/${meant}/auth?r=%2Fx`);
  expect(await where('/')).toBe('302 /clientcenter/en-us/');
  for (const wrong of [
    '/clientcenter/zz/auth',
    '/clientcenter/english/auth',
    '/other/en-us/auth',
    '/clientcenter/e/auth',
    '/favicon.ico',
  ])
    expect(await where(wrong)).toBe('404 ');
});

test('the language dialog warns on a local host and its links show the same page in each language', async ({
  page,
}) => {
  await page.goto('documents');
  await signIn(page, PEOPLE.olivia);
  await page.goto('documents?orderBy=name&orderDir=asc');
  await page.getByRole('link', { name: 'English (United States)' }).click();
  const dialog = page.getByRole('dialog', { name: 'Choose a language' });
  await expect(dialog.getByRole('alert')).toContainText('is running on this computer');
  for (const [name, segment, lang] of [
    ['Português (Brasil)', 'pt', 'pt-BR'],
    ['Español (Argentina)', 'es', 'es-AR'],
    ['Français (Canada)', 'fr', 'fr-CA'],
    ['English (Australia)', 'en-au', 'en-AU'],
  ] as const) {
    const link = page.locator('#language-dialog').getByRole('link', { name });
    if (!(await link.isVisible())) await page.locator('[data-dialog=language-dialog]').click();
    await link.click();
    await expect(page).toHaveURL(
      new RegExp(`/clientcenter/${segment}/documents\\?orderBy=name&orderDir=asc`),
    );
    await expect(page.locator('html')).toHaveAttribute('lang', lang);
    await expect.poll(() => page.evaluate(() => localStorage.getItem('ccLanguage'))).toBe(lang);
  }
});

test("the first visit uses the browser's language", async ({ request, portal }) => {
  const response = await request.get(`${portal.origin}/`, {
    maxRedirects: 0,
    headers: { 'Accept-Language': 'nl;q=0.9, fr;q=0.8, en;q=0.1' },
  });
  expect(response.headers()['location']).toBe('/clientcenter/fr/');
});

test('times in the zone of the reader have 24 hours in Argentina, and 12 in the United States', async ({
  page,
  portal,
}) => {
  await enter(page, PEOPLE.olivia);
  const documentId = await page.locator('#document-list input[name=id]').first().getAttribute('value');
  const shared = await page.request.post('/api/storage/v2/sharing/share', {
    data: {
      locale: 'en-US',
      expirationPeriod: 'AfterOneDay',
      recipients: [{ emailAddress: 'hours@supplier.example' }],
      overrides: { subject: 'Hours' },
      sharedItems: [{ containerType: 'Folder', containerId: '-', documentId }],
    },
    headers: { Origin: portal.origin },
  });
  expect(shared.status()).toBe(200);
  for (const [lang, hours] of [
    ['es', /\d{1,2}:\d{2}$/],
    ['en-us', /\d{1,2}:\d{2}\s[AP]M$/],
  ] as const) {
    await page.goto(`../${lang}/shares`);
    await page.locator('.links tbody th a').first().click();
    await expect(page.locator('article time[data-local]').first()).toHaveText(hours);
  }
});
