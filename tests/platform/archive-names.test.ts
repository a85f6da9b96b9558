import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { archiveNames, markedName } from '#platform/storage/archive-names.ts';

const named = (name: string): string | undefined => archiveNames([name])[0];

test.each([
  ['Balanço 2026.pdf', 'Balanço 2026.pdf'],
  ['給与明細.xlsx', '給与明細.xlsx'],
  ['👩‍👧 família.jpg', '👩‍👧 família.jpg'],
  ['version 1.0 (final).tar.gz', 'version 1.0 (final).tar.gz'],
  ['console.log', 'console.log'],
  ['com10.txt', 'com10.txt'],
])('an ordinary name is left alone: %s', (name, expected) => {
  expect(named(name)).toBe(expected);
});

test.each([
  ['../../etc/passwd', '_.._etc_passwd'],
  ['..\\..\\Windows\\system.ini', '_.._Windows_system.ini'],
  ['/etc/shadow', '_etc_shadow'],
  ['C:\\boot.ini', 'C__boot.ini'],
  ['report.pdf:hidden', 'report.pdf_hidden'],
  ['a*b?c"d<e>f|g.txt', 'a_b_c_d_e_f_g.txt'],
  ['evil.pdf\0.exe', 'evil.pdf.exe'],
  ['two\r\nlines\u2028\u0085.txt', 'twolines.txt'],
  ['invoice\u202Efdp.exe', 'invoicefdp.exe'],
  ['\u200Ea\u061C\u2066b\u2069.pdf', 'ab.pdf'],
  ['.htaccess', 'htaccess'],
  [' . name . ', 'name'],
  ['name.pdf. . .', 'name.pdf'],
  ['half \uD83D.txt', 'half \uFFFD.txt'],
  ['<\u0338.txt', '_\u0338.txt'],
])(
  'a name that could leave the folder, hide its type or be refused by a computer is sanitized: %j',
  (name, expected) => {
    expect(named(name)).toBe(expected);
  },
);

test.each([
  'con',
  'PRN',
  'aux.txt',
  'NUL.tar.gz',
  'com1',
  'Com9.pdf',
  'lpt1.x',
  'LPT9',
  'con .txt',
  'COM¹.txt',
  'CONIN$',
])('a Windows device name gets a prefix: %s', (name) => {
  expect(named(name)).toBe(`_${name}`);
});

test.each(['', ' ', '...', '..', '.', '\0', '\u202E', ' . . '])(
  'a name without any usable character becomes "file": %j',
  (name) => {
    expect(named(name)).toBe('file');
  },
);

test('a long archive name is truncated between code points and keeps its extension', () => {
  expect(named(`${'a'.repeat(300)}.pdf`)).toBe(`${'a'.repeat(196)}.pdf`);
  expect(named(`${'ç'.repeat(300)}.xlsx`)).toBe(`${'ç'.repeat(97)}.xlsx`);
  expect(named(`x${'😀'.repeat(300)}`)).toBe(`x${'😀'.repeat(49)}`);
  expect(named(`a.${'b'.repeat(300)}`)).toBe(`a.${'b'.repeat(198)}`);
});

test('a name that becomes a device name when truncated is escaped too', () => {
  expect(named(`con${' '.repeat(300)}x`)).toBe('_con');
  expect(named(`con${' '.repeat(300)}x.pdf`)).toBe(`_con${' '.repeat(192)}.pdf`);
});

test('archive files with the same name are numbered before the extension, in order', () => {
  expect(archiveNames(['a.pdf', 'a.pdf', 'b', 'b', 'a.pdf'])).toEqual([
    'a.pdf',
    'a (1).pdf',
    'b',
    'b (1)',
    'a (2).pdf',
  ]);
});

test('an archive file never gets a number that another file already has', () => {
  expect(archiveNames(['a (1).pdf', 'a.pdf', 'a.pdf', 'a (1).pdf'])).toEqual([
    'a (1).pdf',
    'a.pdf',
    'a (2).pdf',
    'a (1) (1).pdf',
  ]);
});

test('archive names that differ only in case or accent encoding are numbered', () => {
  expect(archiveNames(['Nota.PDF', 'nota.pdf'])).toEqual(['Nota.PDF', 'nota (1).pdf']);
  expect(archiveNames(['ação', 'ac\u0327a\u0303o'])).toEqual(['ação', 'ação (1)']);
  expect(archiveNames(['Straße', 'STRASSE', 'STRAẞE'])).toEqual(['Straße', 'STRASSE (1)', 'STRAẞE (2)']);
  expect(archiveNames(['a/b', 'a\\b', 'a_b'])).toEqual(['a_b', 'a_b (1)', 'a_b (2)']);
});

test('numbered copies of a long archive name keep number and extension within the limit', () => {
  const names = archiveNames(Array.from({ length: 12 }, () => `${'é'.repeat(150)}.pdf`));
  expect(names[0]).toBe(`${'é'.repeat(98)}.pdf`);
  expect(names[11]).toBe(`${'é'.repeat(95)} (11).pdf`);
});

test('70,000 archive files with one name are numbered without delay', () => {
  const names = archiveNames(Array.from({ length: 70_000 }, () => 'scan.pdf'));
  expect(names[69_999]).toBe('scan (69999).pdf');
});

const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    'con',
    'NUL',
    'com1',
    '.',
    '..',
    ' ',
    '/',
    '\\',
    ':',
    '\0',
    '\u202E',
    '\uD800',
    'é',
    'e\u0301',
    'ß',
    '.pdf',
    ' (1)',
    'a'.repeat(195),
  ),
);
const anyName = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));

test('archive names are safe, short, stable and unique for any file names', () => {
  fc.assert(
    fc.property(fc.array(anyName, { maxLength: 20 }), (names) => {
      const safe = archiveNames(names);
      expect(safe).toHaveLength(names.length);
      expect(new Set(safe.map((name) => name.toLowerCase())).size).toBe(names.length);
      expect(archiveNames(safe)).toEqual(safe);
      for (const name of safe) {
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
        expect(name).toBe(name.normalize('NFC'));
        expect(name).toMatch(/^[^\s.](?:.*[^\s.])?$/u);
        expect(name).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}\\/:*?"<>|]/u);
      }
    }),
    { numRuns: 2000 },
  );
});

test('a marked name is safe as it is, has its mark before its extension, and differs by the mark alone', () => {
  expect(markedName('Letter 1/2.pdf', 'id_7')).toBe('Letter 1_2 (id_7).pdf');
  fc.assert(
    fc.property(anyName, (name) => {
      const marked = markedName(`x${name}.json`, 'task_1 2');
      expect(named(marked)).toBe(marked);
      expect(marked).toMatch(/ ?\(task_1 2\)\.json$/);
      expect(markedName(`x${name}.json`, 'task_1 3')).not.toBe(marked);
    }),
  );
});

test("Python's own check of Windows file names accepts all archive names", () => {
  const names = archiveNames(fc.sample(anyName, 2000));
  expect(python(REFUSED_BY_WINDOWS, JSON.stringify(names))).toEqual([]);
});

const REFUSED_BY_WINDOWS = `
import json, ntpath, pathlib, sys
reserved = getattr(ntpath, 'isreserved', None) or (lambda name: pathlib.PureWindowsPath(name).is_reserved())
print(json.dumps([name for name in json.load(sys.stdin) if reserved(name) or pathlib.PureWindowsPath(name).parts != (name,)]))
`;

function python(script: string, input: string): unknown {
  try {
    return JSON.parse(execFileSync('python3', ['-c', script], { input, encoding: 'utf8' }));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new Error('Install python3 (3.9 or later) to run this test.');
    throw error;
  }
}
