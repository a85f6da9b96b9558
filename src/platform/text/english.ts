/* The spelling of English in the United States, the United Kingdom, Canada and Australia. */

export const ENGLISH = ['en-us', 'en-gb', 'en-ca', 'en-au'] as const;
export type English = (typeof ENGLISH)[number];

/**
 * Words and phrases that differ, in the order of ENGLISH. What is spelled the same as another word (a check and to
 * check, a license and to license) is listed with the words around it.
 */
const SPELLINGS = [
  ['organization', 'organisation', 'organization', 'organisation'],
  ['organizations', 'organisations', 'organizations', 'organisations'],
  ['organizer', 'organiser', 'organizer', 'organiser'],
  ['authorize', 'authorise', 'authorize', 'authorise'],
  ['authorized', 'authorised', 'authorized', 'authorised'],
  ['authorization', 'authorisation', 'authorization', 'authorisation'],
  ['center', 'centre', 'centre', 'centre'],
  ['labor', 'labour', 'labour', 'labour'],
  ['program', 'programme', 'program', 'program'],
  ['canceled', 'cancelled', 'cancelled', 'cancelled'],
  ['installment', 'instalment', 'instalment', 'instalment'],
  ['installments', 'instalments', 'instalments', 'instalments'],
  ['voided check', 'voided cheque', 'void cheque', 'voided cheque'],
  ["driver's license", 'driving licence', "driver's licence", 'driver licence'],
  ['operating license', 'operating licence', 'operating licence', 'operating licence'],
  ['taxes and licenses', 'taxes and licences', 'taxes and licences', 'taxes and licences'],
  ['enroll', 'enrol', 'enrol', 'enrol'],
  ['pay stub', 'payslip', 'pay stub', 'payslip'],
  ['by mail', 'by post', 'by mail', 'by post'],
  ['organize', 'organise', 'organize', 'organise'],
  ['organized', 'organised', 'organized', 'organised'],
  ['recognize', 'recognise', 'recognize', 'recognise'],
  ['color', 'colour', 'colour', 'colour'],
  ['colors', 'colours', 'colours', 'colours'],
  ['trash', 'bin', 'trash', 'bin'],
] as const;

const DAY_FIRST: readonly English[] = ['en-gb', 'en-au'];
const MONTHS = 'January|February|March|April|May|June|July|August|September|October|November|December';
const YEAR = String.raw`\d{4}|\{taxYear\}`;
const MONTH_DAY_YEAR = new RegExp(String.raw`\b(${MONTHS}) (\d{1,2}), (${YEAR})`, 'g');
const MONTH_DAY = new RegExp(String.raw`\b(${MONTHS}) (\d{1,2})\b`, 'g');
const DAY_MONTH_YEAR = new RegExp(String.raw`\b(\d{1,2}) (${MONTHS}) (${YEAR})`, 'g');
const DAY_MONTH = new RegExp(String.raw`\b(\d{1,2}) (${MONTHS})\b`, 'g');

/** The text as readers of the other country spell it and write its dates. */
export function respelled(text: string, from: English, to: English): string {
  if (from === to) return text;
  const { pattern, words } = spellingsOf(from, to);
  const spelled = text.replaceAll(pattern, (found) => {
    const word = words.get(found.toLowerCase()) ?? found;
    return /^\p{Lu}/u.test(found) ? word.charAt(0).toUpperCase() + word.slice(1) : word;
  });
  if (DAY_FIRST.includes(from) === DAY_FIRST.includes(to)) return spelled;
  return DAY_FIRST.includes(to) ? dayFirst(spelled) : monthFirst(spelled);
}

interface Spellings {
  pattern: RegExp;
  words: ReadonlyMap<string, string>;
}

const known = new Map<string, Spellings>();

function spellingsOf(from: English, to: English): Spellings {
  const name = `${from} ${to}`;
  const made = known.get(name) ?? makeSpellings(ENGLISH.indexOf(from), ENGLISH.indexOf(to));
  known.set(name, made);
  return made;
}

function makeSpellings(from: number, to: number): Spellings {
  const words = new Map(SPELLINGS.map((row) => [row[from] ?? '', row[to] ?? '']));
  const longestFirst = [...words.keys()].toSorted((one, other) => other.length - one.length);
  return { pattern: new RegExp(String.raw`\b(?:${longestFirst.join('|')})\b`, 'gi'), words };
}

const dayFirst = (text: string): string =>
  text.replaceAll(MONTH_DAY_YEAR, '$2 $1 $3').replaceAll(MONTH_DAY, '$2 $1');

const monthFirst = (text: string): string =>
  text.replaceAll(DAY_MONTH_YEAR, '$2 $1, $3').replaceAll(DAY_MONTH, '$2 $1');
