import type { X509Certificate } from 'node:crypto';
import * as asn1js from 'asn1js';
import * as pkijs from 'pkijs';
import { isTaxId } from '#platform/inputs/tax-ids.ts';

/*
 * Whose a certificate of ICP-Brasil is (DOC-ICP-04), by the alternative names of the subject: one of a company (e-CNPJ) has its
 * CNPJ there, and also the person who answers for it; one of a person (e-CPF) begins its data with the date of birth and the
 * CPF. The common name ends with the same number.
 */

const ALTERNATIVE_NAMES = '2.5.29.17';
const COMPANY_NUMBER = '2.16.76.1.3.3';
const PERSONAL_DATA = '2.16.76.1.3.1';
/** Another kind of name, of a type that its OID tells. */
const OTHER_NAME = 0;
const CNPJ = /^[\dA-Z]{12}\d\d$/;
/** The date of birth, then the CPF. */
const PERSON = /^\d{8}(\d{11})/;

/** The CNPJ of the company or the CPF of the person that holds a certificate, without punctuation; empty if it names neither. */
export function holderNumberIn(certificate: X509Certificate): string {
  const names = alternativeNumbers(certificate.raw);
  const company = names.get(COMPANY_NUMBER) ?? '';
  if (CNPJ.test(company)) return company;
  const [, number = ''] = /:([\dA-Z]{14}|\d{11})$/.exec(commonNameIn(certificate.subject)) ?? [];
  if (CNPJ.test(number)) return number;
  const person = PERSON.exec(names.get(PERSONAL_DATA) ?? '')?.[1] ?? number;
  return isTaxId('cpf', person) ? person : '';
}

/** The common name in a distinguished name as Node writes it, or all of it. */
export const commonNameIn = (distinguished: string): string =>
  /^CN=(.+)$/m.exec(distinguished)?.[1]?.replaceAll('\\', '') ?? distinguished.replaceAll('\n', ', ');

/** The name of the holder without the number behind it. */
export const holderIn = ({ subject }: X509Certificate): string =>
  commonNameIn(subject).replace(/:[\dA-Z]{11,14}$/, '');

/** The alternative names of other kinds, by their OIDs. */
function alternativeNumbers(der: Uint8Array): Map<string, string> {
  const { extensions = [] } = pkijs.Certificate.fromBER(new Uint8Array(der));
  const found = new Map<string, string>();
  const names = extensions.find(({ extnID }) => extnID === ALTERNATIVE_NAMES);
  if (!names) return found;
  const { result } = asn1js.fromBER(names.extnValue.valueBlock.valueHexView);
  for (const name of partsOf(result)) {
    if (name.idBlock.tagNumber !== OTHER_NAME) continue;
    const [type, wrapped] = partsOf(name);
    if (!(type instanceof asn1js.ObjectIdentifier)) continue;
    const value = Buffer.from(partsOf(wrapped)[0]?.valueBlock.toBER() ?? new ArrayBuffer());
    found.set(type.getValue(), value.toString('latin1').trim());
  }
  return found;
}

const partsOf = (block: asn1js.BaseBlock | undefined): asn1js.BaseBlock[] =>
  block instanceof asn1js.Constructed ? block.valueBlock.value : [];
