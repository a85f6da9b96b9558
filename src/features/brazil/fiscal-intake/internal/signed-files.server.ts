import type * as asn1js from 'asn1js';
import * as pkijs from 'pkijs';

/*
 * Files in a signed envelope (.p7m: CMS or PKCS #7), as some programs send XML. Only the envelope is opened: what proves a
 * document is the signature within it.
 */

/** The beginnings of DER and BER sequences, of PEM, and of either as base64. */
const SEQUENCE = 0x30;
const PEM = /^-----BEGIN (?:PKCS7|CMS)-----([\w+/=\s]+)-----END/;
const BASE64 = /^MI[\w+/=\s]+$/;

/** The content of a signed envelope; undefined for what is none, or has no content. */
export function contentOfEnvelope(bytes: Buffer): Buffer | undefined {
  const der = derOf(bytes);
  if (!der) return undefined;
  try {
    const info = pkijs.ContentInfo.fromBER(new Uint8Array(der));
    if (info.contentType !== pkijs.ContentInfo.SIGNED_DATA) return undefined;
    const { encapContentInfo } = new pkijs.SignedData({ schema: info.content as asn1js.Sequence });
    const content = encapContentInfo.eContent?.getValue();
    return content && content.byteLength > 0 ? Buffer.from(content) : undefined;
  } catch {
    return undefined; // no envelope, or a damaged one
  }
}

function derOf(bytes: Buffer): Buffer | undefined {
  if (bytes[0] === SEQUENCE && (bytes[1] ?? 0) >= 0x80) return bytes;
  if (bytes[0] !== 0x2d && bytes[0] !== 0x4d) return undefined;
  const text = bytes.toString('latin1');
  const encoded = PEM.exec(text)?.[1] ?? (BASE64.test(text) ? text : undefined);
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64');
}
