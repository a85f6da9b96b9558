import { describe, expect, test } from 'vitest';
import { ENGLISH, respelled } from '#platform/text/english.ts';
import { STARTERS } from '#features/tasks/starter-questionnaires/all.ts';
import { br } from '#features/tasks/starter-questionnaires/es/br.ts';
import { ca } from '#features/tasks/starter-questionnaires/es/ca.ts';
import { common } from '#features/tasks/starter-questionnaires/es/common.ts';
import { uk } from '#features/tasks/starter-questionnaires/es/uk.ts';
import { us } from '#features/tasks/starter-questionnaires/es/us.ts';
import type { Text } from '#features/tasks/questionnaires/questionnaires.ts';
import { LANGS, type Lang } from '#platform/text/languages.ts';

interface Found {
  path: string;
  name: string;
  text: Text;
  hasYear: boolean;
}

const TEXTS = new Set(['label', 'hint', 'why', 'lead', 'one', 'addLabel', 'unit']);

function textsIn(value: unknown, path: string, hasYear: boolean): Found[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]: [string, unknown]) =>
    TEXTS.has(name)
      ? [{ path: `${path}.${name}`, name, text: each as Text, hasYear }]
      : textsIn(each, `${path}.${keyOf(each) ?? name}`, hasYear),
  );
}

const keyOf = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && 'key' in value && typeof value.key === 'string'
    ? value.key
    : undefined;

const all = STARTERS.flatMap(({ key, template }) => textsIn(template, key, template.taxYear !== undefined));

/** What is wrong with the texts, with where it is, for the failure message. */
const wrong = (isWrong: (found: Found, lang: Lang) => boolean, langs: readonly Lang[] = LANGS): string[] => [
  ...new Set(
    all.flatMap((found) =>
      langs.flatMap((lang) =>
        isWrong(found, lang) ? [`${found.path} (${lang}): ${found.text[lang] ?? 'missing'}`] : [],
      ),
    ),
  ),
];

test('every text of every starter is there in all seven languages', () => {
  expect(all.length).toBeGreaterThan(1000);
  expect(wrong(({ text }, lang) => (text[lang] ?? '').trim() === '')).toEqual([]);
  expect(all.filter(({ text }) => Object.keys(text).length !== LANGS.length)).toEqual([]);
});

/** Names and words that are the same in another language as in English. */
const SAME = new Set([
  ...['%', 'EIN', 'P45', 'P60', 'P11D', 'CPF', 'CNPJ', 'MEI', 'Pix', 'Medicare'],
  ...['Plan 1', 'Plan 2', 'Plan 4', 'Plan 5', 'S corporation (1120-S)', 'No (exempt)'],
  ...['Simples Nacional', 'Lucro Presumido', 'Lucro Real'],
  ...['Cielo', 'Rede', 'Getnet', 'Stone', 'PagBank', 'Mercado Pago'],
  ...['Alberta', 'Manitoba', 'Nunavut', 'Ontario', 'Saskatchewan', 'Yukon', 'Quebec'],
  ...[
    'Commercial',
    'Commissions',
    'Date',
    'Pension',
    'Documents',
    'Photo',
    'Services',
    'Canada Revenue Agency (CRA)',
  ],
]);

test('texts in Spanish, Portuguese and French are translated, except for names', () => {
  const isState = (text: string): boolean => /^[A-Z]{2}$/.test(text);
  expect(
    wrong(
      ({ text }, lang) =>
        ENGLISH.some((english) => text[english] === text[lang]) &&
        !SAME.has(text[lang] ?? '') &&
        !isState(text[lang] ?? ''),
      ['es', 'pt', 'fr'],
    ),
  ).toEqual([]);
});

test('every translation of the starters is in use', () => {
  const used = new Set(all.flatMap(({ text }) => ENGLISH.map((lang) => text[lang])));
  const keys = [common, us, uk, ca, br].flatMap((texts) => Object.keys(texts));
  expect(keys.filter((key) => !used.has(key))).toEqual([]);
});

test('the year is named in every language of a text or in none, and only where there is one', () => {
  const names = (text: string | undefined): boolean => text?.includes('{taxYear}') ?? false;
  expect(
    wrong(
      ({ text, hasYear }, lang) =>
        names(text[lang]) !== names(text['en-us']) || (names(text[lang]) && !hasYear),
    ),
  ).toEqual([]);
  expect(wrong(({ text }, lang) => /\{(?!taxYear\})/.test(text[lang] ?? ''))).toEqual([]);
});

test('texts are short enough for a phone, and no translation is far longer than its English', () => {
  const limits: Readonly<Record<string, number>> = { label: 260, one: 40, addLabel: 45, unit: 12 };
  expect(wrong(({ name, text }, lang) => (text[lang] ?? '').length > (limits[name] ?? 320))).toEqual([]);
  expect(
    wrong(({ text }, lang) => (text[lang] ?? '').length > 1.8 * (text['en-us'] ?? '').length + 40),
  ).toEqual([]);
});

test('texts have no spaces at their ends, no doubled spaces and no unpaired Spanish question mark', () => {
  expect(wrong(({ text }, lang) => /^\s|\s$|\s\s/.test(text[lang] ?? ''))).toEqual([]);
  expect(wrong(({ text: { es = '' } }) => es.includes('¿') !== es.includes('?'), ['es'])).toEqual([]);
  expect(
    wrong(({ text }, lang) => (text['en-us'] ?? '').endsWith('?') !== (text[lang] ?? '').endsWith('?')),
  ).toEqual([]);
});

/** Words that readers of a language do not use, or that name a thing differently from the rest of the portal. */
const REFUSED: Readonly<Record<Lang, RegExp>> = {
  'en-us':
    /cheque|licence|\bcentre|programme|instalment|labour|colour|cancelled|\bpayslip|\w+isation|\benrol\b/i,
  'en-gb':
    /\bchecks\b|voided check|\blicense|\bcenter|\bprogram\b|installment|\blabor\b|\bcolor\b|canceled|\w+ization|authoriz|organizer|pay stub|by mail|\benroll\b/i,
  'en-au':
    /\bchecks\b|voided check|\blicense|\bcenter|\bprogram\b|installment|\blabor\b|\bcolor\b|canceled|\w+ization|authoriz|organizer|pay stub|by mail|\benroll\b/i,
  'en-ca':
    /voided? check\b|\blicense|\bcenter\b|programme|installment|\blabor\b|\bcolor\b|canceled|\w+isation|organiser|\benroll\b/i,
  es: /\b(?:vosotros|ordenador|móvil|fichero|cargue|descargue el|email|(?<!e-)mail|correos?(?! postal)|tú|tu|tus|coche|nómina)\b/i,
  pt: /\b(?:ficheiro|utilizador|telemóvel|registo|contacto|email|upload|deletar|carregue|factura|morada|apelido)\b/i,
  fr: /\b(?:e-mail|email|mail|télécharger|uploader|week-end|mobile|virement SEPA|RIB|tu|ton)\b|\s[?!;]|(?<!\u00a0):(?= |$)/i,
};

describe.each(LANGS)('the words of the starters in %s', (lang) => {
  test(`are those of its readers and of the glossary in ${lang}`, () => {
    expect(wrong(({ text }, each) => REFUSED[each].test(text[each] ?? ''), [lang])).toEqual([]);
  });
});

test('English is spelled and dated as in each country', () => {
  expect(ENGLISH.map((lang) => respelled('Canceled by December 31, {taxYear}', 'en-us', lang))).toEqual([
    'Canceled by December 31, {taxYear}',
    'Cancelled by 31 December {taxYear}',
    'Cancelled by December 31, {taxYear}',
    'Cancelled by 31 December {taxYear}',
  ]);
  expect(respelled('Since 6 April 2025, 31 May and by post', 'en-gb', 'en-us')).toBe(
    'Since April 6, 2025, May 31 and by mail',
  );
  expect(ENGLISH.map((lang) => respelled('Void cheque', 'en-ca', lang))).toEqual([
    'Voided check',
    'Voided cheque',
    'Void cheque',
    'Voided cheque',
  ]);
  expect(respelled("Driver's license", 'en-us', 'en-gb')).toBe('Driving licence');
});
