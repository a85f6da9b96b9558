import { isTaxId } from '#platform/inputs/tax-ids.ts';
import type { Credentials } from '#features/brazil/digital-certificates/credentials.server.ts';

/*
 * The tax authority as features use it: whoever received invoices asks which there are, and tells what became of them. An
 * adapter talks to an authority; only what it has answered changes anything.
 */

/** The sequence number of what the authority has for a CNPJ or CPF: 15 digits. */
export type Nsu = string;
export const NO_NSU: Nsu = '0'.repeat(15);

export type Environment = 'production' | 'test';

/** The authority's numbers of environments, as they are in its files. */
export const ENVIRONMENTS = { production: '1', test: '2' } as const satisfies Record<Environment, string>;

/**
 * What became of a request. `notSent` surely had no effect; it was refused because of the certificate, or could not be
 * reached. Whether what is `unclear` had an effect has to be looked up before it is sent again.
 */
export type Outcome<Answer> =
  | ({ state: 'answered' } & Answer)
  | { state: 'notSent'; because: 'unreachable' | 'certificate' }
  | { state: 'unclear'; because: 'timeout' | 'brokenOff' | 'unreadable' | 'failed' };

/** An answer's number and words (`cStat`, `xMotivo`). */
export interface Status {
  code: string;
  reason: string;
}

/** A file that the authority has for a company or person: `schema` says what it is, such as `resNFe_v1.01.xsd`. */
export interface DistributedDocument {
  nsu: Nsu;
  schema: string;
  /** Undefined for one that cannot be unpacked, or is too large. */
  xml: Buffer | undefined;
}

export interface Distribution extends Status {
  /** How far this answer goes, and how far what there is; undefined if the answer has none. */
  last: Nsu | undefined;
  highest: Nsu | undefined;
  documents: DistributedDocument[];
}

export interface EventReply extends Status {
  /** The protocol, 15 digits, and when it was registered (epoch ms); empty and undefined for one that was not. */
  protocol: string;
  registeredAt: number | undefined;
}

/** An event that the authority has about an invoice. */
export interface KnownEvent extends EventReply {
  /** The `Id` of the event: its type, the key and its sequence. */
  id: string;
  /** The CNPJ or CPF of who said so. */
  author: string;
}

/** The element of files of the authority that names a company or a person: that of a CNPJ or of a CPF. */
export const taxIdElement = (taxId: string): 'CNPJ' | 'CPF' => (isTaxId('cpf', taxId) ? 'CPF' : 'CNPJ');

export interface TaxAuthority {
  environment: Environment;
  /** Asks which files there are for a company or person behind a number: at most 50, and only so often. */
  distribute: (who: Credentials, query: { taxId: string; after: Nsu }) => Promise<Outcome<Distribution>>;
  /** Sends a signed event. The status of the request is that of the event, unless the whole request was refused. */
  send: (who: Credentials, event: SignedEvent) => Promise<Outcome<EventReply>>;
  /** Asks what is registered about an invoice. */
  situation: (who: Credentials, key: string) => Promise<Outcome<Status & { events: KnownEvent[] }>>;
}

/** An event as it is sent: the same bytes each time. */
export interface SignedEvent {
  id: string;
  /** Of its request, up to 15 digits. */
  lot: string;
  xml: string;
}
