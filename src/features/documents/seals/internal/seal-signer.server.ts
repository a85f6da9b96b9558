import { randomBytes, verify, X509Certificate } from 'node:crypto';
import * as asn1js from 'asn1js';
import {
  CryptoKeySigner,
  HttpTimestampAuthority,
  P12Signer,
  SignerError,
  type Signer,
  type TimestampAuthority,
} from '@libpdf/core';
import * as pkijs from 'pkijs';
import type { Job, Results, SealSecret } from '../worker.server.ts';
import { JobRefusal } from '#features/documents/document-preparation/refusals.server.ts';

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const COMMON_NAME = '2.5.4.3';
const KEY_USAGE = '2.5.29.15';
const BASIC_CONSTRAINTS = '2.5.29.19';
const TIMESTAMP_TIMEOUT = 15_000;

/** Makes a P-256 key and a certificate that it signs itself, with the name of a firm. */
export async function makeKey({
  name,
  validFrom,
  validUntil,
}: Extract<Job, { kind: 'make-key' }>): Promise<Results['make-key']> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']);
  const certificate = new pkijs.Certificate();
  certificate.version = 2; // X.509 v3
  const serial = randomBytes(16);
  serial[0] = 0x40 | ((serial[0] ?? 0) & 0x3f); // a positive number without leading zeros
  certificate.serialNumber = new asn1js.Integer({ valueHex: new Uint8Array(serial).buffer });
  for (const side of [certificate.subject, certificate.issuer])
    side.typesAndValues.push(
      new pkijs.AttributeTypeAndValue({
        type: COMMON_NAME,
        value: new asn1js.Utf8String({ value: [...name].slice(0, 64).join('') }),
      }),
    );
  certificate.notBefore.value = new Date(validFrom);
  certificate.notAfter.value = new Date(validUntil);
  // digital signature and content commitment (non-repudiation)
  const usage = new asn1js.BitString({ valueHex: new Uint8Array([0b1100_0000]).buffer, unusedBits: 6 });
  certificate.extensions = [
    new pkijs.Extension({
      extnID: BASIC_CONSTRAINTS,
      critical: true,
      extnValue: new pkijs.BasicConstraints({ cA: false }).toSchema().toBER(),
    }),
    new pkijs.Extension({ extnID: KEY_USAGE, critical: true, extnValue: usage.toBER() }),
  ];
  await certificate.subjectPublicKeyInfo.importKey(publicKey);
  await certificate.sign(privateKey, 'SHA-256');
  const der = new Uint8Array(certificate.toSchema(true).toBER());
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)).toString('base64');
  return {
    secret: { kind: 'pkcs8', key, certificate: Buffer.from(der).toString('base64') },
    certificate: der,
  };
}

/** Opens a PKCS#12 file and returns the certificate of its key. */
export async function openKey(file: Uint8Array, password: string): Promise<Results['open-key']> {
  return { certificate: (await pkcs12Signer(file, password)).certificate };
}

/** Opens a PKCS#12 file and returns its private key in PKCS#8 and its certificates in DER, the one of the key first. */
export async function readKey(file: Uint8Array, password: string): Promise<Results['read-key']> {
  const opened = await openPkcs12(file, password);
  const { certificate, certificateChain = [] } = await ownCertificateFirst(opened);
  const key: unknown = Reflect.get(opened, 'privateKey'); // the library has no other way to it
  if (!(key instanceof CryptoKey) || !key.extractable) throw new JobRefusal('unsuitable-key');
  return {
    key: new Uint8Array(await crypto.subtle.exportKey('pkcs8', key)),
    certificates: [certificate, ...certificateChain],
  };
}

/** The signer of a stored secret. */
export async function signerOf(secret: SealSecret): Promise<Signer> {
  if (secret.kind === 'pkcs12') return pkcs12Signer(Buffer.from(secret.file, 'base64'), secret.password);
  const key = await crypto.subtle.importKey('pkcs8', Buffer.from(secret.key, 'base64'), ECDSA, false, [
    'sign',
  ]);
  return new CryptoKeySigner(key, Buffer.from(secret.certificate, 'base64'), 'EC', 'ECDSA');
}

const pkcs12Signer = async (file: Uint8Array, password: string): Promise<Signer> =>
  ownCertificateFirst(await openPkcs12(file, password));

/** A file may list its certificates in any order: the one of the key is found by a trial signature. */
async function ownCertificateFirst(opened: P12Signer): Promise<Signer> {
  const trial = randomBytes(32);
  const signature = await opened.sign(trial, 'SHA-256');
  const all = [opened.certificate, ...opened.certificateChain];
  const own = findOwn(all, trial, signature);
  if (!own) throw new JobRefusal('unsuitable-key');
  return {
    certificate: own,
    certificateChain: all.filter((certificate) => certificate !== own),
    keyType: opened.keyType,
    signatureAlgorithm: opened.signatureAlgorithm,
    sign: (data, algorithm) => opened.sign(data, algorithm),
  };
}

async function openPkcs12(file: Uint8Array, password: string): Promise<P12Signer> {
  try {
    return await P12Signer.create(file, password);
  } catch (error) {
    const isPassword = error instanceof SignerError && /password|integrity/i.test(error.message);
    throw new JobRefusal(isPassword ? 'wrong-password' : 'not-pkcs12');
  }
}

function findOwn(
  certificates: readonly Uint8Array[],
  data: Buffer,
  signature: Uint8Array,
): Uint8Array | undefined {
  return certificates.find((der) => verify('sha256', data, new X509Certificate(der).publicKey, signature));
}

/** The authority at an address, whose user and password are sent as a header. */
export function timestampAuthority(address: string): TimestampAuthority {
  const url = new URL(address);
  const { username, password } = url;
  [url.username, url.password] = ['', ''];
  const account = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers: Record<string, string> =
    username === '' ? {} : { Authorization: `Basic ${Buffer.from(account).toString('base64')}` };
  return new HttpTimestampAuthority(url.href, { headers, timeout: TIMESTAMP_TIMEOUT });
}

/** Asks an authority for a timestamp of nothing in particular. */
export async function tryTimestamp(address: string): Promise<Results['timestamp']> {
  try {
    return { bytes: (await timestampAuthority(address).timestamp(randomBytes(32), 'SHA-256')).length };
  } catch {
    throw new JobRefusal('timestamp'); // whatever the reason, it gives none
  }
}
