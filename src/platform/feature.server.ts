import type { Subscription } from './events.server.ts';

/**
 * What a feature brings to the portal, declared in its `feature.server.ts`. `src/app.server.ts` lists the
 * features and passes each part to the module that runs it, so the platform never imports a feature. `Api` is
 * the type of its calls, which is defined above the platform.
 */
export interface Feature<Api = unknown> {
  /** As in src/features/dependencies.mjs. */
  name: string;
  /** Its calls and who may make them. */
  api?: Api;
  /** Its reactions to events of features that it imports. */
  subscriptions?: readonly Subscription[];
  /** Its background work, by kind of job. */
  jobs?: Readonly<Record<string, Job>>;
  /** Work at startup and at intervals. */
  sweeps?: readonly Sweep[];
  /** Runs when the portal stops, after the last response. */
  stop?: () => Promise<void>;
}

/** The handler of a kind of jobs. */
interface Job {
  /** Parses the payload itself. Must be idempotent: it may run again for the same job. */
  run: (payload: unknown) => Promise<void>;
  /** Takes minutes, and so must not delay mail. */
  isSlow?: true;
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
