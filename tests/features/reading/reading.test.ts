import { expect, test } from 'vitest';
import { en } from '#features/base/reading/terms/en.ts';
import { es } from '#features/base/reading/terms/es.ts';
import { fr } from '#features/base/reading/terms/fr.ts';
import { pt } from '#features/base/reading/terms/pt.ts';
import { explainWords, wordsIn } from '#features/base/reading/plain-words.server.ts';
import { USUAL } from '#features/base/reading/reading.ts';
import { readingFor, loadReading, saveReading } from '#features/base/reading/reading.server.ts';
import { db } from '#platform/database/database.server.ts';
import { impersonating, sessionAs } from '../../support/api.ts';
import { makeCast } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { ada, ben, sam } = await makeCast();
const LARGE = { size: '150', hasPlainWords: true, isReadAloud: true } as const;
/** What a browser sends back. */
const sentBack = (cookie: string | undefined): string => (cookie ?? '').split(';', 1)[0] ?? '';

test('settings are those of the person, on every device', async () => {
  await saveReading(sessionAs(ada), { size: '125', hasPlainWords: false, isReadAloud: false });
  await saveReading(sessionAs(ada), LARGE);
  expect(await loadReading(ada.contactId)).toEqual(LARGE);
  expect(await loadReading(ben.contactId)).toEqual(USUAL);
  expect((await readingFor(sessionAs(ada), null)).reading).toEqual(LARGE);
});

test('of two people at one browser each has their own, and links that need no sign-in follow the last one', async () => {
  await saveReading(sessionAs(ada), LARGE);
  const first = await readingFor(sessionAs(ada), null);
  const cookie = sentBack(first.cookie);
  expect(await readingFor(undefined, cookie)).toEqual({ reading: LARGE });
  const second = await readingFor(sessionAs(ben), cookie);
  expect(second.reading).toEqual(USUAL);
  expect((await readingFor(undefined, sentBack(second.cookie))).reading).toEqual(USUAL);
  expect((await readingFor(sessionAs(ada), sentBack(second.cookie))).reading).toEqual(LARGE);
});

test('the database is asked only when somebody else has signed in', async () => {
  await saveReading(sessionAs(ada), LARGE);
  const cookie = sentBack((await readingFor(sessionAs(ada), null)).cookie);
  await db().deleteFrom('reading_settings').execute();
  expect(await readingFor(sessionAs(ada), cookie)).toEqual({ reading: LARGE });
  expect((await readingFor(sessionAs(ada), null)).reading).toEqual(USUAL);
});

test('a cookie that the portal did not write is none, and tells nobody who somebody is', async () => {
  for (const value of ['', '..', 'x.200.', '<script>.125.', `${ada.contactId}.100`])
    expect((await readingFor(sessionAs(ben), `reading=${value}; __Host-reading=${value}`)).reading).toEqual(
      USUAL,
    );
  expect((await readingFor(sessionAs(ada), null)).cookie).not.toContain(ada.contactId);
});

test('staff who view as a contact read as they do themselves, and change nothing', async () => {
  await saveReading(sessionAs(ada), LARGE);
  const own = sentBack((await readingFor(sessionAs(sam), null)).cookie);
  expect(await readingFor(impersonating(ada, sam), own)).toEqual({ reading: USUAL });
  await expect(saveReading(impersonating(ada, sam), USUAL)).rejects.toEqual(
    expect.objectContaining({ code: 'EMULATION_READ_ONLY' }),
  );
  expect(await loadReading(ada.contactId)).toEqual(LARGE);
});

test('words of the profession are explained at the end of a page, once each and at most five', () => {
  const page = (main: string) => `<html><body><main id="main">${main}</main><footer></footer></body></html>`;
  const html = page(
    '<p>Send your <b>Payroll</b> and the payroll of May.</p><button>Audit</button><p>An accrual &amp; a tax return.</p>',
  );
  const explained = explainWords(html, 'en-us');
  expect([...explained.matchAll(/<dfn>(.*?)<\/dfn>/g)].map(([, word]) => word)).toEqual([
    'Payroll',
    'accrual',
    'tax return',
  ]);
  expect(explained.indexOf('<dl>')).toBeLessThan(explained.indexOf('</main>'));
  const many = 'ledger, payroll, audit, accrual, equity, dividend, deduction';
  expect(wordsIn(many, 'en-us').map(([word]) => word)).toEqual([
    'ledger',
    'payroll',
    'audit',
    'accrual',
    'equity',
  ]);
  for (const text of ['', 'Nothing here', 'payrolls, preaudit'])
    expect(explainWords(page(text), 'en-us')).toBe(page(text));
  expect(explainWords('<p>payroll</p>', 'en-us'), 'not a page').toBe('<p>payroll</p>');
});

test('an abbreviation is explained only as it is written, and what people wrote stays text', () => {
  expect(wordsIn('o valor das notas', 'pt')).toEqual([]);
  expect(wordsIn('pague o DAS de maio e o pró-labore', 'pt').map(([word]) => word)).toEqual([
    'DAS',
    'pró-labore',
  ]);
  const hostile = '<main>&lt;img src=x onerror=alert(1)&gt; payroll</main>';
  expect(explainWords(hostile, 'en-us')).not.toContain('<img');
});

test.each([
  ['en', en],
  ['es', es],
  ['pt', pt],
  ['fr', fr],
] as const)('the words in %s are 120 or more, each once, and explained in one short sentence', (_, terms) => {
  expect(terms.length).toBeGreaterThanOrEqual(120);
  const words = terms.flatMap(([forms]) => forms);
  expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
  for (const [[word = ''], meaning] of terms) {
    expect(meaning, word).toMatch(/^\p{Lu}.*[.)]$/u);
    expect(meaning.length, word).toBeLessThanOrEqual(110);
    expect(meaning.split(/[.!?] /), word).toHaveLength(1);
  }
});

test.each([
  ['en-us', 'Send Form 941 for the quarter, and the W-4 of each employee', ['Form 941', 'W-4']],
  ['en-gb', 'Your P45 and your National Insurance number', ['P45', 'National Insurance']],
  ['en-ca', 'The SIN and the ROE of the employee', ['SIN', 'ROE']],
  ['en-au', 'Superannuation and Single Touch Payroll', ['Superannuation', 'Single Touch Payroll', 'Payroll']],
  ['es', 'El Libro IVA Digital y el VEP', ['Libro IVA Digital', 'IVA', 'VEP']],
  ['pt', 'O MEI paga o DAS; a taxa Selic vale para atrasos', ['MEI', 'DAS', 'taxa Selic']],
  ['fr', 'Le relevé 1 et le T4A', ['relevé 1', 'T4A']],
] as const)('words of the country are explained in %s', (lang, text, words) => {
  expect(wordsIn(text, lang).map(([word]) => word)).toEqual(words);
});

test('everyday words that look like abbreviations are none', () => {
  expect(wordsIn('A sin, a roe deer and a cis bond', 'en-us')).toEqual([]);
  expect(wordsIn('Es un arte de las artes', 'es')).toEqual([]);
  expect(wordsIn('mei, rais e das', 'pt')).toEqual([]);
});
