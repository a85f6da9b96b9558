import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { Page } from 'playwright/test';
import { pdf } from './support/steps.ts';
import { ONE_SIZE, PEOPLE, enter, expect, test } from './support/test.ts';

/** Opens the documents and selects the first `count` of the list. */
async function choose(page: Page, count: number): Promise<void> {
  await page.goto('documents');
  const boxes = page.locator('#document-list input[name=id]');
  for (let i = 0; i < count; i += 1) await boxes.nth(i).check();
}

const listed = (zip: string): string[] =>
  (
    JSON.parse(
      execFileSync(
        'python3',
        [
          '-c',
          'import json,sys,zipfile;z=zipfile.ZipFile(sys.argv[1]);assert z.testzip() is None;print(json.dumps(z.namelist()))',
          zip,
        ],
        { encoding: 'utf8' },
      ),
    ) as string[]
  ).toSorted();

const named = (page: Page): Promise<string[]> =>
  page
    .locator('#document-list input[name=id]:checked')
    .evaluateAll((boxes) => boxes.map((box) => box.closest('tr')?.querySelector('bdi')?.textContent ?? ''));

for (const { width } of ONE_SIZE) {
  test.describe(`at ${width} px`, () => {
    test.use({ viewport: { width, height: 800 } });

    test('several documents are downloaded as one ZIP, and a single one as itself', async ({ page }) => {
      await enter(page, PEOPLE.olivia); // she has many documents
      await choose(page, 3);
      const names = await named(page);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download', exact: true }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(/^documents-\d{4}-\d\d-\d\d\.zip$/);
      const zip = await download.path();
      expect(execFileSync('unzip', ['-t', zip], { encoding: 'utf8' })).toContain('No errors detected');
      expect(
        listed(zip)
          .map((name) => name.slice(name.lastIndexOf('/') + 1))
          .toSorted(),
      ).toEqual(names.toSorted());
      await expect(page.locator('.export')).toContainText('Your ZIP file with 3 documents');
      await page.locator('.export').getByRole('button', { name: 'Close' }).click();
      await expect(page.locator('.export')).toHaveCount(0);
      await choose(page, 1);
      const [alone] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download', exact: true }).click(),
      ]);
      expect([alone.suggestedFilename()]).toEqual(await named(page));
    });

    test('a failed download names the missing files, and then downloads the rest or tries again', async ({
      page,
      portal,
    }) => {
      await enter(page, PEOPLE.olivia);
      await choose(page, 2);
      const [gone = '', kept = ''] = await named(page);
      const [id] = await page
        .locator('#document-list input[name=id]:checked')
        .evaluateAll((boxes) => boxes.map((box) => box.getAttribute('value') ?? ''));
      const remove = (at: string) =>
        portal.sql(`update documents set deleted_at = ${at} where document_id = '${id ?? ''}'`);
      await page.route('**/jobs/*/result', (route) =>
        route.request().method() === 'HEAD' ? remove('1').then(() => route.continue()) : route.continue(),
      );
      await page.getByRole('button', { name: 'Download', exact: true }).click();
      const alert = page.getByRole('alert').filter({ hasText: 'Nothing was downloaded' });
      await expect(alert).toContainText('1 document couldn’t be included');
      await expect(alert.getByRole('listitem')).toHaveText([gone]);
      await page.unroute('**/jobs/*/result');
      const [rest] = await Promise.all([
        page.waitForEvent('download'),
        alert.getByRole('link', { name: 'Download the others' }).click(),
      ]);
      expect(listed(await rest.path()).map((name) => name.slice(name.lastIndexOf('/') + 1))).toEqual([kept]);
      await remove('null');
      const [all] = await Promise.all([
        page.waitForEvent('download'),
        alert.getByRole('button', { name: 'Try again' }).click(),
      ]);
      expect(listed(await all.path())).toHaveLength(2);
    });

    test('a download shows its progress and can be canceled', async ({ page, portal }) => {
      await enter(page, PEOPLE.olivia);
      await choose(page, 3);
      // on a phone the button must be visible from here, too
      await page.locator('#document-list input[name=id]').last().scrollIntoViewIfNeeded();
      const holdAt = async (checked: number): Promise<void> => {
        await portal.sql("update jobs set done_at = 1 where kind = 'export'");
        await portal.sql(
          `update exports set status = 'PENDING', checked = ${checked} where status <> 'CANCELLED' and export_id = (select export_id from exports order by created_at desc limit 1)`,
        );
      };
      await page.route('**/partials/download?*', (route) => holdAt(2).then(() => route.continue()), {
        times: 1,
      });
      await page.getByRole('button', { name: 'Download', exact: true }).click();
      await expect(page.locator('.export')).toContainText('Preparing 2 of 3');
      await expect(page.locator('.export')).toBeInViewport();
      await holdAt(1);
      await expect(page.locator('.export')).toContainText('Preparing 1 of 3');
      await page.getByRole('button', { name: 'Cancel download' }).click();
      await expect(page.locator('.export')).toContainText('Download canceled.');
    });

    test.describe('with scripts off', () => {
      test.use({ javaScriptEnabled: false });

      test('a page starts the ZIP download and says when it is ready', async ({ page, portal }) => {
        await enter(page, PEOPLE.olivia);
        await choose(page, 2);
        await page.getByRole('button', { name: 'Download', exact: true }).click();
        await expect(page.getByRole('heading', { level: 1 })).toHaveText('Download documents');
        const link = page.getByRole('link', { name: 'Download ZIP' });
        await expect(link).toBeVisible({ timeout: 10_000 });
        const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
        expect(listed(await download.path())).toHaveLength(2);
        // the button appears only with a selection, so this is what an old page would send
        const answer = await page.request.post('documents/download', {
          form: { client: '' },
          headers: { Origin: portal.origin },
        });
        expect(await answer.text()).toContain('Select the documents you want to download');
      });
    });

    test('anyone with the file can look up a receipt and verify it', async ({ page, browser, portal }) => {
      await enter(page, PEOPLE.olivia);
      const bytes = pdf(`For the receipt ${width}`);
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: `Receipt ${width}.pdf`, mimeType: 'application/pdf', buffer: bytes });
      await expect(page.locator('#document-list')).toContainText(`Receipt ${width}.pdf`);
      await page.goto('receipts');
      await page
        .getByRole('row', { name: new RegExp(`Receipt ${width}\\.pdf`) })
        .getByRole('link')
        .click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Confirmation \d+$/);
      await expect(page.getByRole('main')).toContainText(createHash('sha256').update(bytes).digest('hex'));
      const definitionOf = async (term: string): Promise<string> =>
        (await page.locator(`dl > div:has(dt:text-is("${term}")) dd`).innerText()).trim();
      const [number, code] = [await definitionOf('Number'), await definitionOf('Code')];
      const stranger = await (await browser.newContext({ viewport: { width, height: 800 } })).newPage();
      const check = async (file: Buffer): Promise<void> => {
        await stranger.goto(`${portal.origin}/clientcenter/en-us/verify`);
        await stranger.getByLabel('Number').fill(number);
        await stranger.getByLabel('Code').fill(code.toLowerCase());
        await stranger
          .getByLabel('File (optional)', { exact: true })
          .setInputFiles({ name: 'mine.pdf', mimeType: 'application/pdf', buffer: file });
        await expect(stranger.getByText('The fingerprint of mine.pdf was added.')).toBeVisible();
        await stranger.getByRole('button', { name: 'Verify', exact: true }).click();
      };
      await check(bytes);
      await expect(
        stranger
          .getByRole('status')
          .filter({ hasText: 'Valid. Issued by Maple & Hart CPAs for exactly this file.' }),
      ).toBeVisible();
      await check(pdf('Another file'));
      await expect(stranger.getByRole('alert')).toContainText('Not valid.');
      await stranger.context().close();
    });
  });
}
