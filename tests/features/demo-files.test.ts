import { readFileSync, readdirSync } from 'node:fs';
import { extname } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../src/features/demo/demo/files/manifest.json' with { type: 'json' };

const folder = new URL('../../src/features/demo/demo/files/', import.meta.url);
const names = manifest.map((entry) => entry.file);
const fiscalNames = names.filter((name) => name.endsWith('.xml'));
const invoiceNames = fiscalNames.filter((name) => name.startsWith('nf'));

/** The first bytes of a file of this kind, and its type in the manifest. */
const kinds: Record<string, { begins: string; type: string }> = {
  '.pdf': { begins: '%PDF-', type: 'application/pdf' },
  '.jpg': { begins: '\xff\xd8\xff', type: 'image/jpeg' },
  '.xlsx': {
    begins: 'PK\x03\x04',
    type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  },
  '.docx': {
    begins: 'PK\x03\x04',
    type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  },
  '.csv': { begins: '\xef\xbb\xbf', type: 'text/csv' },
  '.xml': { begins: '<?xml version="1.0"', type: 'application/xml' },
  '.txt': { begins: '', type: 'text/plain' },
};

test('the manifest names every file of the folder once', () => {
  const present = readdirSync(folder).filter((name) => name !== 'manifest.json');
  expect(names.toSorted()).toEqual(present.toSorted());
});

test('all demo files together stay under one megabyte', () => {
  const total = names.reduce((sum, name) => sum + bytes(name).length, 0);
  expect(total).toBeLessThan(1_000_000);
});

test.each(manifest)('$file contains what its extension says', ({ file, type }) => {
  const kind = kinds[extname(file)];
  expect(kind, `${file}: no kind is known for this extension`).toBeDefined();
  expect(type).toBe(kind?.type);
  expect(bytes(file).toString('latin1')).toSatisfy((text: string) => text.startsWith(kind?.begins ?? ''));
});

test('only the empty demo file is empty', () => {
  expect(names.filter((name) => bytes(name).length === 0)).toEqual(['empty.txt']);
});

test('only the locked PDF requires a password', () => {
  const pdfs = names.filter((name) => name.endsWith('.pdf'));
  expect(pdfs.filter((name) => bytes(name).includes('/Encrypt'))).toEqual(['password-locked.pdf']);
});

test('the locked PDF is encrypted with AES-256', () => {
  expect(bytes('password-locked.pdf').toString('latin1')).toMatch(/\/CFM \/AESV3/);
});

test('the trial balance of the demo files balances', () => {
  const rows = bytes('trial-balance.csv').toString('utf8').trim().split('\r\n').slice(1);
  const amounts = rows.map((row) => (row.match(/,([\d.]+),([\d.]+)$/) ?? []).slice(1).map(cents));
  const total = amounts.pop();
  expect(total).toEqual([0, 1].map((column) => sum(amounts.map((pair) => pair[column] ?? 0))));
  expect(total?.[0]).toBe(total?.[1]);
});

test('the demo files include each kind of fiscal document', () => {
  const models = fiscalNames.map((name) => accessKey(name).slice(20, 22));
  expect(new Set(models)).toEqual(new Set(['55', '57', '59', '65']));
});

test('one demo invoice comes from a company with letters in its CNPJ', () => {
  const issuers = fiscalNames.map((name) => only(xml(name), 'CNPJ', 'emit'));
  expect(issuers.filter((cnpj) => /[A-Z]/.test(cnpj))).toEqual(['12ABC34501DE35']);
});

test.each(fiscalNames)('the access key of %s has the right check digit', (name) => {
  const key = accessKey(name);
  expect(key).toMatch(/^[0-9]{6}[A-Z0-9]{12}[0-9]{26}$/);
  expect(Number(key.at(-1))).toBe(keyCheckDigit(key.slice(0, 43)));
  expect(only(xml(name), 'cDV')).toBe(key.at(-1));
});

test.each(fiscalNames)(
  'the access key of %s names the issuer, state, model and month of the document',
  (name) => {
    const text = xml(name);
    const key = accessKey(name);
    const issued = (all(text, 'dhEmi')[0] ?? only(text, 'dEmi')).replaceAll('-', '');
    expect(key.slice(0, 6)).toBe(only(text, 'cUF') + issued.slice(2, 6));
    expect(key.slice(6, 20)).toBe(only(text, 'CNPJ', 'emit'));
    expect(key.slice(20, 22)).toBe(only(text, 'mod', 'ide'));
  },
);

test.each(fiscalNames)('every CNPJ in %s has the right check digits', (name) => {
  for (const cnpj of all(xml(name), 'CNPJ')) expect(cnpj).toBe(withCnpjDigits(cnpj.slice(0, 12)));
});

test.each(fiscalNames.filter((name) => !name.startsWith('cfe')))('%s contains its authorisation', (name) => {
  const protocol = only(xml(name), 'infProt');
  expect(only(protocol, 'cStat')).toBe('100');
  expect(all(protocol, name.startsWith('cte') ? 'chCTe' : 'chNFe')).toEqual([accessKey(name)]);
  expect(only(protocol, 'digVal')).toBe(only(xml(name), 'DigestValue'));
});

test.each(invoiceNames)('the totals of %s add up', (name) => {
  const text = xml(name);
  const items = all(text, 'prod');
  const total = only(text, 'ICMSTot');
  const lines = (tag: string) => sum(items.flatMap((item) => all(item, tag)).map(cents));
  const totalOf = (tag: string) => cents(only(total, tag));
  for (const tag of ['vProd', 'vFrete', 'vDesc']) expect([tag, totalOf(tag)]).toEqual([tag, lines(tag)]);
  for (const item of items)
    expect(cents(only(item, 'vProd'))).toBe(product(only(item, 'qCom'), only(item, 'vUnCom')));
  for (const tag of ['vICMS', 'vPIS', 'vCOFINS'])
    expect([tag, totalOf(tag)]).toEqual([tag, taxOfItems(text, tag)]);
  expect(totalOf('vNF')).toBe(totalOf('vProd') - totalOf('vDesc') + totalOf('vFrete'));
  expect(cents(only(text, 'vPag'))).toBe(totalOf('vNF'));
});

test('the instalments of invoice 1001 add up to its value', () => {
  const text = xml('nfe-1001.xml');
  expect(sum(all(text, 'vDup').map(cents))).toBe(cents(only(text, 'vNF')));
});

test('the freight components in the CT-e add up, and it carries invoice 1001', () => {
  const text = xml('cte-2001.xml');
  expect(sum(all(text, 'vComp').map(cents))).toBe(cents(only(text, 'vTPrest')));
  expect(only(text, 'chave')).toBe(accessKey('nfe-1001.xml'));
  expect(only(text, 'vCarga')).toBe(only(xml('nfe-1001.xml'), 'vNF'));
});

test('the total and the change of the CF-e add up', () => {
  const text = xml('cfe-4001.xml');
  const items = all(text, 'prod');
  const value = cents(only(text, 'vCFe'));
  expect(sum(items.map((item) => cents(only(item, 'vProd'))))).toBe(value);
  for (const item of items)
    expect(cents(only(item, 'vProd'))).toBe(product(only(item, 'qCom'), only(item, 'vUnCom')));
  expect(cents(only(text, 'vMP')) - cents(only(text, 'vTroco'))).toBe(value);
});

function bytes(name: string): Buffer {
  return readFileSync(new URL(name, folder));
}

function xml(name: string): string {
  return bytes(name).toString('utf8');
}

function accessKey(name: string): string {
  const id = / Id="(?:NFe|CTe|CFe)([A-Z0-9]{44})"/.exec(xml(name));
  if (!id?.[1]) throw new Error(`${name} has no access key`);
  return id[1];
}

function all(text: string, tag: string): string[] {
  return [...text.matchAll(new RegExp(`<${tag}(?: [^>]*)?>(.*?)</${tag}>`, 'gs'))].map(
    (match) => match[1] ?? '',
  );
}

function only(text: string, tag: string, inside?: string): string {
  const [value] = all(inside ? only(text, inside) : text, tag);
  if (value === undefined) throw new Error(`there is no <${tag}>`);
  return value;
}

function taxOfItems(text: string, tag: string): number {
  return sum(
    all(text, 'imposto')
      .flatMap((item) => all(item, tag))
      .map(cents),
  );
}

function cents(amount: string): number {
  return Math.round(Number(amount) * 100);
}

function product(quantity: string, unit: string): number {
  return Math.round(Number((Number(quantity) * Number(unit) * 100).toFixed(6)));
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Modulo 11 over ASCII - 48, weights 2 to 9 cycling from the right (domain facts, section 5). */
function keyCheckDigit(text: string): number {
  return modulo11([...text].map((character, i) => value(character) * (2 + ((text.length - 1 - i) % 8))));
}

function withCnpjDigits(base: string): string {
  const weights = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
  const next = (text: string) =>
    text +
    String(
      modulo11(
        [...text].map((character, i) => value(character) * (weights[weights.length - text.length + i] ?? 0)),
      ),
    );
  return next(next(base));
}

function modulo11(products: number[]): number {
  const rest = sum(products) % 11;
  return rest < 2 ? 0 : 11 - rest;
}

function value(character: string): number {
  return character.charCodeAt(0) - 48;
}
