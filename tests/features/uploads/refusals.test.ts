import { expect, test } from 'vitest';
import { answerIn, canRetry, codeOf, reasonFor, refusalWords } from '#features/documents/uploads/refusals.ts';
import { LANGS } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

const t = translationsFor('en-us', 'documents');

test.each([
  [0, '', 'CONNECTION'],
  [401, '<html>', 'UNAUTHENTICATED'],
  [413, '<html>413 Request Entity Too Large</html>', 'TOO_LARGE_BETWEEN'],
  [413, '{"errors":[{"code":"TOO_LARGE"}]}', 'TOO_LARGE'],
  [429, '{"errors":[{"code":"TOO_MANY","mostOpen":10}]}', 'TOO_MANY_OPEN'],
  [429, '{"errors":[{"code":"TOO_MANY"}]}', 'TOO_MANY'],
  [502, '<html>', 'UNAVAILABLE'],
  [504, '<html>', 'UNAVAILABLE'],
  [418, 'tea', 'UNKNOWN'],
] as const)('an answer of %i with "%s" is shown as %s', (status, text, code) => {
  expect(codeOf(status, answerIn(text).errors?.[0])).toBe(code);
});

test('every refusal is shown as what it is, and only a lost connection as a lost connection', () => {
  const codes = [
    'UNAUTHENTICATED',
    'TERMS_REQUIRED',
    'EMULATION_READ_ONLY',
    'LOCKED',
    'INFECTED',
    'QUOTA',
    'FORBIDDEN',
    'TOO_LARGE_BETWEEN',
    'UNAVAILABLE',
    'NEW_OF_TOMORROW',
  ];
  const texts = [...codes, 'CONNECTION'].map((code) => reasonFor(t, 'en-US', code));
  expect(new Set(texts).size).toBe(texts.length);
  expect(texts.filter((text) => text.includes('connection was lost'))).toHaveLength(1);
});

test('a retry is offered where it can help', () => {
  const helped = [
    'UNAUTHENTICATED',
    'TERMS_REQUIRED',
    'LOCKED',
    'QUOTA',
    'FORBIDDEN',
    'UNAVAILABLE',
    'CONNECTION',
    'NEW_OF_TOMORROW',
  ];
  expect(helped.every(canRetry)).toBe(true);
  expect(
    ['TOO_LARGE', 'TYPE_NOT_ALLOWED', 'BAD_NAME', 'EMPTY', 'EMULATION_READ_ONLY', 'INFECTED'].some(canRetry),
  ).toBe(false);
});

test.each(LANGS)('every reason has a message in %s', (lang) => {
  const words = translationsFor(lang, 'documents');
  expect(refusalWords.filter((word) => words(word, { most: '1 MB' }) === word)).toEqual([]);
});
