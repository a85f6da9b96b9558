import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { constraints } from '#features/documents/file-types.server.ts';
import { keyHolds, readFiscal } from '#features/viewer/fiscal.server.ts';
import { kindOf } from '#features/viewer/kinds.ts';
import { isNumber, readTable } from '#features/viewer/table.server.ts';
import { decodeText } from '#platform/tabular/decode-text.server.ts';
import { delimiterOf } from '#platform/tabular/delimiter.ts';
import { cpuTimeOf } from '../../support/cpu-time.ts';

const demo = (name: string): string =>
  fs.readFileSync(path.join(import.meta.dirname, '../../../src/features/demo/files', name), 'utf8');
const ROOMY = { rows: 1000, columns: 100_000, cells: 1e6, characters: 1e6 };
const table = (text: string, max = {}) =>
  readTable(text, { delimiter: delimiterOf(text), max: { ...ROOMY, ...max } });

test('the viewer can show exactly the types that the portal lists as viewable', () => {
  const { convertedTypes, unconvertedTypes } = constraints();
  expect(convertedTypes.filter((type) => kindOf(`a.${type}`) === undefined)).toEqual([]);
  expect(unconvertedTypes.filter((type) => kindOf(`a.${type}`) !== undefined)).toEqual([]);
});

describe('tables', () => {
  test.each([
    [
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a;b\n"1,5";"say ""hi"""\n',
      [
        ['a', 'b'],
        ['1,5', 'say "hi"'],
      ],
    ],
    [
      'a\tb\n1\t2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,"b\r\nc"\n\n,\n',
      [
        ['a', 'b\r\nc'],
        ['', ''],
      ],
    ],
    ['5" pipe,2', [['5" pipe', '2']]],
    ['a,"never closed\n1,2', [['a', 'never closed\n1,2']]],
    ['"a"b,c', [['ab', 'c']]],
    ['one column\nonly', [['one column'], ['only']]],
    ['', []],
  ])('a CSV file is parsed as it was written: %j', (text, rows) => {
    expect(table(text).rows).toEqual(rows);
  });

  test.each([
    ['rows', 'a\nb\nc', { rows: 2 }, [['a'], ['b']], ['rows']],
    ['no rows beyond its last one', 'a\nb', { rows: 2 }, [['a'], ['b']], []],
    ['columns', 'a,b,c\nd,e\nf', { columns: 2 }, [['a', 'b'], ['d', 'e'], ['f']], ['columns']],
    ['cells', 'a,b\nc,d\ne', { cells: 3 }, [['a', 'b']], ['rows']],
    ['long texts', 'abcdef,b', { characters: 3 }, [['abc…', 'b']], ['text']],
    ['halves of letters', 'ab🥐,b', { characters: 3 }, [['ab\ufffd…', 'b']], ['text']],
  ])('a table omits %s, and says so', (_, text, max, rows, leftOut) => {
    const shown = table(text, max);
    const omitted = Object.entries(shown.leftOut).flatMap(([what, isLeftOut]) => (isLeftOut ? [what] : []));
    expect([shown.rows, omitted]).toEqual([rows, leftOut]);
  });

  test.each(['1', '-1.234,50', 'R$ 12,00', '(5)', ' 42 % '])('%j is right-aligned as a number', (cell) => {
    expect(isNumber(cell)).toBe(true);
  });

  test.each(['', 'A 1', '1 a', '1'.repeat(41), ' '.repeat(900_000)])('%j is left-aligned as text', (cell) => {
    expect(isNumber(cell)).toBe(false);
  });

  test('a CSV file is parsed without delay, whatever its quotes', async () => {
    const texts = [
      '"'.repeat(500_000),
      '"a'.repeat(300_000),
      ',"'.repeat(300_000),
      `"${'a'.repeat(900_000)}`,
    ];
    expect(await cpuTimeOf(() => texts.map((text) => table(text)))).toBeLessThan(2500);
  });
});

test.each([
  ['UTF-8', Buffer.from('Folha de ação')],
  ['UTF-8 with a mark', Buffer.from('\ufeffFolha de ação')],
  ['UTF-8 that was cut in a letter', Buffer.from('Folha de açãoã').subarray(0, -1)],
  ['the western code page', Buffer.from('Folha de ação', 'latin1')],
  ['UTF-16', Buffer.from('\ufeffFolha de ação', 'utf16le')],
])('text in %s is decoded', (_, bytes) => {
  expect(decodeText(bytes)).toBe('Folha de ação');
});

describe('access keys', () => {
  test.each([
    ['33150308370779000149550010001100931002410775'],
    ['13181017921427000125650010000000309887251170'],
    ['41191111812498000103650050000010451515607994'],
    ['35260812ABC34501DE35550010000001231482917352'],
  ])('an access key is valid by its check digit: %s', (key) => {
    expect(keyHolds(key)).toBe(true);
    expect(keyHolds(`${Number(key[0]) + 1}${key.slice(1)}`)).toBe(false);
    expect(keyHolds(`${key.slice(0, 43)}${(Number(key[43]) + 1) % 10}`)).toBe(false);
  });

  test('an access key of another length is invalid', () => {
    expect(['', '0', '3'.repeat(43), '3'.repeat(45)].map(keyHolds)).toEqual([false, false, false, false]);
  });
});

describe('fiscal documents', () => {
  test('an NF-e is shown as a table, with the numbers as in the file', () => {
    const sheet = readFiscal(demo('nfe-1001.xml'));
    expect(sheet).toMatchObject({
      kind: 'NF-e',
      number: '1001',
      series: '1',
      nature: 'Venda de mercadoria',
      key: '35261099421736000109550010000010011418026376',
      keyHolds: true,
      isTest: false,
      issuedAt: '2026-10-14T09:42:18-03:00',
    });
    expect(sheet?.parties.map(({ role, party }) => [role, party.name, party.taxId])).toEqual([
      ['issuer', 'Embalagens Ipê Comércio Ltda', '99421736000109'],
      ['recipient', 'Padaria Sol Nascente Ltda', '99304518000186'],
    ]);
    expect(sheet?.items[0]).toEqual({
      code: 'CX-2518',
      description: 'Caixa de papelão para bolo 25x25x18 cm',
      quantity: '600.0000',
      unit: 'UN',
      price: '1.8500',
      total: '1110.00',
    });
    expect(sheet?.totals.at(-1)).toEqual({
      name: 'total',
      amount: expect.stringMatching(/^\d+\.\d\d$/) as string,
    });
    expect(sheet?.protocol?.status).toBe('100');
  });

  test.each([
    ['nfce-3001.xml', 'NFC-e', '3001'],
    ['cte-2001.xml', 'CT-e', '2001'],
    ['cfe-4001.xml', 'CF-e', '4001'],
    ['nfe-1002-cnpj-alfanumerico.xml', 'NF-e', '1002'],
  ])('the access key of each kind of fiscal document is valid: %s', (file, kind, number) => {
    const sheet = readFiscal(demo(file));
    expect([
      sheet?.kind,
      sheet?.number,
      sheet?.keyHolds,
      (sheet?.items.length ?? 0) > 0,
      sheet?.parties[0]?.role,
    ]).toEqual([kind, number, true, true, 'issuer']);
    expect(sheet?.issuedAt).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d-03:00$/);
  });

  test("a fiscal document without the authority's response has no protocol, and a changed access key is invalid", () => {
    const bare = demo('nfe-1001.xml')
      .replace(/<protNFe[\s\S]*<\/protNFe>/, '')
      .replace('NFe3526109', 'NFe3526108');
    expect(readFiscal(bare)).toMatchObject({ keyHolds: false });
    expect(readFiscal(bare)).not.toHaveProperty('protocol');
  });

  test('XML that defines entities, is broken or of another kind is not shown as a fiscal document', () => {
    expect(
      readFiscal(demo('nfe-1001.xml').replace('?>', '?><!DOCTYPE nfeProc [<!ENTITY a "b">]>')),
    ).toBeUndefined();
    expect(
      [
        '',
        '<a>',
        '<nfeProc/>',
        '<NFe><infNFe>text</infNFe></NFe>',
        '<__proto__><NFe/></__proto__>',
        demo('nfe-1001.xml').slice(0, 900),
      ]
        .map(readFiscal)
        .filter((sheet) => sheet && sheet.parties.length > 1),
    ).toEqual([]);
  });
});
