import type { AuditActionDeclarations } from '../security/audit-actions.server.ts';
import type { Subscription } from './events.server.ts';
import type { MailKindDeclarations } from '../mail/mail-kinds.ts';
import type { NamesOf } from './names.server.ts';
import type { TableDeclarations } from '../database/schema.server.ts';
import type { IslandMessages } from '../text/translations.server.ts';

/**
 * What the surfaces of the portal (home, inbox, settings, audit log, exports …) gather from the features. A surface
 * adds what it takes by declaration merging, so that a feature that contributes imports none of them, and the surface
 * none of those that contribute.
 *
 * @public
 */
export interface Contributions {
  /** Its actions in the audit log, and how they are shown. */
  auditActions: AuditActionDeclarations;
  /** The current names of its things, by the beginning of their ids (`doc` of `doc_1a2b`). */
  names: Readonly<Record<string, NamesOf>>;
  /** The kinds of emails that it sends. A kind that several features send belongs to the lowest of them. */
  mails: MailKindDeclarations;
}

/**
 * What a feature brings to the portal, declared in its `feature.server.ts`. `src/features/all.server.ts` lists the
 * features, and `src/app.server.ts` passes each part to the module that runs it, so the platform never imports a
 * feature. `Api` is the type of its calls, which is defined above the platform.
 */
export interface Feature<Api = unknown> extends Partial<Contributions> {
  /** The name in src/features/dependencies.mjs. */
  name: string;
  /** Its tables (`tables` of its schema.server.ts), all of which a backup copies. */
  tables?: TableDeclarations;
  /** The texts that its islands load as files. */
  islandMessages?: IslandMessages;
  /** Its calls and who may make them. */
  api?: Api;
  /** Its reactions to events of features that it imports; a function gathers those that others contribute. */
  subscriptions?: readonly Subscription[] | (() => readonly Subscription[]);
  /** Its background work, by kind of job. */
  jobs?: Readonly<Record<string, Job>>;
  /** Work at startup and at intervals. */
  sweeps?: readonly Sweep[];
  /** Checks its rows for `npm run verify`; returns a sentence for each fault, without names. */
  verify?: () => Promise<string[]>;
  /** Runs when the portal stops, after the last response. */
  stop?: () => Promise<void>;
}

/** The handler of a kind of jobs. */
interface Job {
  /** Parses the payload itself. Must be idempotent: it may run again for the same job. */
  run: (payload: unknown, attempt: { isLast: boolean }) => Promise<void>;
  /** Takes minutes, and so must not delay mail. */
  isSlow?: true;
  /** Takes hours, and so must not delay work of minutes either. */
  takesHours?: true;
}

/** Work done at intervals, on every node. */
export interface Sweep {
  /** The interval (ms). Sweeps with the same interval run one after another, in the order of the features. */
  every: number;
  /** Ends early once the signal is aborted, as the portal stops. */
  run: (signal: AbortSignal) => Promise<unknown>;
  /** How a failure is logged; by default as the error `sweep.failed`. */
  failure?: { level: 'warn' | 'error'; event: string };
}

/** Declares a feature; one with calls names their type: `defineFeature<FeatureApi>({ … })`. */
export const defineFeature = <Api = never>(feature: Feature<Api>): Feature<Api> => feature;

let composed: readonly Feature[] | undefined;

/** Makes the features known to the platform. Called once, by src/app.server.ts. */
export function compose(features: readonly Feature[]): void {
  composed = features;
  named.clear();
}

/** Returns all features, in the order of src/features/all.server.ts. */
export function composition(): readonly Feature[] {
  if (!composed) throw new Error('The features are not composed yet: import src/app.server.ts.');
  return composed;
}

/** What the features contribute to a surface, in the order of src/features/all.server.ts. */
export function contributed<Point extends keyof Contributions>(
  point: Point,
): NonNullable<Partial<Contributions>[Point]>[] {
  return composition().flatMap((feature) => {
    const parts: Partial<Contributions> = feature;
    const contribution = parts[point];
    return contribution === undefined || contribution === null ? [] : [contribution];
  });
}

/** The surfaces to which features contribute things by name, such as the kinds of rows of the inbox. */
type NamedPoint = {
  [Point in keyof Contributions]: string extends keyof Contributions[Point] ? Point : never;
}[keyof Contributions];

const named = new Map<NamedPoint, ReadonlyMap<string, unknown>>();

/** What all features contribute to a surface, by name; gathered once, since rows of lists ask for it. */
export function contributedByName<Point extends NamedPoint>(
  point: Point,
): ReadonlyMap<string, Contributions[Point][string]> {
  const known = named.get(point) ?? new Map(contributed(point).flatMap((own) => Object.entries(own)));
  named.set(point, known);
  return known as ReadonlyMap<string, Contributions[Point][string]>;
}
