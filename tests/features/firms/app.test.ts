import sharp from 'sharp';
import { expect, test } from 'vitest';
import { appAddresses, appFile } from '#features/base/firms/app.server.ts';
import { createFirm, firmOf } from '#features/base/firms/firms.server.ts';
import { savedThemeOf, saveTheme } from '#features/base/firms/theme-settings.server.ts';
import { db, migrate } from '#platform/database/database.server.ts';
import '../../../src/app.server.ts';

/* The portal as an app of the firm: its manifest and icons (docs/decisions/0125). */

await migrate();
const companyId = await createFirm({
  name: 'Maple & Hart <CPAs>',
  phone: '',
  email: 'office@one.example',
  language: 'en-us',
});
const decorator = { companyId, contactId: 'contact_1', access: { permissions: new Set(['ManageFirm']) } };

interface Manifest {
  id: string;
  start_url: string;
  scope: string;
  name: string;
  short_name: string;
  lang: string;
  theme_color: string;
  icons: { src: string; sizes: string; purpose: string }[];
  shortcuts: { name: string; url: string }[];
}

const nameIn = (address: string): string => address.split('/').at(-1) ?? '';
const manifestOf = async (lang: 'en-us' | 'pt'): Promise<Manifest> => {
  const file = await appFile(companyId, `${lang}.webmanifest`);
  expect(file?.type).toBe('application/manifest+json');
  return JSON.parse(String(file?.content)) as Manifest;
};

/** The colors of an icon at its edge and in its middle, as `#rrggbb`. */
async function colorsOf(name: string): Promise<{ size: number; corner: string; colors: Set<string> }> {
  const file = await appFile(companyId, name);
  expect(file?.type).toBe('image/png');
  const { data, info } = await sharp(file?.content as Buffer)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const colors = new Set<string>();
  for (let at = 0; at < data.length; at += 3) colors.add(`#${data.subarray(at, at + 3).toString('hex')}`);
  return { size: info.width, corner: `#${data.subarray(0, 3).toString('hex')}`, colors };
}

test('the manifest has the name, the colors and the pages of the firm, in the language of its address', async () => {
  const manifest = await manifestOf('pt');
  expect(manifest).toMatchObject({
    id: `/clientcenter/?firm=${companyId}`,
    name: 'Maple & Hart <CPAs>',
    lang: 'pt-BR',
    start_url: `/clientcenter/pt/?firm=${companyId}&source=app`,
    scope: '/clientcenter/',
    theme_color: '#003565',
  });
  expect(manifest.short_name.length).toBeLessThanOrEqual(12);
  expect(manifest.shortcuts.map(({ name }) => name)).toEqual(['Tarefas', 'Documentos']);
  expect(manifest.icons.map(({ sizes, purpose }) => [sizes, purpose])).toEqual([
    ['192x192', 'any'],
    ['512x512', 'any'],
    ['512x512', 'maskable'],
  ]);
  expect((await manifestOf('en-us')).lang).toBe('en-US');
});

test('icons have the initials of the firm on the color of its header, and then its logo', async () => {
  for (const { src, sizes } of (await manifestOf('en-us')).icons) {
    const { size, corner, colors } = await colorsOf(nameIn(src));
    expect([`${size}x${size}`, corner]).toEqual([sizes, '#003565']);
    expect(colors, 'the letters').toContain('#ffffff');
  }
  const before = appAddresses(await firmOf(companyId), 'en-us');
  const logo = await sharp({ create: { width: 300, height: 100, channels: 3, background: '#ff0000' } })
    .png()
    .toBuffer();
  const { values, version } = await savedThemeOf(decorator);
  await saveTheme(decorator, { ...values, headerFillColor: '#114411' }, { version, logo });
  const { corner, colors } = await colorsOf('icon-512.png');
  expect(corner).toBe('#114411');
  expect(colors).toContain('#ff0000');
  const after = appAddresses(await firmOf(companyId), 'en-us');
  expect(after.manifest, 'another address for other content').not.toBe(before.manifest);
  expect(after.icon).not.toBe(before.icon);
});

test('another name of the firm is another address', async () => {
  const before = appAddresses(await firmOf(companyId), 'en-us');
  await db().updateTable('firms').set({ name: '™' }).where('company_id', '=', companyId).execute();
  expect(appAddresses(await firmOf(companyId), 'en-us').manifest).not.toBe(before.manifest);
  const { values, version } = await savedThemeOf(decorator);
  await saveTheme(decorator, values, { version, logo: 'none' });
  expect((await colorsOf('icon-192.png')).size, 'a name without letters').toBe(192);
});

test('there are no other files, and none of a firm that does not exist', async () => {
  for (const name of ['xx-yy.webmanifest', 'icon-1024.png', 'toString', 'theme.css', 'logo', ''])
    expect(await appFile(companyId, name), name).toBeUndefined();
  for (const name of ['en-us.webmanifest', 'icon-192.png'])
    await expect(appFile('firm_none', name)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
