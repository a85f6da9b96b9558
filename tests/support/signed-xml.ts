import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SignedXml } from 'xml-crypto';

/* Signed fiscal XML, made and verified by xml-crypto, a second implementation of the standard. */

export interface Signer {
  key: string;
  /** The certificate in PEM. */
  certificate: string;
}

/** A key and a certificate of its own, as openssl makes them. */
export function signerNamed(commonName: string): Signer {
  const folder = mkdtempSync(path.join(tmpdir(), 'portal-fiscal-'));
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'key.pem', '-out', 'certificate.pem'],
      ...['-subj', `/CN=${commonName}`, '-days', '30'],
    ],
    { cwd: folder, stdio: 'ignore' },
  );
  const [key = '', certificate = ''] = ['key.pem', 'certificate.pem'].map((name) =>
    readFileSync(path.join(folder, name), 'utf8'),
  );
  return { key, certificate };
}

export const METHODS = {
  inclusive: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
  'inclusive with comments': 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments',
  exclusive: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  'exclusive with comments': 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments',
} as const;
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const ALGORITHMS = {
  sha1: ['http://www.w3.org/2000/09/xmldsig#rsa-sha1', 'http://www.w3.org/2000/09/xmldsig#sha1'],
  sha256: ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', 'http://www.w3.org/2001/04/xmlenc#sha256'],
} as const;

export interface Signing {
  id: string;
  signer: Signer;
  algorithm?: keyof typeof ALGORITHMS;
  /** The canonical form of the data, and of what the signature is of. */
  method?: keyof typeof METHODS;
  ownMethod?: keyof typeof METHODS;
}

/** Signs the element with this Id; the signature is written before the last end tag, and the rest stays as it is. */
export function signXml(
  text: string,
  { id, signer, algorithm = 'sha1', method = 'inclusive', ownMethod = method }: Signing,
): string {
  const [signatureAlgorithm, digestAlgorithm] = ALGORITHMS[algorithm];
  const signed = new SignedXml({
    privateKey: signer.key,
    publicCert: signer.certificate,
    signatureAlgorithm,
    canonicalizationAlgorithm: METHODS[ownMethod],
  });
  signed.addReference({
    xpath: `//*[@Id='${id}']`,
    digestAlgorithm,
    transforms: [ENVELOPED, METHODS[method]],
    uri: `#${id}`,
  });
  signed.computeSignature(text, { location: { reference: '/*', action: 'append' } });
  const end = text.lastIndexOf('</');
  return text.slice(0, end) + signed.getSignatureXml() + text.slice(end);
}

/** What xml-crypto says about the signature of a well-formed text: whether it is valid. */
export function isValidForOracle(text: string): boolean {
  const [signature] = /<Signature[\s>][\s\S]*<\/Signature\s*>/.exec(text) ?? [];
  if (signature === undefined) return false;
  const verifier = new SignedXml({ getCertFromKeyInfo: (info) => SignedXml.getCertFromKeyInfo(info) });
  try {
    verifier.loadSignature(signature);
    return verifier.checkSignature(text) && verifier.getSignedReferences().length === 1;
  } catch {
    return false; // it throws for what it does not accept
  }
}
