import { describe, expect, test } from 'vitest';
import { checksum, pixCode, pixKey } from '#features/payments/payments/pix.ts';

/** The fields of a code, by a reader of its own: an id and a length of two digits each, and the value. */
function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (let at = 0; at < text.length;) {
    const [id, length] = [text.slice(at, at + 2), Number(text.slice(at + 2, at + 4))];
    if (!/^\d\d$/.test(id) || !Number.isInteger(length)) throw new Error(`No field at ${at} of ${text}.`);
    fields.set(id, text.slice(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return fields;
}

describe('a Pix code', () => {
  // the example of the manual of Banco Central do Brasil, without an amount
  const EXAMPLE =
    '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D';

  test('has the checksum of the example that Banco Central publishes', () => {
    expect(checksum(EXAMPLE.slice(0, -4))).toBe('1D3D');
    expect(checksum('123456789')).toBe('29B1'); // the check value of CRC-16/CCITT-FALSE
  });

  test('has the fields of the published example, and the amount', () => {
    const code = pixCode({
      key: '123e4567-e12b-12d1-a456-426655440000',
      name: 'Fulano de Tal',
      city: 'BRASILIA',
      amount: 12_305,
      reference: 'ABC23',
    });
    const [ours, published] = [fieldsOf(code), fieldsOf(EXAMPLE)];
    for (const id of ['00', '26', '52', '53', '58', '59', '60']) expect(ours.get(id)).toBe(published.get(id));
    expect(ours.get('54')).toBe('123.05');
    expect(fieldsOf(ours.get('62') ?? '').get('05')).toBe('ABC23');
    expect([...ours.keys()].at(-1)).toBe('63');
    expect(ours.get('63')).toBe(checksum(code.slice(0, -4)));
  });

  test('has names without accents, at most as long as banks accept', () => {
    const code = pixCode({
      key: 'a@b.example',
      name: 'Associação dos Contadores de São João da Boa Vista',
      city: 'São João da Boa Vista',
      amount: 5,
      reference: 'A',
    });
    const fields = fieldsOf(code);
    expect(fields.get('59')).toBe('Associacao dos Contadores');
    expect(fields.get('60')).toBe('Sao Joao da Boa');
    expect(fields.get('54')).toBe('0.05');
    expect(code).toMatch(/^[\x20-\x7e]*$/);
  });
});

test.each([
  ['cpf', '111.444.777-35', '11144477735'],
  ['cpf', '111.444.777-36', undefined],
  ['cnpj', '12.ABC.345/01DE-35', '12ABC34501DE35'],
  ['cnpj', '12.ABC.345/01DE-36', undefined],
  ['phone', '(11) 98765-4321', '+5511987654321'],
  ['phone', '+55 11 3456 7890', '+551134567890'],
  ['phone', '+1 312 555 0142', undefined],
  ['email', 'Pix@Escritorio.example', 'pix@escritorio.example'],
  ['email', 'pix', undefined],
  ['random', '123E4567-E12B-12D1-A456-426655440000', '123e4567-e12b-12d1-a456-426655440000'],
  ['random', '123e4567', undefined],
] as const)('the Pix key %s "%s" is read as %s', (kind, typed, key) => {
  expect(pixKey(kind, typed)).toBe(key);
});
