import type { DocumentState, FiscalText, Proof, Protocol, Signature } from '../fiscal-xml.ts';
import { haveSameHolder, keyHolds, parseKey, type AccessKey } from '../keys.ts';
import { contentDigests } from './signature.server.ts';
import type { XmlElement } from '../xml.server.ts';

/* What a file proves about its document, and what it does not. */

/** The parts of a key that the content repeats; '' for what it does not. */
export type KeyContent = Partial<Record<keyof AccessKey, string>>;

const PART_NAMES: Readonly<Record<keyof AccessKey, FiscalText>> = {
  state: 'keyState',
  month: 'keyMonth',
  issuer: 'issuer',
  model: 'keyModel',
  series: 'series',
  number: 'number',
  emission: 'keyEmission',
  code: 'keyCode',
  digit: 'keyDigit',
};

/** Checks the key and whether the content agrees with it. */
export function keyProofs(key: string, content: KeyContent): Proof[] {
  if (!keyHolds(key)) return [{ result: 'wrong', text: key === '' ? 'keyMissing' : 'keyWrong' }];
  const parts = parseKey(key);
  if (!parts) return [{ result: 'proven', text: 'keyRight' }];
  const fields = (Object.keys(PART_NAMES) as (keyof AccessKey)[]).filter((part) => {
    const [inKey, inContent] = [parts[part], content[part] ?? ''];
    return inContent !== '' && inKey !== '' && inContent.padStart(inKey.length, '0') !== inKey;
  });
  return fields.length === 0
    ? [{ result: 'proven', text: 'contentAgrees' }]
    : [{ result: 'wrong', text: 'contentDiffers', fields: fields.map((part) => PART_NAMES[part]) }];
}

export function signatureProofs(signature: Signature, issuer: string): Proof[] {
  switch (signature.state) {
    case 'none':
      return [{ result: 'open', text: 'unsigned' }];
    case 'unsupported':
      return [{ result: 'open', text: 'signatureUnsupported' }];
    case 'changed':
      return [{ result: 'wrong', text: 'signatureChanged' }];
    case 'forged':
      return [{ result: 'wrong', text: 'signatureForged' }];
    case 'valid':
    case 'reformatted': {
      const { signer } = signature;
      const algorithm = signature.algorithm === 'sha1' ? 'SHA-1' : 'SHA-256';
      const vars = { name: signer.name || signer.taxId, algorithm };
      const isOther = issuer !== '' && signer.taxId !== '' && !haveSameHolder(signer.taxId, issuer);
      return [
        {
          result: 'proven',
          text: signature.state === 'valid' ? 'signatureValid' : 'signatureReformatted',
          vars,
        },
        ...(isOther ? [{ result: 'open', text: 'signedByOther', vars } as const] : []),
        { result: 'open', text: 'certificateUnchecked' },
      ];
    }
  }
}

const AUTHORIZED = new Set(['100', '150']);
const CANCELLED = new Set(['101', '151', '155']);
const DENIED = new Set(['110', '205', '301', '302', '303']);

/** Checks the authority's answer: what it says, and whether it is about this document with this content. */
export function protocolProofs(
  protocol: Protocol | undefined,
  { key, signed, signature }: { key: string; signed: XmlElement; signature: Signature },
): { state: DocumentState; proofs: Proof[] } {
  if (!protocol) return { state: 'noProtocol', proofs: [{ result: 'open', text: 'noProtocol' }] };
  const { status } = protocol;
  if (protocol.key !== '' && protocol.key !== key)
    return { state: 'wrongProtocol', proofs: [{ result: 'wrong', text: 'protocolOfOther' }] };
  const isSame =
    protocol.digest === ''
      ? undefined
      : digestIfValid(signature).includes(protocol.digest) ||
        contentDigests(signed).includes(protocol.digest);
  if (isSame === false)
    return { state: 'wrongProtocol', proofs: [{ result: 'wrong', text: 'protocolOfOtherContent' }] };
  const state = AUTHORIZED.has(status)
    ? 'authorized'
    : CANCELLED.has(status)
      ? 'cancelled'
      : DENIED.has(status)
        ? 'denied'
        : 'rejected';
  const tie: Proof = isSame
    ? { result: 'proven', text: 'protocolOfContent' }
    : { result: 'open', text: protocol.key === '' ? 'protocolWithoutKey' : 'protocolWithoutDigest' };
  return { state, proofs: [tie] };
}

/** The digest that a valid signature has, which may be of another algorithm than that of a protocol. */
const digestIfValid = (signature: Signature): string[] =>
  signature.state === 'valid' || signature.state === 'reformatted' ? [signature.digest] : [];

/** What no file can prove. */
export const AUTHORITY_NOT_ASKED: Proof = { result: 'open', text: 'authorityNotAsked' };
