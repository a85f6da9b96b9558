import type { Subscription } from './events.server.ts';

/**
 * What a feature brings to the portal, said once in its `feature.server.ts`. `src/app.server.ts` lists the
 * features and gives each part to the module that works with it; the platform never imports a feature. `Api`
 * is the type of its calls, which stand above the platform.
 */
export interface Feature<Api = unknown> {
  /** As in src/features/dependencies.mjs. */
  name: string;
  /** Its calls, and who may make each. */
  api?: Api;
  /** What it does when a feature below it announces an event. */
  subscriptions?: readonly Subscription[];
  /** What runs in the background, by the kind of job. */
  jobs?: Readonly<Record<string, Job>>;
  /** What runs when the portal starts, and then again and again. */
  sweeps?: readonly Sweep[];
  /** Runs when the portal stops, when nobody waits for an answer any more. */
  stop?: () => Promise<void>;
}

/** The work of a kind of jobs. */
interface Job {
  /** Must be idempotent: it may run again for the same job. It parses its payload. */
  run: (payload: unknown) => Promise<void>;
  /** It may take minutes: jobs of this kind never delay mail. */
  isSlow?: true;
}

/** Work that is done at intervals, on every node. */
export interface Sweep {
  /** The interval (ms). Sweeps with the same one run one after another, in the order of the features. */
  every: number;
  run: () => Promise<unknown>;
  /** How a failure is logged; as the error `sweep.failed` if left out. */
  failure?: { level: 'warn' | 'error'; event: string };
}

/** Declares a feature; one with calls names their type: `defineFeature<FeatureApi>({ … })`. */
export const defineFeature = <Api = never>(feature: Feature<Api>): Feature<Api> => feature;
