import type { Page } from 'playwright/test';
import sharp from 'sharp';
import { drawnPages } from '../tests/support/pdf-pages.ts';
import { expectUsable } from './support/accessibility.ts';
import { ONE_SIZE, PEOPLE, enter, expect, test } from './support/test.ts';

const PLACE = 'CANARY-PLACE';

interface Photo {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

/** Creates a photo like one taken upright with a phone: rotated by its EXIF orientation, with a location. */
async function photo(color: string): Promise<Photo> {
  const buffer = await sharp({ create: { width: 2600, height: 1950, channels: 3, background: color } })
    .withMetadata({ orientation: 6 })
    .withExif({ IFD0: { Make: PLACE }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '41/1 52/1 0/1' } })
    .jpeg()
    .toBuffer();
  expect([buffer.includes(PLACE), (await sharp(buffer).metadata()).orientation]).toEqual([true, 6]);
  return { name: `${color}.jpg`, mimeType: 'image/jpeg', buffer };
}

/** Downloads a document and returns its pages, for example `upright red`; expects no photo metadata in it. */
async function fetchPages(page: Page, name: string): Promise<string[]> {
  const row = page.getByRole('row', { name: new RegExp(name) });
  const address = await row.locator('a.get').getAttribute('href'); // on phones it is in the menu of the row
  const bytes = await (await page.request.get(address ?? '')).body();
  expect([bytes.includes(PLACE), bytes.includes('Exif\0')]).toEqual([false, false]);
  return drawnPages(bytes).map(({ pixels, width, height }) => {
    const middle = (Math.floor(height / 2) * width + Math.floor(width / 2)) * 4;
    const brightest = [...pixels.subarray(middle, middle + 3)].map((value) => value > 100);
    const color = brightest.every((one) => one === brightest[0])
      ? 'grey'
      : (['red', 'green', 'blue'][brightest.indexOf(true)] ?? '');
    return `${width > height ? 'lying' : 'upright'} ${color}`;
  });
}

const choose = (page: Page, photos: Photo[]): Promise<void> =>
  page.locator('input[name="file[]"]').setInputFiles(photos);

for (const { width, height } of ONE_SIZE) {
  test.describe(`${width} px`, () => {
    test.use({ viewport: { width, height } });

    test('a contact photographs three pages, corrects them and uploads them as one PDF, with the keyboard', async ({
      page,
    }) => {
      await enter(page, PEOPLE.olivia);
      await page.getByRole('link', { name: 'Scan documents' }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Scan documents');
      await choose(page, [
        await photo('#ff0000'),
        await photo('#00ff00'),
        { name: 'letter.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no photo') },
      ]);
      await expect(page.locator('#alerts')).toContainText('letter.jpg can’t be read as a photo.');
      await expect(page.getByText('2 pages added.')).toBeVisible();
      await choose(page, [await photo('#0000ff')]);
      await expect(page.locator('.scan-page')).toHaveCount(3);
      await expectUsable(page, 'the scanner with pages', [320, width]);

      const press = async (name: string): Promise<void> => {
        await page.getByRole('button', { name, exact: true }).focus();
        await page.keyboard.press('Enter');
      };
      await press('Move page 3 up');
      await expect(page.getByText('Page 3 is now page 2.')).toBeVisible();
      await expect(page.getByRole('button', { name: 'Move page 2 up' })).toBeFocused();
      await page.keyboard.press('Enter');
      await expect(page.getByRole('button', { name: 'Move page 1 down' })).toBeFocused();
      await press('Remove page 2');
      await expect(page.getByRole('button', { name: 'Undo' })).toBeFocused();
      await page.keyboard.press('Enter');
      await expect(page.getByRole('button', { name: 'Remove page 2' })).toBeFocused();
      await expect(page.locator('.scan-page')).toHaveCount(3);
      await press('Remove page 3');
      await press('Rotate page 2');
      await page.getByLabel('Document name').fill('setup.exe');
      await page.keyboard.press('Enter');
      await expect(page.getByLabel('Document name')).toBeFocused();
      await expect(page.getByText('This name ends like a program.')).toBeVisible();
      await page.getByLabel('Document name').fill(`Rent contract ${width}`);
      await page.keyboard.press('Enter');
      await expect(page).toHaveURL(/\/documents$/);
      await expect(page.locator('#alerts')).toContainText(`Rent contract ${width}.pdf uploaded.`);
      expect(await fetchPages(page, `Rent contract ${width}`)).toEqual(['upright blue', 'lying red']);
    });
  });
}

test('a photo that is still being read when the scan is submitted is in the document, which is uploaded once', async ({
  page,
}) => {
  await page.addInitScript(() => {
    const { promise, resolve } = Promise.withResolvers<void>();
    document.addEventListener('read-on', () => resolve());
    const decode = createImageBitmap;
    window.createImageBitmap = async (...photo: unknown[]) => {
      await promise;
      return (decode as (...photo: unknown[]) => Promise<ImageBitmap>)(...photo);
    };
  });
  await enter(page, PEOPLE.olivia, 'documents/scan');
  await page.getByLabel('Document name').fill('Slow phone');
  await choose(page, [await photo('#0000ff')]);
  await expect(page.getByText('Reading photo 1 of 1')).toBeVisible();
  const uploads: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('onConflict=rename'))
      uploads.push(request.url());
  });
  const submit = page.getByRole('button', { name: 'Upload PDF' });
  await submit.click();
  await submit.click();
  await page.evaluate(() => document.dispatchEvent(new Event('read-on')));
  await expect(page.locator('#alerts')).toContainText('Slow phone.pdf uploaded.');
  expect(await fetchPages(page, 'Slow phone')).toEqual(['upright blue']);
  expect(uploads).toHaveLength(1);
});

test('scanned pages survive a lost connection, and the scan is uploaded to its folder when it is back', async ({
  page,
  context,
  portal,
  trouble,
}) => {
  trouble.expect(/request failed: net::ERR_INTERNET_DISCONNECTED/);
  await enter(page, PEOPLE.olivia);
  const [folder] = await portal.sql(
    "select container_id from containers where name = 'Bank statements' and client_id in (select client_id from client_contacts join contacts using (contact_id) where full_name = 'Olivia Bennett')",
  );
  await page.goto(`documents/scan?folder=${String(folder?.['container_id'])}`);
  await expect(page.getByText('Save to Bank statements')).toBeVisible();
  await page.getByRole('button', { name: 'Upload PDF' }).click();
  await expect(page.getByText('Take or choose a photo first.')).toBeVisible();
  await choose(page, [await photo('#0000ff')]);
  await page.getByLabel('Black and white').check();
  await page.getByLabel('Document name').fill('Dead line');
  await context.route('**/documents?onConflict=rename', (route) => route.abort('internetdisconnected'), {
    times: 1,
  });
  await page.getByRole('button', { name: 'Upload PDF' }).click();
  await expect(page.locator('#alerts')).toContainText(
    'Not uploaded yet. Your pages are still here. The connection was lost. Try again.',
  );
  await page.getByRole('button', { name: 'Upload PDF' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Bank statements');
  expect(await fetchPages(page, 'Dead line')).toEqual(['upright grey']);
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('scanning works as a plain form, and is not offered where the firm hides it', async ({
    page,
    portal,
  }) => {
    await enter(page, PEOPLE.olivia);
    await page.getByRole('link', { name: 'Scan documents' }).click();
    const heic = {
      name: 'IMG_7.HEIC',
      mimeType: 'image/heic',
      buffer: Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'),
    };
    await choose(page, [await photo('#ff0000'), heic]);
    await page.getByRole('button', { name: 'Upload PDF' }).click();
    await expect(page).toHaveURL(/\/documents\/scan$/);
    await expect(page.getByRole('alert')).toContainText('IMG_7.HEIC is a HEIC photo');
    await choose(page, [await photo('#ff0000'), await photo('#00ff00')]);
    await expect(page.getByLabel('Document name')).toHaveValue(/^Scan \d{4}-\d\d-\d\d$/);
    await page.getByLabel('Document name').fill('By a plain form');
    await page.getByRole('button', { name: 'Upload PDF' }).click();
    await expect(page).toHaveURL(/\/documents$/);
    await expect(page.getByRole('status').first()).toContainText('By a plain form.pdf uploaded.');
    expect(await fetchPages(page, 'By a plain form')).toEqual(['upright red', 'upright green']);

    await portal.sql(
      "insert into access_settings (company_id, contact_id, kind, name, granted) select company_id, contact_id, 'control', 'HideScanFromDevice', 1 from contacts where full_name = 'Olivia Bennett'",
    );
    await page.goto('documents');
    await expect(page.getByRole('form', { name: 'Upload documents' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Scan documents' })).toBeHidden();
    await page.goto('documents/scan');
    await expect(page).toHaveURL(/\/not-authorized$/);
    await portal.sql("delete from access_settings where name = 'HideScanFromDevice'");
  });
});
