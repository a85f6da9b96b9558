import { createHash, createPrivateKey, sign, X509Certificate } from 'node:crypto';
import type { Credentials } from '#features/brazil/digital-certificates/credentials.server.ts';
import { ENVIRONMENTS, type Environment, type SignedEvent, taxIdElement } from './tax-authority.server.ts';

/*
 * Events of the manifest as the authority's layout has them (leiauteConfRecebto 1.00, NT 2020.001), signed by XML-DSig:
 * enveloped, inclusive canonical XML, RSA-SHA1. They are written in canonical form, so that their digests need no parser.
 */

const NFE = 'http://www.portalfiscal.inf.br/nfe';
const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const C14N = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
/** The number of the national environment among those of states. */
const NATIONAL = '91';
const VERSION = '1.00';

/** The authority's descriptions of the events, without accents, by its numbers. */
const DESCRIPTIONS = {
  '210200': 'Confirmacao da Operacao',
  '210210': 'Ciencia da Operacao',
  '210220': 'Desconhecimento da Operacao',
  '210240': 'Operacao nao Realizada',
} as const;
export type EventCode = keyof typeof DESCRIPTIONS;
/** The only one that takes a justification, and needs one. */
const WITH_JUSTIFICATION: EventCode = '210240';

interface EventToSign {
  environment: Environment;
  /** The access key of the invoice, 44 characters. */
  key: string;
  code: EventCode;
  /** The first event of its kind about an invoice is 1. */
  sequence: number;
  /** The CNPJ or CPF in the invoice that received it, without punctuation: of a branch, that of the branch. */
  author: string;
  /** When it happens (epoch ms). */
  at: number;
  justification: string;
}

/** The `Id` of an event. */
export const eventId = ({ code, key, sequence }: Pick<EventToSign, 'code' | 'key' | 'sequence'>): string =>
  `ID${code}${key}${String(sequence).padStart(2, '0')}`;

/** Writes and signs an event with the key of the client. */
export function signEvent(event: EventToSign, { key: pem, pem: certificates }: Credentials): SignedEvent {
  const { environment, key, code, sequence, author, at, justification } = event;
  const id = eventId(event);
  const reason = code === WITH_JUSTIFICATION ? element('xJust', justification) : '';
  const content = [
    element('cOrgao', NATIONAL),
    element('tpAmb', ENVIRONMENTS[environment]),
    element(taxIdElement(author), author),
    element('chNFe', key),
    element('dhEvento', inBrasilia(at)),
    element('tpEvento', code),
    element('nSeqEvento', String(sequence)),
    element('verEvento', VERSION),
    `<detEvento versao="${VERSION}">${element('descEvento', DESCRIPTIONS[code])}${reason}</detEvento>`,
  ].join('');
  const signed = (namespace: string): string => `<infEvento${namespace} Id="${id}">${content}</infEvento>`;
  const signature = signatureOf(signed(` xmlns="${NFE}"`), { id, pem, certificates });
  return {
    id,
    lot: String(at).slice(-15),
    xml: `<evento xmlns="${NFE}" versao="${VERSION}">${signed('')}${signature}</evento>`,
  };
}

function signatureOf(
  canonical: string,
  { id, pem, certificates }: { id: string; pem: string; certificates: string },
): string {
  const digest = createHash('sha1').update(canonical).digest('base64');
  const info = [
    empty('CanonicalizationMethod', C14N),
    empty('SignatureMethod', `${DSIG}rsa-sha1`),
    `<Reference URI="#${id}"><Transforms>${empty('Transform', `${DSIG}enveloped-signature`)}${empty('Transform', C14N)}</Transforms>`,
    `${empty('DigestMethod', `${DSIG}sha1`)}${element('DigestValue', digest)}</Reference>`,
  ].join('');
  const own = `<SignedInfo xmlns="${DSIG}">${info}</SignedInfo>`;
  const value = sign('sha1', Buffer.from(own), createPrivateKey(pem)).toString('base64');
  const certificate = new X509Certificate(certificates).raw.toString('base64'); // the first of them
  return `<Signature xmlns="${DSIG}"><SignedInfo>${info}</SignedInfo>${element('SignatureValue', value)}<KeyInfo><X509Data>${element('X509Certificate', certificate)}</X509Data></KeyInfo></Signature>`;
}

const element = (name: string, value: string): string => `<${name}>${escaped(value)}</${name}>`;
const empty = (name: string, algorithm: string): string => `<${name} Algorithm="${algorithm}"></${name}>`;

/** Text as canonical XML has it. */
const escaped = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#xD;');

/** An instant by the clock of Brasília, which has had no summer time since 2019: `2026-11-27T12:00:00-03:00`. */
const inBrasilia = (at: number): string => `${new Date(at - 10_800_000).toISOString().slice(0, 19)}-03:00`;
