import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { workerData } from 'node:worker_threads';
import { PDF } from '@libpdf/core';
import decompress from 'wawoff2/decompress.js';
import { z } from 'zod';

/*
 * The fonts that the portal brings, so that letters are the same on every machine (docs/decisions/0080): DejaVu, and for
 * scripts that it lacks the subsets of Noto, each of which is unpacked when one of its letters is needed first.
 */

export const FONTS = {
  regular: { file: 'DejaVuSans.ttf', pango: 'DejaVu Sans' },
  bold: { file: 'DejaVuSans-Bold.ttf', pango: 'DejaVu Sans Bold' },
  script: { file: 'DejaVuSerif-Italic.ttf', pango: 'DejaVu Serif Italic' },
} as const;
export type FontName = keyof typeof FONTS;

/** In the order in which they are asked for a letter: Japanese names are written with Chinese characters, too. */
const NOTO = ['noto-sans-devanagari', 'noto-sans-thai', 'noto-sans-kr', 'noto-sans-sc', 'noto-emoji'];

const folderOf = (name: string): string => path.dirname(findPackageJSON(name, import.meta.url) ?? '');

const dejavu = path.join(folderOf('dejavu-fonts-ttf'), 'ttf');
export const fontPath = (name: FontName): string => path.join(dejavu, FONTS[name].file);

/** What joins, varies or separates letters, and has no picture of its own. */
const WITHOUT_PICTURE = /[\p{Cf}\p{Cc}\p{Z}\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]/u;

interface LetterFont {
  file: string;
  has: (letter: string) => boolean;
}

/** Where unpacked fonts are kept as long as the portal runs. */
const cache = z.object({ fonts: z.string() }).parse(workerData).fonts;

/** The files of fonts in which a text can be written. */
export async function fontFilesFor(text: string): Promise<string[]> {
  const files = new Set([fontPath('regular')]);
  for (const letter of lettersOf(text)) {
    const font = await fontFor(letter);
    if (font) files.add(font.file);
  }
  return [...files];
}

/** The letters of a text that none of the fonts has. */
export async function undrawableLetters(text: string): Promise<string[]> {
  const missing: string[] = [];
  for (const letter of lettersOf(text)) if (!(await fontFor(letter))) missing.push(letter);
  return missing;
}

/** A text in which letters that no font has are written as their numbers: `[U+1234]`, never as a box. */
export async function drawableText(text: string): Promise<string> {
  const missing = new Set(await undrawableLetters(text));
  return missing.size === 0
    ? text
    : [...text]
        .map((letter) =>
          missing.has(letter)
            ? `[U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`
            : letter,
        )
        .join('');
}

const lettersOf = (text: string): Set<string> =>
  new Set([...text].filter((letter) => !WITHOUT_PICTURE.test(letter)));

const known = new Map<string, LetterFont | undefined>();

async function fontFor(letter: string): Promise<LetterFont | undefined> {
  if (known.has(letter)) return known.get(letter);
  const font = regular().has(letter) ? regular() : await notoFor(letter);
  known.set(letter, font);
  return font;
}

let dejavuSans: LetterFont | undefined;
const regular = (): LetterFont =>
  (dejavuSans ??= fontOf(fontPath('regular'), readFileSync(fontPath('regular'))));

async function notoFor(letter: string): Promise<LetterFont | undefined> {
  for (const name of NOTO)
    for (const { subset, has } of subsetsOf(name)) {
      if (!has(letter.codePointAt(0) ?? 0)) continue;
      const font = await unpacked(name, subset);
      if (font.has(letter)) return font;
    }
  return undefined;
}

interface Subset {
  subset: string;
  has: (code: number) => boolean;
}
const subsets = new Map<string, Subset[]>();

/** The subsets of a font, with the letters that each is for: `{"[4]": "U+1f300,U+1f302-1f308"}`. */
function subsetsOf(name: string): Subset[] {
  const read = subsets.get(name);
  if (read) return read;
  const file = path.join(folderOf(`@fontsource-variable/${name}`), 'unicode.json');
  const listed = z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(file, 'utf8')));
  const all = Object.entries(listed).map(([subset, list]) => {
    const ranges = list.split(',').map((range) => {
      const [from = 0, to = from] = range
        .trim()
        .slice(2)
        .split('-')
        .map((digits) => Number.parseInt(digits, 16));
      return { from, to };
    });
    return {
      subset: subset.replaceAll(/[[\]]/g, ''),
      has: (code: number) => ranges.some(({ from, to }) => code >= from && code <= to),
    };
  });
  subsets.set(name, all);
  return all;
}

const fonts = new Map<string, LetterFont>();

async function unpacked(name: string, subset: string): Promise<LetterFont> {
  const file = path.join(cache, `${name}-${subset}.ttf`);
  const opened = fonts.get(file);
  if (opened) return opened;
  if (!existsSync(file)) {
    const packed = `${name}-${subset}-wght-normal.woff2`;
    const bytes = readFileSync(path.join(folderOf(`@fontsource-variable/${name}`), 'files', packed));
    writeFileSync(file, await decompress(bytes), { mode: 0o600 });
  }
  const font = fontOf(file, readFileSync(file));
  fonts.set(file, font);
  return font;
}

function fontOf(file: string, bytes: Uint8Array): LetterFont {
  const font = PDF.create().embedFont(bytes);
  return { file, has: (letter) => font.canEncode(letter) };
}
