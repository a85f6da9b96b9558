import type { PixKeyKind } from './payments.ts';
import { readEmailAddress } from '#platform/inputs/email-address.ts';
import { isTaxId } from '#platform/inputs/tax-ids.ts';
import { withoutMask } from '#platform/inputs/masks.ts';

/*
 * Static Pix codes (BR Code): the text behind the QR code, which people can also copy into the app of their bank.
 * A field is an id and a length, two digits each, and its value (EMV QR Code for payment systems, merchant-presented
 * mode; Manual de Padrões para Iniciação do Pix of Banco Central do Brasil).
 */

const RANDOM_KEY = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const MAX_EMAIL_KEY = 77;
const MAX_NAME = 25;
const MAX_CITY = 15;

/** The key as it is in a code, or undefined if it is not a key of this kind. */
export function pixKey(kind: PixKeyKind, typed: string): string | undefined {
  const text = typed.trim();
  switch (kind) {
    case 'cpf':
    case 'cnpj':
      return isTaxId(kind, text) ? withoutMask(kind, text) : undefined;
    case 'phone': {
      const digits = text.replaceAll(/[\s().-]/g, '');
      const national = digits.startsWith('+55') ? digits.slice(3) : digits;
      return /^[1-9]\d9?\d{8}$/.test(national) ? `+55${national}` : undefined;
    }
    case 'email': {
      const lower = readEmailAddress(text)?.toLowerCase();
      return lower !== undefined && lower.length <= MAX_EMAIL_KEY ? lower : undefined;
    }
    case 'random':
      return RANDOM_KEY.test(text.toLowerCase()) ? text.toLowerCase() : undefined;
  }
}

interface PixPayment {
  key: string;
  name: string;
  city: string;
  /** In centavos. */
  amount: number;
  /** Up to 25 letters and digits, by which the receiver recognizes the payment. */
  reference: string;
}

/** The code for a payment of exactly this amount. */
export function pixCode({ key, name, city, amount, reference }: PixPayment): string {
  const account = field('00', 'br.gov.bcb.pix') + field('01', key);
  const code = [
    field('00', '01'),
    field('26', account),
    field('52', '0000'),
    field('53', '986'),
    field('54', `${Math.trunc(amount / 100)}.${String(amount % 100).padStart(2, '0')}`),
    field('58', 'BR'),
    field('59', plain(name, MAX_NAME)),
    field('60', plain(city, MAX_CITY)),
    field('62', field('05', reference)),
    '6304',
  ].join('');
  return code + checksum(code);
}

const field = (id: string, value: string): string => id + String(value.length).padStart(2, '0') + value;

/** Letters without accents, since apps of banks expect ASCII. */
const plain = (text: string, max: number): string =>
  text
    .normalize('NFD')
    .replaceAll(/[^\x20-\x7e]/g, '')
    .trim()
    .slice(0, max)
    .trim();

/** CRC-16/CCITT-FALSE as four hexadecimal digits. */
export function checksum(text: string): string {
  let crc = 0xffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1)
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
