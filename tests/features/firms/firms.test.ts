import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  createFirm,
  firmForVisitor,
  firmLogo,
  firmOf,
  themeStylesheet,
} from '#features/base/firms/firms.server.ts';
import { firmsCalled } from '#features/base/firms/lookup.server.ts';
import { DEFAULT_COLORS } from '#features/base/firms/firms.ts';
import { sweepBlobs } from '#platform/storage/blobs.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { contrast } from '#platform/text/contrast.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { migrate } from '#platform/database/database.server.ts';
import { blobFiles, everyRow, fileOf, readAll } from '../../support/cast.ts';

await migrate();
const base = {
  name: 'Maple & Hart',
  phone: '+1 312 555 0142',
  email: 'office@one.example',
  language: 'en-us',
};
const READABLE = 4.5;
const pages = { light: '#ffffff', dark: '#1c1b19' };

/** The custom properties of a theme, in the light and the dark colour scheme. */
async function coloursOf(companyId: string) {
  const [light = '', dark = ''] = (await themeStylesheet(companyId)).split(
    '@media (prefers-color-scheme:dark)',
  );
  const read = (css: string) =>
    Object.fromEntries(
      [...css.matchAll(/--firm-([a-z-]+):(#[0-9a-f]+)/gi)].map(([, name, colour]) => [name, colour]),
    ) as Record<string, string>;
  return { light: read(light), dark: { ...read(light), ...read(dark) } };
}

test('a visitor sees the only firm; with two firms, none until the address or the cookie names one', async () => {
  expect(await firmForVisitor(undefined)).toBeUndefined();
  const one = await createFirm(base);
  expect((await firmForVisitor(undefined))?.companyId).toBe(one);
  expect((await firmForVisitor('firm_nobody'))?.companyId).toBe(one);
  const two = await createFirm({ ...base, name: 'Second' });
  expect(await firmForVisitor(undefined)).toBeUndefined();
  expect(await firmForVisitor("' or 1=1 --")).toBeUndefined();
  expect((await firmForVisitor(two))?.name).toBe('Second');
  expect((await firmForVisitor(one, two))?.companyId).toBe(one);
  expect((await firmForVisitor('firm_nobody', two))?.companyId).toBe(two);
});

describe('a firm', () => {
  test('a firm has the default theme of the spec until it chooses its own', async () => {
    const firm = await firmOf(await createFirm(base));
    expect(firm).toMatchObject({
      name: 'Maple & Hart',
      locked: false,
      theme: {
        headerLine1: 'Maple & Hart',
        logoUrl: null,
        buttonFillColor: DEFAULT_COLORS.buttonFillColor,
        buttonTextColor: '#ffffff',
      },
    });
  });

  test('a firm is found by its id or by its name', async () => {
    const [one, two] = [
      await createFirm({ ...base, name: 'Same Name' }),
      await createFirm({ ...base, name: 'Same Name' }),
    ];
    expect([
      await firmsCalled(one),
      (await firmsCalled('Same Name')).map(({ companyId }) => companyId).toSorted(),
      await firmsCalled('Nobody'),
    ]).toEqual([[{ companyId: one, name: 'Same Name' }], [one, two].toSorted(), []]);
  });

  test('an unknown firm is not found', async () => {
    for (const work of [firmOf, themeStylesheet, firmLogo])
      await expect(work(newId('firm'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('a firm keeps its logo, byte for byte, also after a sweep of the blob store', async () => {
    const png = await readFile(
      path.join(import.meta.dirname, '../../../src/features/demo/demo/logos/aurora.png'),
    );
    const id = await createFirm({ ...base, logo: { bytes: fileOf(png), type: 'image/png' } });
    const logo = await firmLogo(id);
    expect([logo.type, (await readAll(logo.bytes)).equals(png)]).toEqual(['image/png', true]);
    expect((await firmOf(id)).theme.logoUrl).toMatch(new RegExp(`^/theme/${id}/[0-9a-f]{12}/logo$`));
    await sweepBlobs(Date.now() + HOUR);
    expect((await readAll((await firmLogo(id)).bytes)).equals(png)).toBe(true);
    await expect(firmLogo(await createFirm(base))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('the stylesheet URL of a firm changes when its colours change', async () => {
    const address = async (headerFillColor: string) =>
      (await firmOf(await createFirm({ ...base, colors: { headerFillColor } }))).theme.stylesheetUrl.split(
        '/',
      )[3];
    expect(await address('#112233')).not.toBe(await address('#112234'));
  });

  test('a firm with a logo that is too large is not created, and nothing is left behind', async () => {
    const [rows, files] = [await everyRow(), await blobFiles()];
    await expect(
      createFirm({ ...base, logo: { bytes: fileOf(Buffer.alloc(1024 * 1024 + 1)), type: 'image/png' } }),
    ).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect([await everyRow(), await blobFiles()]).toEqual([rows, files]);
  });
});

describe('the colours of a firm', () => {
  test.each([
    'red',
    '#fff',
    '#12345',
    '#1234567',
    '#12345g',
    'rgb(0,0,0)',
    '',
    '#003565;}body{display:none',
    '#003565\n',
    ' #003565',
    'url(https://evil.example)',
    '#００３５６５',
  ])('a colour has six hexadecimal digits; %j is refused and nothing is stored', async (colour) => {
    const before = await everyRow();
    for (const name of Object.keys(DEFAULT_COLORS))
      await expect(createFirm({ ...base, colors: { [name]: colour } })).rejects.toMatchObject({
        code: 'INVALID',
        details: { field: 'colors' },
      });
    expect(await everyRow()).toEqual(before);
  });

  const hostile = [
    '#ffffff',
    '#000000',
    '#ffff00',
    '#777777',
    '#767676',
    '#808080',
    '#00ff00',
    '#0000ff',
    '#ff0000',
    '#1c1b19',
    '#fefefe',
    '#FFC0CB',
    '#003565',
    '#b4472e',
    '#595959',
    '#949494',
  ];
  const pairs = hostile.flatMap((fill) => [fill, '#ffffff', '#808080'].map((text) => [fill, text] as const));

  test.each(pairs)(
    'text is readable with any colours of the firm: %s with the text %s',
    async (fill, text) => {
      const colours = await coloursOf(
        await createFirm({
          ...base,
          colors: {
            headerFillColor: fill,
            headerTextColor: text,
            buttonFillColor: fill,
            buttonTextColor: text,
          },
        }),
      );
      for (const scheme of ['light', 'dark'] as const) {
        const {
          header = '',
          'header-text': headerText = '',
          button = '',
          'button-text': buttonText = '',
          accent = '',
        } = colours[scheme];
        expect(contrast(header, headerText), `header, ${scheme}`).toBeGreaterThanOrEqual(READABLE);
        expect(contrast(button, buttonText), `button, ${scheme}`).toBeGreaterThanOrEqual(READABLE);
        expect(contrast(accent, pages[scheme]), `accent, ${scheme}`).toBeGreaterThanOrEqual(READABLE);
      }
    },
  );

  test.each(hostile)(
    'the fill or border of a button stands out from the page in both colour schemes: %s',
    async (fill) => {
      const colours = await coloursOf(await createFirm({ ...base, colors: { buttonFillColor: fill } }));
      for (const scheme of ['light', 'dark'] as const) {
        const strongest = Math.max(
          ...['button', 'edge'].map((name) =>
            contrast(colours[scheme][name] ?? pages[scheme], pages[scheme]),
          ),
        );
        expect(strongest, scheme).toBeGreaterThanOrEqual(3);
      }
    },
  );

  test("the firm's own colours are kept where they are readable", async () => {
    const { light } = await coloursOf(
      await createFirm({ ...base, colors: { headerFillColor: '#1f4037', headerTextColor: '#f0f0f0' } }),
    );
    expect([light['header'], light['header-text']]).toEqual(['#1f4037', '#f0f0f0']);
  });

  test('the button in a mail is readable too', async () => {
    const { theme } = await firmOf(
      await createFirm({ ...base, colors: { buttonFillColor: '#ffff00', buttonTextColor: '#ffffff' } }),
    );
    expect(contrast(theme.buttonFillColor, theme.buttonTextColor)).toBeGreaterThanOrEqual(READABLE);
  });
});
