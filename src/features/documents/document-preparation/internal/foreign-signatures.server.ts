import * as pkijs from 'pkijs';
import { PdfString, type PDF } from '@libpdf/core';
import type { ForeignSignature } from '../preparation.ts';
import { commonNameOf } from '../certificate-names.server.ts';

/** Certificates of ICP-Brasil end names with the tax id: `MARIA EXEMPLO:52998224725`. */
const TAX_ID = /:(?:\d{11}|[\dA-Z]{12}\d{2})$/;

/** The digital signatures that a PDF bears, in the order of its fields, with the names and dates that they state. */
export function foreignSignatures(pdf: PDF): ForeignSignature[] {
  const { registry } = pdf.context;
  const resolve = registry.resolve.bind(registry);
  return (pdf.getForm()?.getSignatureFields() ?? []).flatMap((field) => {
    const signature = field.isSigned() ? field.getSignatureDict() : undefined;
    if (!signature) return [];
    const stated = signature.get('Name', resolve);
    const contents = signature.get('Contents', resolve);
    const signedAt = dateIn(signature.getString('M', resolve)?.asString() ?? '');
    const name =
      (stated instanceof PdfString ? stated.asString().trim() : '') ||
      (contents instanceof PdfString ? signerName(contents.bytes) : '');
    return [{ name: name.slice(0, 200), ...(signedAt !== undefined && { signedAt }) }];
  });
}

/** The common name in the certificate of the signer; empty if it cannot be read. */
function signerName(bytes: Uint8Array): string {
  try {
    const signed = new pkijs.SignedData({
      schema: pkijs.ContentInfo.fromBER(new Uint8Array(bytes).buffer).content,
    });
    const certificates = (signed.certificates ?? []).filter((each) => each instanceof pkijs.Certificate);
    const [info] = signed.signerInfos;
    const sid: unknown = info?.sid;
    const own =
      sid instanceof pkijs.IssuerAndSerialNumber
        ? certificates.find(({ serialNumber }) => serialNumber.isEqual(sid.serialNumber))
        : undefined;
    const certificate = own ?? certificates[0];
    return certificate ? commonNameOf(certificate).replace(TAX_ID, '') : '';
  } catch {
    return ''; // it bears a signature nevertheless
  }
}

/** A date of PDF such as `D:20261127174137+01'00'`, in UTC unless it says otherwise; undefined if it is none. */
function dateIn(text: string): number | undefined {
  const match = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?)?/.exec(text);
  if (!match) return undefined;
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', sign] = match;
  const zone = sign === undefined ? 'Z' : `${sign}${match[8] ?? '00'}:${match[9] ?? '00'}`;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  return Number.isFinite(time) ? time : undefined;
}
