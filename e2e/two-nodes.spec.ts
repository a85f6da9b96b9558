import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { startTwoNodes } from './support/nodes.ts';
import { linkInMailbox, pdf } from './support/steps.ts';
import { expect, PEOPLE, signIn, test } from './support/test.ts';

test.use({ baseURL: '' }); // starts its own nodes

test('two nodes act as one portal: any request may go to either, and when one stops the other continues', async ({
  page,
  browser,
}) => {
  test.setTimeout(120_000);
  const { first, second, balancer, startAnother, remove } = await startTwoNodes();
  balancer.sendTo(first.origin, second.origin);

  await page.goto(`${balancer.origin}/clientcenter/en-us/documents`);
  await signIn(page, PEOPLE.olivia);
  await expect(page).toHaveURL(/\/clientcenter\/en-us\/documents$/);
  await expect(page.getByText(/^1–100 of 1\d\d$/)).toBeVisible();

  const uploadAs = async (name: string, bytes: Buffer): Promise<void> => {
    await page
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'application/pdf', buffer: bytes });
    await expect(page.getByText(`${name} uploaded.`)).toBeVisible();
  };
  const fetch = async (name: string): Promise<string> => {
    const link = page.getByRole('row', { name: new RegExp(name) }).getByRole('link', { name: 'Download' });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    return digest(await readFile(await download.path()));
  };
  const oven = pdf('The oven invoice');
  await uploadAs('Oven invoice.pdf', oven);
  for (let times = 0; times < 4; times += 1) {
    await page.reload();
    expect(await fetch('Oven invoice')).toBe(digest(oven));
  }
  for (const { origin } of [first, second])
    expect(balancer.answered.get(origin), `${origin} answered its part`).toBeGreaterThan(10);

  await first.stop();
  const answeredByFirst = balancer.answered.get(first.origin);
  const fridge = pdf('The fridge invoice');
  await uploadAs('Fridge invoice.pdf', fridge);
  await page.reload();
  expect(await fetch('Oven invoice')).toBe(digest(oven));

  await page
    .getByRole('row', { name: /Fridge invoice/ })
    .getByRole('checkbox')
    .check();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('To', { exact: true }).fill('mara@supplier.example');
  await dialog.getByLabel('Subject').fill('The fridge');
  await dialog.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(dialog.getByRole('heading', { name: 'Shared with mara@supplier.example' })).toBeVisible();
  const { link } = await linkInMailbox(page, 'The fridge');
  expect(link).toContain(balancer.origin);
  expect(balancer.answered.get(first.origin)).toBe(answeredByFirst);

  const third = await startAnother(); // a node that starts later finds the existing data
  balancer.sendTo(third.origin, second.origin);
  const recipient = await (await browser.newContext()).newPage();
  await recipient.goto(link);
  await recipient.getByRole('button', { name: 'View document' }).click();
  const [fetched] = await Promise.all([
    recipient.waitForEvent('download'),
    recipient.getByRole('link', { name: /Download/ }).click(),
  ]);
  expect(digest(await readFile(await fetched.path()))).toBe(digest(fridge));
  expect(balancer.answered.get(third.origin)).toBeGreaterThan(0);

  await page.goto('about:blank'); // it may still load scripts, which no node serves any more
  await recipient.context().close();
  await Promise.all([second.stop(), third.stop()]);
  await remove();
});

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
