/*
 * Access keys of fiscal documents: 44 characters, in which the issuer's CNPJ may have letters since 2026, and 50 of the
 * national NFS-e.
 */

/** The parts of an access key, as they are written in it. */
export interface AccessKey {
  /** The code of the state, of IBGE. */
  state: string;
  /** Year and month, `2611`. */
  month: string;
  /** The CNPJ, or a CPF with three zeros before it. */
  issuer: string;
  model: string;
  /** Of a CF-e the serial number of its device. */
  series: string;
  number: string;
  /** The kind of issue; '' for a CF-e. */
  emission: string;
  /** The random code. */
  code: string;
  digit: string;
}

const KEY =
  /^(?<state>\d\d)(?<month>\d{4})(?<issuer>[A-Z\d]{12}\d\d)(?<model>\d\d)(?<series>\d{3})(?<number>\d{9})(?<emission>\d)(?<code>\d{8})(?<digit>\d)$/;
/** SAT: the serial number of the device takes the places of series and number. */
const SAT_KEY =
  /^(?<state>\d\d)(?<month>\d{4})(?<issuer>[A-Z\d]{12}\d\d)(?<model>59)(?<series>\d{9})(?<number>\d{6})(?<emission>)(?<code>\d{6})(?<digit>\d)$/;
/** NFCom and NF3e: a digit for the site of the authority before a code of seven. */
const BILL_KEY =
  /^(?<state>\d\d)(?<month>\d{4})(?<issuer>[A-Z\d]{12}\d\d)(?<model>62|66)(?<series>\d{3})(?<number>\d{9})(?<emission>\d)\d(?<code>\d{7})(?<digit>\d)$/;
const SERVICE_KEY = /^\d{9}[A-Z\d]{12}\d{29}$/;

/** Reads the parts of a key of 44 characters; undefined for anything else. */
export function parseKey(key: string): AccessKey | undefined {
  const parts = (SAT_KEY.exec(key) ?? BILL_KEY.exec(key) ?? KEY.exec(key))?.groups;
  return parts as AccessKey | undefined; // every group is in each of the patterns
}

/** Tells whether the check digit of an access key is correct. */
export function keyHolds(key: string): boolean {
  if (!/^\d{6}[A-Z\d]{12}\d{26}$/.test(key) && !SERVICE_KEY.test(key)) return false;
  return Number(key.at(-1)) === checkDigitOf(key.slice(0, -1));
}

/** The check digit: modulo 11 with weights 2 to 9 from the right; a letter counts as its code less 48. */
function checkDigitOf(digits: string): number {
  const sum = [...digits]
    .toReversed()
    .reduce((all, character, i) => all + (character.charCodeAt(0) - 48) * ((i % 8) + 2), 0);
  const rest = sum % 11;
  return rest < 2 ? 0 : 11 - rest;
}

const isCompany = (taxId: string): boolean => taxId.length === 14;

/**
 * Whether two tax ids, without punctuation, are of the same holder: all CNPJs of a company have the same first eight
 * characters, while a CPF is one person's as a whole.
 */
export const haveSameHolder = (one: string, other: string): boolean =>
  isCompany(one) && isCompany(other) ? one.slice(0, 8) === other.slice(0, 8) : one !== '' && one === other;

/** A key in groups of four. */
export const spacedKey = (key: string): string => (key.match(/.{1,4}/g) ?? []).join(' ');
