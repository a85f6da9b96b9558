import type { AuditActionDeclarations } from './audit-actions.server.ts';
import type { Subscription } from './events.server.ts';
import type { TableDeclarations } from './schema.server.ts';
import type { IslandMessages } from './translations.server.ts';

/**
 * What a feature brings to the portal, declared in its `feature.server.ts`. `src/app.server.ts` lists the
 * features and passes each part to the module that runs it, so the platform never imports a feature. `Api` is
 * the type of its calls, which is defined above the platform.
 */
export interface Feature<Api = unknown> {
  /** The name in src/features/dependencies.mjs. */
  name: string;
  /** Its tables (`tables` of its schema.server.ts), all of which a backup copies. */
  tables?: TableDeclarations;
  /** Its actions in the audit log, and how they are shown. */
  auditActions?: AuditActionDeclarations;
  /** The texts that its islands load as files. */
  islandMessages?: IslandMessages;
  /** Its calls and who may make them. */
  api?: Api;
  /** Its reactions to events of features that it imports. */
  subscriptions?: readonly Subscription[];
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
  run: () => Promise<unknown>;
  /** How a failure is logged; by default as the error `sweep.failed`. */
  failure?: { level: 'warn' | 'error'; event: string };
}

/** Declares a feature; one with calls names their type: `defineFeature<FeatureApi>({ … })`. */
export const defineFeature = <Api = never>(feature: Feature<Api>): Feature<Api> => feature;

let composed: readonly Feature[] | undefined;

/** Makes the features known to the platform. Called once, by src/app.server.ts. */
export function compose(features: readonly Feature[]): void {
  composed = features;
}

/** Returns all features, in the order of src/app.server.ts. */
export function composition(): readonly Feature[] {
  if (!composed) throw new Error('The features are not composed yet: import src/app.server.ts.');
  return composed;
}
