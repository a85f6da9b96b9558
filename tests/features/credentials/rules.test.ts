import { describe, expect, test } from 'vitest';
import { isCommon } from '#features/identity/credentials/common-passwords.server.ts';
import { passwordProblem } from '#features/identity/credentials/rules.ts';

const words = ['Ada', 'Amber', 'ada@one.example', 'Maple & Hart'];
const problem = (password: string) => passwordProblem(password, { words, isCommon });

describe('password rules', () => {
  test.each([
    'a long enough phrase',
    'correct horse battery',
    'tPq7-xL2m-Vw9k',
    '            four blanks  ',
    'Ada has three cats and a boat',
    'señora de los gatos',
    'were there trees',
    '😀🚲🌮🎸🦔🪴🧭🧵🪁🧊🛶🍋',
    'パスワードは長いほど良いです',
  ])('a reasonable password is accepted: %s', (password) => {
    expect(problem(password)).toBeUndefined();
  });

  test('a password has 12 to 128 characters, counted as people see them', () => {
    expect(problem('tPq7xL2mVw9')).toBe('tooShort');
    expect(problem('tPq7xL2mVw9k')).toBeUndefined();
    expect(problem('😀🚲🌮🎸🦔🪴')).toBe('tooShort');
    expect(problem('e\u0301'.repeat(11))).toBe('tooShort');
    const long = Array.from({ length: 128 }, (_, i) => 'tPq7xL2mVw9k'[(i * 5) % 12] ?? '').join('');
    expect(problem(`${long.slice(0, 120)} walrus!`)).toBeUndefined();
    expect(problem(`${long} walrus`)).toBe('tooLong');
  });

  test.each([
    'welcome2026!!',
    'P@ssw0rd1234',
    'Summer-Summer-1',
    'qwertyuiop123',
    'iloveyou123456',
    'senhasenha12',
    'motdepasse2026',
    'contraseña123',
    '123456789012',
    '987654321098',
    'abcdefghijkl',
    'aaaaaaaaaaaa',
    'abcabcabcabc',
    '2026-11-21-2026',
    'Liverpool Football 1',
    'zaq12wsxcde3',
    'azertyuiop12',
    '1qaz2wsx3edc',
    'qwertzuiop12',
    'correcthorsebatterystaple',
    'open sesame 2026',
  ])('a password that attackers try first is refused: %s', (password) => {
    expect(problem(password)).toBe('common');
  });

  test.each([
    'zaq12wsxcde3',
    'correcthorsebatterystaple',
    'azertyuiop12',
    'sonyericsson',
    'Chickenwing101',
    'counterstrike!!',
    'needforspeed 2005',
    'ghbdtnrfrltkf',
  ])('a password from data leaks is refused: %s', (password) => {
    expect(problem(password)).toBe('common');
  });

  test.each([
    'AdaAmber2026!',
    'ada@one.example',
    'Maple-and-Hart',
    'maple hart 2026',
    'ÁDA AMBÉR 99!',
    'one.example.7',
  ])('a password made mostly of the names of the person or the firm is refused: %s', (password) => {
    expect(problem(password)).toBe('personal');
  });

  test('the name of somebody else may be part of a password', () => {
    expect(passwordProblem('maple hart 2026', { words: ['Zoe', 'Zinc Works'], isCommon })).toBeUndefined();
  });
});
