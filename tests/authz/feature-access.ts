import type { Actor } from '#features/base/people/people.ts';
import type { Container } from '#features/documents/folders/folders.ts';
import type { Document } from '#features/documents/documents/documents.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import type { Known } from '../fuzz/contract.ts';
import type { makeCast } from '../support/cast.ts';
import type { PageRule } from './page-policy.ts';
import type { Person, Rule, Thing } from './policy.ts';
import type { RequestFixture } from './request-fixtures.ts';
import type { Choices, Kind, WorldSoFar } from './things.ts';

/**
 * What tests/features/<feature>/access.ts says about the calls and pages of a feature: who may use them, written from
 * the specification and threat-model.md, not from the implementation, and how the tests do so. tests/authz/features.ts
 * finds the files and puts them together.
 */
export interface FeatureAccess {
  /** Who may make each of its calls and what that changes, by method and path. */
  rules?: Readonly<Record<string, Rule>>;
  /** How to make each call. */
  requests?: Readonly<Record<string, readonly RequestFixture[]>>;
  /** Who may open each of its pages, by the pattern in src/routes.ts. */
  pages?: Readonly<Record<string, PageRule>>;
  /** Pages that read-only staff may post to: their own account and session, reading, and estimates. */
  postedByReaders?: readonly string[];
  /** Pages of sections that the firms of the fixture do not have: they redirect everyone. */
  inMissingSections?: readonly string[];
  /** Values of what stands in brackets in the patterns of its pages, by name. */
  placeholders?: Readonly<Record<string, string>>;
  /**
   * Its pages that take an id, by address: with `{id}`, or the id at the end. Everybody who is not signed in is
   * redirected to the sign-in, whatever the id.
   */
  ids?: Readonly<Record<string, IdPage>>;
  /** What its ids name, of kinds that it adds to `Kinds` of tests/authz/things.ts. */
  things?: Things;
  /** The keys of its tables whose rows the matrix restores after a call. */
  keys?: Partial<Readonly<Record<keyof Tables, string>>>;
  fuzz?: Fuzzed;
}

interface IdPage {
  things: (things: Readonly<Record<Kind, Choices>>) => Choices;
  /** The status for somebody who is signed in. A page that only filters a list by the id answers 200 to any id. */
  opens: (person: Person, thing: Thing) => number;
}

interface Things {
  /** How their ids begin in responses, by kind; undefined if only pages show them. */
  kinds: Partial<Readonly<Record<Kind, string | undefined>>>;
  make: (world: WorldSoFar) => Promise<Partial<Record<Kind, Choices>>>;
}

interface Fuzzed {
  /** Makes what its calls need: typical values by name, and by call for ids of which few fit (the first in its path). */
  prepare?: (
    cast: FuzzCast,
  ) => Promise<{ known?: Known; only?: Readonly<Record<string, readonly string[]>> }>;
  /** Calls that nobody can complete there, each with its reason; their effects are tested elsewhere. */
  notHere?: Readonly<Record<string, string>>;
}

/** Whom and what the fuzz tests have made before. */
type FuzzCast = Awaited<ReturnType<typeof makeCast>> & {
  /** The owner of the first firm. */
  olga: Actor;
  /** A folder in Ada's project. */
  folder: Container;
  /** Documents that Ada sees. */
  documents: readonly Document[];
  /** What the features before made. */
  known: Known;
};

/** The same entries for clients, projects and folders; `kind` is that of their ids. */
export const ofContainers = <Entry>(
  of: (
    type: 'clients' | 'projects' | 'folders',
    kind: 'client' | 'project' | 'folder',
  ) => Readonly<Record<string, Entry>>,
): Record<string, Entry> => ({
  ...of('clients', 'client'),
  ...of('projects', 'project'),
  ...of('folders', 'folder'),
});
