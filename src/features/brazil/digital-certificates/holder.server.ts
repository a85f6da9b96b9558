import type { X509Certificate } from 'node:crypto';
import * as asn1js from 'asn1js';
import * as pkijs from 'pkijs';

/*
 * Whose a certificate of ICP-Brasil is. One of a company (e-CNPJ) has its CNPJ among the alternative names of the subject
 * (OID 2.16.76.1.3.3, DOC-ICP-04), and its common name ends with it.
 */

const ALTERNATIVE_NAMES = '2.5.29.17';
const COMPANY_NUMBER = '2.16.76.1.3.3';
/** Another kind of name, of a type that its OID tells. */
const OTHER_NAME = 0;
const CNPJ = /^[\dA-Z]{12}\d\d$/;

/** The CNPJ of the company that holds a certificate, without punctuation; empty if it names none. */
export function companyNumberIn(certificate: X509Certificate): string {
  const named = alternativeNumber(certificate.raw);
  if (CNPJ.test(named)) return named;
  const [, number = ''] = /:([\dA-Z]{14})$/.exec(commonNameIn(certificate.subject)) ?? [];
  return CNPJ.test(number) ? number : '';
}

/** The common name in a distinguished name as Node writes it, or all of it. */
export const commonNameIn = (distinguished: string): string =>
  /^CN=(.+)$/m.exec(distinguished)?.[1]?.replaceAll('\\', '') ?? distinguished.replaceAll('\n', ', ');

/** The name of the holder without the number behind it. */
export const holderIn = ({ subject }: X509Certificate): string =>
  commonNameIn(subject).replace(/:[\dA-Z]{11,14}$/, '');

function alternativeNumber(der: Uint8Array): string {
  const { extensions = [] } = pkijs.Certificate.fromBER(new Uint8Array(der));
  const names = extensions.find(({ extnID }) => extnID === ALTERNATIVE_NAMES);
  if (!names) return '';
  const { result } = asn1js.fromBER(names.extnValue.valueBlock.valueHexView);
  for (const name of partsOf(result)) {
    if (name.idBlock.tagNumber !== OTHER_NAME) continue;
    const [type, wrapped] = partsOf(name);
    if (!(type instanceof asn1js.ObjectIdentifier) || type.getValue() !== COMPANY_NUMBER) continue;
    return Buffer.from(partsOf(wrapped)[0]?.valueBlock.toBER() ?? new ArrayBuffer())
      .toString('latin1')
      .trim();
  }
  return '';
}

const partsOf = (block: asn1js.BaseBlock | undefined): asn1js.BaseBlock[] =>
  block instanceof asn1js.Constructed ? block.valueBlock.value : [];
