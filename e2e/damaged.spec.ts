import type { Portal } from './support/portal.ts';
import { linkInMailbox, pdf } from './support/steps.ts';
import { enter, expect, PEOPLE, test } from './support/test.ts';

const NAME = 'Soon damaged.pdf';
const NOWHERE = '12345678-0000-4000-8000-000000000001';

/** Deletes the stored bytes of a document, in whichever blob store this portal uses. */
async function damage(portal: Portal, name: string): Promise<void> {
  const blob = `(select blob_key from documents where name = '${name}')`;
  await portal.sql(`update blobs set blob_key = '${NOWHERE}', wrapped_key = null where blob_key = ${blob}`);
  await portal.sql(`update documents set blob_key = '${NOWHERE}' where name = '${name}'`);
}

test('a damaged document is explained when downloaded, opened, and behind a link', async ({
  page,
  browser,
  portal,
  trouble,
}) => {
  await enter(page, PEOPLE.olivia);
  const form = page.locator('form[action*="/api/storage"][action*="/documents"]').first();
  const upload = portal.origin + new URL(String(await form.getAttribute('action')), page.url()).pathname;
  const file = { name: NAME, mimeType: 'application/pdf', buffer: pdf('damage') };
  const answer = await page.request.post(`${upload}?notify=false`, {
    headers: { Origin: portal.origin },
    multipart: { 'file[]': file },
  });
  const { data } = (await answer.json()) as { data: { id: string }[] };
  const documentId = data[0]?.id ?? '';
  await page.request.post(`${portal.origin}/api/storage/v2/sharing/share`, {
    headers: { Origin: portal.origin },
    data: {
      expirationPeriod: 'AfterOneDay',
      overrides: { subject: 'A damaged one' },
      recipients: [{ emailAddress: 'damaged@supplier.example' }],
      sharedItems: [{ containerType: 'Folder', containerId: '-', documentId }],
    },
  });
  const { link } = await linkInMailbox(page, 'A damaged one');
  await damage(portal, NAME);
  trouble.expect(/the portal logged .*"event":"blob.damaged"/);
  trouble.expect(/answered 500: document /);

  await page.goto(`../pt/documents/${documentId}/view`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Arquivo danificado');
  await page.goto('../pt/documents');
  const row = page.getByRole('row', { name: NAME });
  await expect(row).toContainText('Danificado: não pode ser aberto.');
  await row.getByRole('link', { name: 'Baixar' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Arquivo danificado');

  const stranger = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await stranger.goto(link.replace('/en-us/', '/fr/'));
  await stranger.getByRole('button').last().click();
  const preview = stranger.getByRole('listitem').locator('img');
  await expect
    .poll(
      () => preview.evaluate((image: HTMLImageElement) => image.naturalWidth),
      'an empty image, no broken one',
    )
    .toBe(1);
  await stranger
    .getByRole('link', { name: /Télécharger/ })
    .first()
    .click();
  await expect(stranger.getByRole('heading', { level: 1 })).toHaveText('Le fichier enregistré est endommagé');
  await stranger.context().close();
  // later tests pick from her documents, and read the inbox
  await portal.sql(`update inbox_items set done_at = 1 where kind = 'damaged'`);
  await portal.sql(`update documents set deleted_at = 1 where name = '${NAME}'`);
});
