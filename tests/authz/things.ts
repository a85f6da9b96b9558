import type { ContainerType } from '#features/documents/folders/folders.ts';
import type { Document } from '#features/documents/documents/documents.ts';
import type { Actor } from '#features/base/people/people.ts';
import { newId } from '#platform/security/crypto.server.ts';
import type { ClientKey, Person, Thing } from './policy.ts';

/** The kinds of ids of which tests/authz/world.ts makes things. */
interface KindsOfWorld {
  client: true;
  project: true;
  folder: true;
  'document in client': true;
  'document in project': true;
  'document in folder': true;
  'any document': true;
  'any container': true;
  link: true;
  'linked document': true;
  mail: true;
  firm: true;
  company: true;
  contact: true;
  user: true;
  invitation: true;
  export: true;
  upload: true;
  share: true;
  'sent share': true;
  recipient: true;
}
/**
 * The kinds of ids that calls take. A feature adds those of its own things, and makes them (`things` of its access.ts).
 *
 * @public
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- features add to it
export interface Kinds extends KindsOfWorld {}
export type Kind = keyof Kinds;
export type KindOfFeatures = Exclude<Kind, keyof KindsOfWorld>;

/** The possible values of an id, by choice. */
export type Choices = Readonly<Record<string, Thing>>;

export type PerType<T> = Record<ContainerType, T>;

export interface ClientOfWorld {
  id: string;
  key: ClientKey;
  places: PerType<string>;
  papers: PerType<Document>;
}

/** What a feature finds in the fixture when it makes its own things there. */
export interface WorldSoFar {
  staff: Actor;
  otherStaff: Actor;
  /** One of each kind of people who write something. */
  authors: Partial<Record<Person, Actor>>;
  clients: Record<ClientKey, ClientOfWorld>;
  /** Those of the features that it depends on. */
  things: Readonly<Record<Kind, Choices>>;
}

export const live = (id: string, clientKey: ClientKey): Thing => ({ id, state: 'live', client: clientKey });

/** An unknown id, and malformed ones. */
export const noIds = (prefix: string): Record<string, Thing> => ({
  unknown: { id: newId(prefix), state: 'unknown' },
  'malformed, a path': { id: '../../CANARY', state: 'malformed' },
  'malformed, SQL': { id: `' or 1=1 --`, state: 'malformed' },
  'malformed, a pattern': { id: '%', state: 'malformed' },
  'malformed, too long': { id: 'x'.repeat(61), state: 'malformed' },
});

export const notDeleted = (choices: Choices): Choices =>
  Object.fromEntries(Object.entries(choices).filter(([, { state }]) => state !== 'deleted'));

/** Clients, and what else is an id of a container. */
export const containersOf = (things: Readonly<Record<Kind, Choices>>): Choices => ({
  ...things.client,
  ...Object.fromEntries(
    Object.entries(things['any container']).map(([choice, thing]) => [`container ${choice}`, thing]),
  ),
});
