import { createHash, verify, X509Certificate } from 'node:crypto';
import type { Signature } from '../fiscal-xml.ts';
import {
  canonical,
  contextOf,
  hasBlanks,
  INCLUSIVE,
  type Canonical,
  type Method,
} from './canonical.server.ts';
import {
  attribute,
  child,
  children,
  elementsIn,
  forEachElement,
  ownText,
  text,
  type XmlElement,
} from '../xml.server.ts';

/*
 * Signatures of fiscal documents: XML-DSig with one reference to the element that has the data, enveloped, inclusive
 * canonical XML, RSA. Anything else is unsupported, never valid. Whether the certificate is one of ICP-Brasil is not
 * checked (decisions/0098).
 */

const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const ENVELOPED = `${DSIG}enveloped-signature`;
const C14N = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
/** The national NFS-e uses the last one, all other documents the first. */
const METHODS: Readonly<Record<string, Method>> = {
  [C14N]: INCLUSIVE,
  [`${C14N}#WithComments`]: { isExclusive: false, hasComments: true },
  [EXCLUSIVE]: { isExclusive: true, hasComments: false },
  [`${EXCLUSIVE}WithComments`]: { isExclusive: true, hasComments: true },
};
const DIGESTS: Readonly<Record<string, 'sha1' | 'sha256'>> = {
  [`${DSIG}sha1`]: 'sha1',
  'http://www.w3.org/2001/04/xmlenc#sha256': 'sha256',
};
const SIGNATURES: Readonly<Record<string, 'sha1' | 'sha256'>> = {
  [`${DSIG}rsa-sha1`]: 'sha1',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256': 'sha256',
};

interface Parts {
  signature: XmlElement;
  signedInfo: XmlElement;
  /** The element with the data. */
  signed: XmlElement;
  digest: 'sha1' | 'sha256';
  hash: 'sha1' | 'sha256';
  /** The canonical form of the data; a reference by Id never has comments. */
  method: Method;
  /** That of what the signature itself is of. */
  ownMethod: Method;
}

/** Verifies the signature of a document: `signed` has the data, and the signature is beside or in it. */
export function signatureOf(signed: XmlElement): Signature {
  const owner = signed.parent ?? signed;
  const signature = [owner, signed].flatMap((each) => children(each, 'Signature'))[0];
  if (!signature) return { state: 'none' };
  const digest = text(signature, 'SignedInfo.Reference.DigestValue').replace(/\s/g, '');
  const parts = partsOf(signature, signed);
  const certificate = certificateOf(signature);
  if (!parts || !certificate) return { state: 'unsupported', digest };
  const facts = { digest, algorithm: parts.hash, signer: signerOf(certificate) };
  // It was signed alone, so its wrapper must not count; a few programs sign in place.
  const { method } = parts;
  const places: Canonical[] = [{ method, outermost: owner }, { method }];
  const compact = places.map((place) => ({ ...place, isCompact: true }));
  const isVerifiedIn = (forms: readonly Canonical[]): boolean =>
    forms.some((form) => isVerified(parts, form, certificate));
  if (isVerifiedIn(places)) return { state: 'valid', ...facts };
  if (isVerifiedIn(compact)) return { state: 'reformatted', ...facts };
  const isSame = [...places, ...compact].some((form) => digestOf(signed, parts.digest, form) === digest);
  return { state: isSame ? 'forged' : 'changed', ...facts };
}

/** The digests of an element as a signature of it would have them: alone or in its place, as it is or without blanks. */
export const contentDigests = (signed: XmlElement): string[] =>
  [signed.parent, undefined].flatMap((outermost) =>
    [false, true].map((isCompact) => digestOf(signed, 'sha1', { outermost, isCompact })),
  );

function isVerified(parts: Parts, form: Canonical, { publicKey }: X509Certificate): boolean {
  const { signed, signature, signedInfo, digest, hash } = parts;
  if (digestOf(signed, digest, form) !== text(signedInfo, 'Reference.DigestValue').replace(/\s/g, ''))
    return false;
  const value = Buffer.from(text(signature, 'SignatureValue'), 'base64');
  return verify(
    hash,
    Buffer.from(canonical(signedInfo, { ...form, method: parts.ownMethod })),
    publicKey,
    value,
  );
}

const digests = new WeakMap<XmlElement, Map<string, string>>();

/** The digest of an element without its signature. Most forms of a document are the same, and made once. */
function digestOf(signed: XmlElement, algorithm: 'sha1' | 'sha256', form: Canonical): string {
  const known = digests.get(signed) ?? new Map<string, string>();
  digests.set(signed, known);
  const isCompact = form.isCompact === true && hasBlanks(signed);
  const id = JSON.stringify([algorithm, isCompact, form.method, contextOf(signed, form.outermost)]);
  const digest =
    known.get(id) ??
    createHash(algorithm)
      .update(canonical(signed, { ...form, isCompact, omitted: child(signed, 'Signature') }))
      .digest('base64');
  known.set(id, digest);
  return digest;
}

/** The parts of a signature of the only supported form; undefined for any other. */
function partsOf(signature: XmlElement, signed: XmlElement): Parts | undefined {
  let isForeign = false;
  forEachElement(signature, ({ uri }) => (isForeign ||= uri !== DSIG));
  if (isForeign) return undefined;
  const [signedInfo, ...others] = children(signature, 'SignedInfo');
  const [reference, ...references] = children(signature, 'SignedInfo.Reference');
  const id = attribute(signed, 'Id');
  if (!signedInfo || !reference || others.length > 0 || references.length > 0 || id === '') return undefined;
  if (children(signature, 'SignatureValue').length !== 1 || children(reference, 'DigestValue').length !== 1)
    return undefined;
  if (attribute(reference, 'URI') !== `#${id}` || !isOnlyWithId(signed, id)) return undefined;
  const [digest, hash] = [
    DIGESTS[text(reference, 'DigestMethod.@Algorithm')],
    SIGNATURES[text(signedInfo, 'SignatureMethod.@Algorithm')],
  ];
  const ownMethod = methodOf(child(signedInfo, 'CanonicalizationMethod'));
  const transforms = children(reference, 'Transforms.Transform');
  const enveloped = transforms.filter((each) => attribute(each, 'Algorithm') === ENVELOPED);
  const [transform, ...more] = transforms.filter((each) => !enveloped.includes(each));
  const method = transform ? methodOf(transform) : INCLUSIVE;
  if (!digest || !hash || !ownMethod || !method || more.length > 0) return undefined;
  if (signature.parent === signed && enveloped.length === 0) return undefined;
  return {
    signature,
    signedInfo,
    signed,
    digest,
    hash,
    ownMethod,
    method: { ...method, hasComments: false },
  };
}

/** A method of canonicalization; undefined for others, and for those with parameters. */
const methodOf = (element: XmlElement | undefined): Method | undefined =>
  element && elementsIn(element).length === 0 ? METHODS[attribute(element, 'Algorithm')] : undefined;

/** Two elements with the same Id are how signed data is wrapped into other data. */
function isOnlyWithId(signed: XmlElement, id: string): boolean {
  let root = signed;
  while (root.parent) root = root.parent;
  const owners: XmlElement[] = [];
  forEachElement(root, (each) => {
    for (const { name, value } of each.attributes)
      if (value === id && name.toLowerCase() === 'id') owners.push(each);
  });
  return owners.length === 1 && owners[0] === signed;
}

function certificateOf(signature: XmlElement): X509Certificate | undefined {
  const [encoded] = children(signature, 'KeyInfo.X509Data.X509Certificate').map((each) => ownText(each));
  try {
    const certificate = new X509Certificate(Buffer.from(encoded ?? '', 'base64'));
    return certificate.publicKey.asymmetricKeyType === 'rsa' ? certificate : undefined;
  } catch {
    return undefined; // not a certificate
  }
}

/** Who signed, by the common name, which ends with the CNPJ or CPF in certificates of ICP-Brasil. */
function signerOf({ subject }: X509Certificate): { name: string; taxId: string } {
  const common = /^CN=(.*)$/m.exec(subject)?.[1]?.replaceAll('\\', '') ?? '';
  const [, name = common, taxId = ''] = /^(.*?):([A-Z\d]{12}\d\d|\d{11})$/.exec(common) ?? [];
  return { name, taxId };
}
