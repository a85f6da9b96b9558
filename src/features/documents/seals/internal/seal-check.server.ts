import { createHash } from 'node:crypto';
import * as pkijs from 'pkijs';
import { commonNameOf } from '#features/documents/document-preparation/certificate-names.server.ts';

/** What the bytes of a file say about its seal, no matter who made it. */
export interface SealFacts {
  sha256: string;
  /** `broken`: there is a seal, but it cannot be read. */
  seal: 'none' | 'broken' | 'found';
  /** The seal covers the whole file, except for its own place. */
  coversAll: boolean;
  /** Its own place contains nothing but the seal, written as we write it. */
  isClean: boolean;
  /** The bytes that it covers are those that were sealed. */
  isSigned: boolean;
  /** The certificate of the seal (DER), and the time that it names. */
  certificate?: Uint8Array;
  signedAt?: number;
  /** The timestamp of an authority, for exactly this seal. */
  timestamp: 'none' | 'valid' | 'invalid';
  timestampAt?: number;
  timestampBy?: string;
}

const SIGNING_TIME = '1.2.840.113549.1.9.5';
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.47';
const TIMESTAMP = '1.2.840.113549.1.9.16.2.14';
const TIMESTAMP_INFO = '1.2.840.113549.1.9.16.1.4';
const TIMESTAMPING = '1.3.6.1.5.5.7.3.8';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const MARK = '(FirmSeal)';
const MAX_RANGES = 200;

/** Reads the seal of a file. Every byte outside of it is covered by its signature, so no PDF parser is needed. */
export async function checkSeal(bytes: Uint8Array): Promise<SealFacts> {
  const facts: SealFacts = {
    sha256: createHash('sha256').update(bytes).digest('hex'),
    seal: 'none',
    coversAll: false,
    isClean: false,
    isSigned: false,
    timestamp: 'none',
  };
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const range = rangeIn(text);
  if (!range) return { ...facts, seal: text.includes(MARK) ? 'broken' : 'none' };
  const isHex = /^<[0-9A-F]+>$/.test(text.slice(range.gapStart, range.gapEnd));
  const cms = derIn(text.slice(range.gapStart + 1, range.gapEnd - 1));
  facts.coversAll = range.gapEnd + range.rest === bytes.length;
  facts.isClean = isHex && cms?.isPadded === true;
  const found = cms && (await readCms(cms.der, coveredBytes(bytes, range)));
  if (!found) return { ...facts, seal: 'broken' };
  return { ...facts, ...found, seal: found.isSigned || !text.includes(MARK) ? 'found' : 'broken' };
}

interface Range {
  gapStart: number;
  gapEnd: number;
  rest: number;
}

/** The last byte range that begins with the file; one whose end is the end of the file, if there is one. */
function rangeIn(text: string): Range | undefined {
  const ranges: Range[] = [];
  const pattern = /\/ByteRange ?\[ *0 +(\d{1,10}) +(\d{1,10}) +(\d{1,10}) *\]/g;
  for (const match of text.matchAll(pattern)) {
    const [gapStart, gapEnd, rest] = match.slice(1).map(Number);
    if (gapStart === undefined || gapEnd === undefined || rest === undefined) continue;
    if (gapStart < gapEnd && gapEnd + rest <= text.length) ranges.push({ gapStart, gapEnd, rest });
    if (ranges.length > MAX_RANGES) break;
  }
  return ranges.find(({ gapEnd, rest }) => gapEnd + rest === text.length) ?? ranges.at(-1);
}

function coveredBytes(bytes: Uint8Array, { gapStart, gapEnd, rest }: Range): ArrayBuffer {
  const covered = new Uint8Array(gapStart + rest);
  covered.set(bytes.subarray(0, gapStart));
  covered.set(bytes.subarray(gapEnd, gapEnd + rest), gapStart);
  return covered.buffer;
}

/** The ASN.1 value at the start of hexadecimal digits, and whether only zeros follow it. */
function derIn(hex: string): { der: ArrayBuffer; isPadded: boolean } | undefined {
  const all = Buffer.from(hex, 'hex');
  const lengthBytes = all[1] === undefined ? 0 : all[1] - 0x80;
  if (all[0] !== 0x30 || lengthBytes < 1 || lengthBytes > 3 || all.length < 2 + lengthBytes) return undefined;
  const end = 2 + lengthBytes + all.readUIntBE(2, lengthBytes);
  if (end > all.length) return undefined;
  return {
    der: new Uint8Array(all.subarray(0, end)).buffer,
    isPadded: all.length * 2 === hex.length && all.subarray(end).every((byte) => byte === 0),
  };
}

type CmsFacts = Omit<SealFacts, 'sha256' | 'seal' | 'coversAll' | 'isClean'>;

async function readCms(der: ArrayBuffer, covered: ArrayBuffer): Promise<CmsFacts | undefined> {
  // the library that seals replaces the engine of pkijs by one that cannot verify
  pkijs.setEngine('portal', crypto, crypto.subtle);
  try {
    const signed = new pkijs.SignedData({ schema: pkijs.ContentInfo.fromBER(der).content });
    const [info] = signed.signerInfos;
    if (!info || signed.signerInfos.length !== 1) return undefined;
    const verified = await verifySigner(signed, covered);
    const certificate = verified.certificate && new Uint8Array(verified.certificate.toSchema().toBER());
    const token = info.unsignedAttrs?.attributes.find(({ type }) => type === TIMESTAMP);
    return {
      isSigned: verified.isSigned && certificate !== undefined && namesCertificate(info, certificate),
      ...(certificate && { certificate }),
      ...timeIn(info),
      ...(token
        ? await readTimestamp(token, new Uint8Array(info.signature.valueBlock.valueHexView).buffer)
        : { timestamp: 'none' as const }),
    };
  } catch {
    return undefined; // it is no signature
  }
}

async function verifySigner(
  signed: pkijs.SignedData,
  data: ArrayBuffer,
): Promise<{ isSigned: boolean; certificate?: pkijs.Certificate }> {
  try {
    const result = await signed.verify({ signer: 0, data, checkChain: false, extendedMode: true });
    return {
      isSigned: result.signatureVerified === true,
      ...(result.signerCertificate && { certificate: result.signerCertificate }),
    };
  } catch (error) {
    // pkijs throws where the bytes are not those that were signed
    const certificate = error instanceof pkijs.SignedDataVerifyError ? error.signerCertificate : undefined;
    return { isSigned: false, ...(certificate && { certificate }) };
  }
}

/** True if the signed part of a seal names this certificate (RFC 5035), so that it cannot be exchanged. */
function namesCertificate(info: pkijs.SignerInfo, certificate: Uint8Array): boolean {
  const named = info.signedAttrs?.attributes.find(({ type }) => type === SIGNING_CERTIFICATE);
  const digest = createHash('sha256').update(certificate).digest();
  return named !== undefined && Buffer.from(named.toSchema().toBER()).includes(digest);
}

function timeIn(info: pkijs.SignerInfo): { signedAt?: number } {
  const value: unknown = info.signedAttrs?.attributes.find(({ type }) => type === SIGNING_TIME)?.values[0];
  const time = isTime(value) ? value.toDate().getTime() : NaN;
  return Number.isFinite(time) ? { signedAt: time } : {};
}

const isTime = (value: unknown): value is { toDate: () => Date } =>
  typeof value === 'object' && value !== null && 'toDate' in value && typeof value.toDate === 'function';

/** Reads a timestamp of RFC 3161: valid if an authority signed the digest of this seal with it. */
async function readTimestamp(
  attribute: pkijs.Attribute,
  signature: ArrayBuffer,
): Promise<Pick<SealFacts, 'timestamp' | 'timestampAt' | 'timestampBy'>> {
  try {
    const value: unknown = attribute.values[0];
    if (attribute.values.length !== 1 || !isEncodable(value)) return { timestamp: 'invalid' };
    const token = new pkijs.SignedData({ schema: pkijs.ContentInfo.fromBER(value.toBER()).content });
    const content = token.encapContentInfo;
    if (content.eContentType !== TIMESTAMP_INFO || !content.eContent || token.signerInfos.length !== 1)
      return { timestamp: 'invalid' };
    const info = pkijs.TSTInfo.fromBER(content.eContent.getValue());
    const { isSigned, certificate } = await verifySigner(token, signature);
    if (!isSigned || !certificate) return { timestamp: 'invalid' };
    const at = info.genTime.getTime();
    const isAuthority =
      purposesOf(certificate).includes(TIMESTAMPING) &&
      certificate.notBefore.value.getTime() <= at &&
      at <= certificate.notAfter.value.getTime();
    return isAuthority
      ? { timestamp: 'valid', timestampAt: at, timestampBy: commonNameOf(certificate) }
      : { timestamp: 'invalid' };
  } catch {
    return { timestamp: 'invalid' };
  }
}

const isEncodable = (value: unknown): value is { toBER: () => ArrayBuffer } =>
  typeof value === 'object' && value !== null && 'toBER' in value && typeof value.toBER === 'function';

function purposesOf(certificate: pkijs.Certificate): string[] {
  const usage: unknown = certificate.extensions?.find(
    ({ extnID }) => extnID === EXTENDED_KEY_USAGE,
  )?.parsedValue;
  return usage instanceof pkijs.ExtKeyUsage ? usage.keyPurposes : [];
}
