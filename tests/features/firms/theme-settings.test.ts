import fc from 'fast-check';
import sharp from 'sharp';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  allowedLogout,
  savedThemeOf,
  resetTheme,
  saveTheme,
  themeOf,
} from '#features/base/firms/theme-settings.server.ts';
import {
  firmBanner,
  firmLogo,
  firmOf,
  previewStylesheet,
  previewUrl,
  themeStylesheet,
} from '#features/base/firms/firms.server.ts';
import { DEFAULT_COLORS } from '#features/base/firms/firms.ts';
import type { ThemeInput } from '#features/base/firms/theme.ts';
import { config } from '#platform/runtime/config.server.ts';
import { contrast, mix } from '#platform/text/contrast.ts';
import { MAX_IMAGE_BYTES } from '#features/base/firms/theme.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs } from '../../support/api.ts';
import { everyRow, makeCast, person, readAll } from '../../support/cast.ts';
import corpus from '../../corpora/themes.json' with { type: 'json' };

/*
 * The theme of a firm: who may change it, what it accepts, and what no theme can do (threat-model.md T69,
 * T79, T21).
 */

const { firmOne, firmTwo, ada, sam, zoe } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
config.logoutHosts.push('www.firm.example');

const worn = async (): Promise<{ values: ThemeInput; version: string }> => savedThemeOf(olga);
const image = (format: 'png' | 'jpeg' | 'webp', width = 200, height = 80): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#1f4037' } })
    .withExif({ IFD0: { Copyright: 'CANARY-EXIF' } })
    .toFormat(format)
    .toBuffer();

beforeEach(async () => {
  await resetTheme(olga, (await worn()).version);
});

describe('the theme of a firm', () => {
  test('those who manage the firm change its theme as a whole, with an audit entry, and another firm with the same version keeps its own', async () => {
    const { values, version } = await worn();
    const ofTwo = async () =>
      db().selectFrom('themes').selectAll().where('company_id', '=', firmTwo).executeTakeFirstOrThrow();
    await db().updateTable('themes').set({ version }).where('company_id', '=', firmTwo).execute();
    const before = await ofTwo();
    const changed: ThemeInput = {
      ...values,
      headerFillColor: '#FFEE00',
      headerLine1: 'Maple',
      loginPageText: 'Welcome\nto us',
      loginBackground: 'stripes',
      logoutUrl: 'https://www.firm.example/bye',
      announcement: 'Closed on Friday',
      timeZone: 'America/Chicago',
    };
    await saveTheme(olga, changed, { version });
    expect(await firmOf(firmOne)).toMatchObject({
      announcement: 'Closed on Friday',
      timeZone: 'America/Chicago',
      theme: { headerLine1: 'Maple', loginBackground: 'stripes', leaveFor: 'https://www.firm.example/bye' },
    });
    expect(await themeStylesheet(firmOne)).toContain('--firm-header:#ffee00;--firm-header-text:#000000');
    expect((await worn()).version).not.toBe(version);
    expect(await ofTwo()).toEqual(before);
    const entry = await db()
      .selectFrom('audit')
      .select(['actor', 'details'])
      .where('action', '=', 'theme.change')
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
    expect(entry.actor).toBe(olga.contactId);
    expect(entry.details).toContain(
      'header_fill_color header_line1 login_page_text login_background logout_url announcement time_zone',
    );
  });

  test.each([
    ['a contact', ada],
    ['staff without the right', sam],
    ['a contact of the other firm', zoe],
  ])('the theme cannot be changed by %s', async (_, actor) => {
    const { values, version } = await worn();
    const before = await everyRow();
    for (const work of [
      () => savedThemeOf(actor),
      () => saveTheme(actor, values, { version }),
      () => resetTheme(actor, version),
    ])
      await expect(work()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await everyRow()).toEqual(before);
  });

  test('a theme changed by somebody else meanwhile is not overwritten', async () => {
    const { values, version } = await worn();
    await saveTheme(olga, { ...values, headerLine1: 'First' }, { version });
    await expect(saveTheme(olga, { ...values, headerLine1: 'Second' }, { version })).rejects.toMatchObject({
      code: 'STALE',
    });
    await expect(resetTheme(olga, version)).rejects.toMatchObject({ code: 'STALE' });
    expect((await firmOf(firmOne)).theme.headerLine1).toBe('First');
  });

  test('resetting the theme to the default keeps the announcement of the firm', async () => {
    const { values, version } = await worn();
    await saveTheme(
      olga,
      { ...values, headerFillColor: '#123456', announcement: 'Closed on Friday' },
      { version, logo: await image('png') },
    );
    await resetTheme(olga, (await worn()).version);
    expect((await worn()).values).toMatchObject({
      ...DEFAULT_COLORS,
      announcement: 'Closed on Friday',
      loginBackground: 'clouds',
    });
    for (const pictureOf of [firmLogo, firmBanner])
      await expect(pictureOf(firmOne)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('the theme is read by everybody of the firm, by company id, and by nobody else', async () => {
    const own = await apiAs(ada)('GET', `/api/profile/v1/themes/${firmOne}`);
    expect([own.status, await own.json()]).toEqual([200, await themeOf(ada, firmOne)]);
    expect((await themeOf(ada, firmOne)).colors).toEqual({
      ...DEFAULT_COLORS,
      translucentColor: '#0035651a',
    });
    const [other, unknown] = [
      await apiAs(ada)('GET', `/api/profile/v1/themes/${firmTwo}`),
      await apiAs(ada)('GET', '/api/profile/v1/themes/firm_unknown'),
    ];
    expect([other.status, await other.text()]).toEqual([404, await unknown.text()]);
  });

  test('a theme can be previewed before it is saved, at a URL that contains only colours', async () => {
    const colors = {
      headerFillColor: '#ffff00',
      headerTextColor: '#ffffff',
      buttonFillColor: '#ff0000',
      buttonTextColor: '#ff0000',
    };
    const [, , company, version = ''] = previewUrl(firmOne, colors).split('/');
    expect([
      company,
      previewStylesheet(version)?.includes('--firm-header:#ffff00;--firm-header-text:#000000'),
    ]).toEqual([firmOne, true]);
    for (const wrong of [
      'try-ffff00-ffffff-ff0000',
      'try-ffff00-ffffff-ff0000-red;}',
      '0123456789ab',
      'try-ffff00-ffffff-ff0000-ff00000',
      'try-ffff00-ffffff-ff0000-ff0000\n',
    ])
      expect(previewStylesheet(wrong)).toBeUndefined();
  });
});

describe('images of a firm', () => {
  test.each(['png', 'jpeg', 'webp'] as const)(
    'an image uploaded as %s is re-encoded as PNG without metadata',
    async (format) => {
      const { values, version } = await worn();
      const given = await image(format, 1600, 900);
      expect(given.includes('CANARY-EXIF')).toBe(true);
      await saveTheme(olga, values, { version, logo: given, banner: given });
      for (const [kept, most] of [
        [await firmLogo(firmOne), 160],
        [await firmBanner(firmOne), 240],
      ] as const) {
        const bytes = await readAll(kept.bytes);
        const { format: drawn, height = 0, exif } = await sharp(bytes).metadata();
        expect([kept.type, drawn, height <= most, exif, bytes.includes('CANARY-EXIF')]).toEqual([
          'image/png',
          'png',
          true,
          undefined,
          false,
        ]);
      }
      expect(await themeOf(ada, firmOne)).toMatchObject({
        headerImage: expect.stringMatching(/\/logo$/) as string,
        bannerImage: expect.stringMatching(/\/banner$/) as string,
      });
    },
  );

  test('a removed image is gone, and its bytes are released', async () => {
    const { values, version } = await worn();
    await saveTheme(olga, values, { version, logo: await image('png'), banner: await image('webp') });
    const blobs = async (): Promise<number> =>
      (await db().selectFrom('blobs').select('blob_key').execute()).length;
    const before = await blobs();
    await saveTheme(olga, values, { version: (await worn()).version, logo: 'none' });
    expect([(await firmOf(firmOne)).theme.logoUrl, await blobs()]).toEqual([null, before - 1]);
    expect((await readAll((await firmBanner(firmOne)).bytes)).length, 'the other stays').toBeGreaterThan(0);
  });

  const broken = Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    Buffer.from('<script>alert(1)</script>'),
  ]);
  test.each([
    [
      'an SVG',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
      'TYPE_NOT_ALLOWED',
    ],
    ['an SVG behind a mark of XML', Buffer.from('<?xml version="1.0"?><svg/>'), 'TYPE_NOT_ALLOWED'],
    ['a GIF', Buffer.from('GIF89a'), 'TYPE_NOT_ALLOWED'],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>'), 'TYPE_NOT_ALLOWED'],
    ['a broken PNG', broken, 'TYPE_NOT_ALLOWED'],
    ['nothing', Buffer.alloc(0), 'TYPE_NOT_ALLOWED'],
    ['more than 5 MB', Buffer.concat([broken, Buffer.alloc(MAX_IMAGE_BYTES)]), 'TOO_LARGE'],
  ])('an image that is %s is refused, and nothing changes', async (_, bytes, code) => {
    const { values, version } = await worn();
    const before = await everyRow();
    await expect(
      saveTheme(olga, { ...values, headerLine1: 'Changed' }, { version, logo: bytes }),
    ).rejects.toMatchObject({ code, details: { field: 'logo' } });
    expect(await everyRow()).toEqual(before);
  });

  test('an image with more pixels than a page can need is refused before it is decoded', async () => {
    const { values, version } = await worn();
    const bomb = await image('png', 4001, 4000);
    expect(bomb.length).toBeLessThan(MAX_IMAGE_BYTES);
    await expect(saveTheme(olga, values, { version, banner: bomb })).rejects.toMatchObject({
      code: 'TOO_LARGE',
      details: { field: 'banner' },
    });
  });
});

/** The values of `--paper` and `--ground` in portal.css. */
const SCHEMES = [
  { paper: '#ffffff', ground: '#f6f4f0' },
  { paper: '#262420', ground: '#1c1b19' },
];

test('links are readable with any colours of a firm on the page, on paper and in tinted rows, in light and dark mode', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (value) => {
      const button = value.toString(16).padStart(6, '0');
      const css = previewStylesheet(`try-${button}-${button}-${button}-${button}`) ?? '';
      const accents = [...css.matchAll(/--firm-accent:(#[0-9a-f]{6})/g)].map(([, colour = '']) => colour);
      const tints = [...css.matchAll(/--firm-translucent:(#[0-9a-f]{6})([0-9a-f]{2})/g)];
      for (const [i, { paper, ground }] of SCHEMES.entries()) {
        const [, tint = '', share = ''] = tints[i] ?? [];
        const row = mix(tint, paper, Number.parseInt(share, 16) / 255);
        for (const below of [paper, ground, row])
          expect(contrast(accents[i] ?? '', below), `${button} on ${below}`).toBeGreaterThanOrEqual(4.5);
      }
    }),
    { numRuns: 500 },
  );
});

describe('hostile themes', () => {
  const of = (...fields: string[]): string[] =>
    corpus.filter(({ field }) => fields.includes(field)).map(({ payload }) => payload);
  const COLOURS = Object.keys(DEFAULT_COLORS) as (keyof typeof DEFAULT_COLORS)[];
  const TEXTS = ['headerLine1', 'loginPageText', 'announcement'] as const;

  test('at least 60 hostile themes are tested', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(60);
  });

  test.each(of('colour'))('a colour is accepted only as six digits, not as %j', async (payload) => {
    const { values, version } = await worn();
    for (const name of COLOURS)
      await expect(saveTheme(olga, { ...values, [name]: payload }, { version })).rejects.toMatchObject({
        code: 'INVALID',
        details: { field: name },
      });
    expect(await themeStylesheet(firmOne)).toMatch(
      /^:root\{(?:--firm-[a-z-]+:#[0-9a-f]{6,8};?)+\}\n@media \(prefers-color-scheme:dark\)\{:root\{(?:--firm-[a-z-]+:#[0-9a-f]{6,8};?)+\}\}$/,
    );
  });

  test.each(of('logoutUrl'))('a redirect to another site is refused: %j', async (payload) => {
    const { values, version } = await worn();
    expect(allowedLogout(payload)).toBeNull();
    await expect(saveTheme(olga, { ...values, logoutUrl: payload }, { version })).rejects.toMatchObject({
      code: 'INVALID',
      details: { field: 'logoutUrl' },
    });
    // A URL stored earlier is not followed either.
    await db().updateTable('themes').set({ logout_url: payload }).where('company_id', '=', firmOne).execute();
    expect([(await firmOf(firmOne)).theme.leaveFor, (await themeOf(ada, firmOne)).logoutUrl]).toEqual([
      null,
      null,
    ]);
    await db().updateTable('themes').set({ logout_url: null }).where('company_id', '=', firmOne).execute();
  });

  test.each(of('control'))('text is never stored with hidden characters: %j', async (payload) => {
    for (const name of TEXTS) {
      const { values, version } = await worn();
      try {
        await saveTheme(olga, { ...values, [name]: payload }, { version });
        expect((await worn()).values[name]).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
      } catch (error) {
        expect(error).toMatchObject({ code: 'INVALID', details: { field: name } });
      }
    }
  });

  test.each(of('text'))(
    'text of a theme is shown literally, and only in its own place: %j',
    async (payload) => {
      const { values, version } = await worn();
      await saveTheme(
        olga,
        { ...values, headerLine1: payload.slice(0, 80), loginPageText: payload, announcement: payload },
        { version },
      );
      expect((await worn()).values).toMatchObject({
        headerLine1: payload,
        loginPageText: payload,
        announcement: payload,
      });
      expect(await themeStylesheet(firmOne)).not.toContain(payload);
    },
  );

  test('a theme with any colours is readable, also in the header of a mail', async () => {
    for (const fill of ['#ffff00', '#ffffff', '#000000', '#808080', '#777777', '#ff00ff', '#00ff00']) {
      const { values, version } = await worn();
      await saveTheme(
        olga,
        {
          ...values,
          headerFillColor: fill,
          headerTextColor: fill,
          buttonFillColor: fill,
          buttonTextColor: fill,
          headerLine1: fill,
        },
        { version },
      );
      const { theme } = await firmOf(firmOne);
      expect(contrast(theme.headerFillColor, theme.headerTextColor)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(theme.buttonFillColor, theme.buttonTextColor)).toBeGreaterThanOrEqual(4.5);
    }
  });
});
