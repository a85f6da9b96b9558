import { PEOPLE, enter, expect, test } from './support/test.ts';

interface Manifest {
  name: string;
  start_url: string;
  icons: { src: string }[];
}

test('the home page is installed as an app of the firm, whose files visitors may read', async ({ page }) => {
  await enter(page, PEOPLE.olivia, 'home');
  const href = await page.locator('link[rel=manifest]').getAttribute('href');
  const browser = await page.context().newCDPSession(page);
  const read = await browser.send('Page.getAppManifest');
  expect(read.errors).toEqual([]);
  const { installabilityErrors } = await browser.send('Page.getInstallabilityErrors');
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual(
    [],
  );

  const asVisitor = (path: string) => fetch(new URL(path, page.url()));
  const answer = await asVisitor(href ?? '');
  expect(answer.headers.get('content-type')).toBe('application/manifest+json');
  const manifest = (await answer.json()) as Manifest;
  expect(manifest.name).toContain('Maple & Hart');
  for (const { src } of manifest.icons) {
    const icon = await asVisitor(src);
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/png']);
  }
  await page.goto(manifest.start_url);
  await expect(page).toHaveURL(/\/home/);
  await page.goto('documents');
  await expect(page.locator('link[rel=manifest]')).toHaveCount(0);
});
