import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { loadSharp, withImageSlot } from '#platform/storage/image-queue.server.ts';
import { readBlob } from '#platform/storage/blobs.server.ts';
import { pageAddress } from '#platform/http/addresses.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { isLang, LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { readableOn } from '#platform/text/contrast.ts';
import type { Firm } from './firms.ts';
import { firmById, type FirmRow } from './internal/store.server.ts';
import { versionOf } from './theme-settings.server.ts';

/*
 * The portal as an app of the firm: a manifest with its name and colors, and icons with its logo. They are as public as its
 * theme, since browsers ask for a manifest without cookies; they say nothing that the sign-in page does not say.
 */

/** An icon: how long its sides are, and the share of them that stays free on each side for what systems cut off. */
const ICONS = {
  'icon-192.png': { size: 192, margin: 0.1 },
  'icon-512.png': { size: 512, margin: 0.1 },
  'icon-maskable.png': { size: 512, margin: 0.2 },
} as const;
type IconName = keyof typeof ICONS;

const MAX_SHORT_NAME = 12;

/** The folder of the firm's app, whose name changes with what its files show. */
const folderOf = (companyId: string, version: string, name: string): string =>
  `/theme/${companyId}/${versionOf(version, name)}`;

/** The addresses of the manifest and of the icon for phones that read no manifest. */
export const appAddresses = ({ companyId, name, theme }: Firm, lang: Lang) => {
  const folder = folderOf(companyId, theme.version, name);
  return { manifest: `${folder}/${lang}.webmanifest`, icon: `${folder}/icon-192.png` };
};

/** A file of the firm's app by its name; undefined for another file, NOT_FOUND without such a firm. */
export async function appFile(
  companyId: string,
  name: string,
): Promise<{ type: string; content: string | Buffer } | undefined> {
  const [, lang = ''] = /^([\w-]+)\.webmanifest$/.exec(name) ?? [];
  const icon = Object.hasOwn(ICONS, name) ? (name as IconName) : undefined;
  if (!isLang(lang) && !icon) return undefined;
  const row = await firmById(companyId);
  if (!row) throw notFound();
  if (icon) return { type: 'image/png', content: await iconOf(row, icon) };
  return isLang(lang)
    ? { type: 'application/manifest+json', content: JSON.stringify(manifestOf(row, lang)) }
    : undefined;
}

function manifestOf(row: FirmRow, lang: Lang) {
  const { company_id: firm, name, version } = row;
  const folder = folderOf(firm, version, name);
  const base = `/${config.base}/`;
  const named = new URLSearchParams({ firm });
  const to = (page = ''): string => `${pageAddress(lang, page)}?${named}`;
  return {
    id: `${base}?${named}`,
    name,
    short_name: shortName(row),
    lang: LANGUAGES[lang],
    start_url: `${to()}&source=app`,
    scope: base,
    display: 'standalone',
    theme_color: row.header_fill_color,
    background_color: '#ffffff',
    icons: Object.entries(ICONS).map(([file, { size }]) => ({
      src: `${folder}/${file}`,
      sizes: `${size}x${size}`,
      type: 'image/png',
      purpose: file === 'icon-maskable.png' ? 'maskable' : 'any',
    })),
    shortcuts: [
      { name: translationsFor(lang, 'portal')('tabTasks'), url: to('tasks') },
      { name: translationsFor(lang, 'common')('tabDocuments'), url: to('documents') },
    ],
  };
}

/** What is written below the icon: the line of the header, else the first words of the name, as far as there is room. */
function shortName({ header_line1: line, name }: FirmRow): string {
  if (line.length <= MAX_SHORT_NAME) return line;
  const words = name.split(' ');
  const lengths = words.map((_, at) => words.slice(0, at + 1).join(' ').length);
  const fitting = lengths.filter((length) => length <= MAX_SHORT_NAME).length;
  return fitting > 0
    ? words.slice(0, fitting).join(' ').replace(/\W+$/u, '')
    : [...name].slice(0, MAX_SHORT_NAME).join('');
}

const MAX_KEPT = 300;
/** The icons that were asked for last, by what they show. */
const kept = new Map<string, Promise<Buffer>>();

function iconOf(row: FirmRow, name: IconName): Promise<Buffer> {
  const key = `${row.company_id} ${row.version} ${initialsOf(row.name)} ${name}`;
  const known = kept.get(key);
  if (known) return known;
  const drawn = withImageSlot({ person: `app of ${row.company_id}`, firm: row.company_id }, () =>
    draw(row, name),
  );
  kept.set(key, drawn);
  drawn.catch(() => kept.delete(key)); // it is drawn anew for the next one who asks, and this one is told
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  return drawn;
}

/** Draws the logo, or the initials without one, on the color of the header. */
async function draw(row: FirmRow, name: IconName): Promise<Buffer> {
  const { size, margin } = ICONS[name];
  const inner = Math.round(size * (1 - 2 * margin));
  const sharp = await loadSharp();
  const mark =
    row.logo_key === null
      ? await sharp(initials(row, { width: inner, height: Math.round(inner / 2) }))
          .png()
          .toBuffer()
      : await sharp(await buffer(readBlob(row.logo_key)))
          .resize({ width: inner, height: inner, fit: 'inside' })
          .png()
          .toBuffer();
  return sharp({ create: { width: size, height: size, channels: 3, background: row.header_fill_color } })
    .composite([{ input: mark, gravity: 'center' }])
    .png({ compressionLevel: 9 })
    .toBuffer();
}

/** In the portal's own font, so that they are the same on every machine (docs/decisions/0080). */
const FONT_FILE = path.join(
  path.dirname(findPackageJSON('dejavu-fonts-ttf', import.meta.url) ?? ''),
  'ttf/DejaVuSans-Bold.ttf',
);

const initials = (row: FirmRow, size: { width: number; height: number }) => ({
  text: {
    text: `<span foreground="${readableOn(row.header_fill_color, row.header_text_color)}">${initialsOf(row.name)}</span>`,
    font: 'DejaVu Sans Bold',
    fontfile: FONT_FILE,
    rgba: true,
    ...size,
  },
});

/** The first letters of two words: Maple & Hart CPAs is MH. */
const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .flatMap((word) => /^[\p{L}\p{N}]/u.exec(word)?.[0] ?? [])
    .slice(0, 2)
    .join('')
    .toUpperCase() || '·';
