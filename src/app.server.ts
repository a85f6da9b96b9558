import { access } from '#features/access/feature.server.ts';
import { actions } from '#features/actions/feature.server.ts';
import { clients } from '#features/clients/feature.server.ts';
import { demo } from '#features/demo/feature.server.ts';
import { documents } from '#features/documents/feature.server.ts';
import { exports } from '#features/exports/feature.server.ts';
import { firms } from '#features/firms/feature.server.ts';
import { identity } from '#features/identity/feature.server.ts';
import { notes } from '#features/notes/feature.server.ts';
import { people } from '#features/people/feature.server.ts';
import type { FeatureApi } from '#features/people/people.server.ts';
import { session } from '#features/session/feature.server.ts';
import { renewSession } from '#features/session/session.server.ts';
import { sharing } from '#features/sharing/feature.server.ts';
import { staff } from '#features/staff/feature.server.ts';
import { viewer } from '#features/viewer/feature.server.ts';
import { compose, type Feature } from '#platform/feature.server.ts';
import { registerJobHandler } from '#platform/jobs.server.ts';
import { basics, platform } from '#platform/platform.server.ts';
import { signIn } from './sign-in-api.server.ts';

/**
 * The features of the portal, each after those that it depends on. Passes what each declares in its
 * `feature.server.ts` to the modules that run it.
 */
export const FEATURES: readonly Feature<FeatureApi>[] = [
  basics,
  firms,
  people,
  actions,
  access,
  clients,
  session,
  identity(renewSession),
  signIn,
  documents,
  exports,
  notes,
  viewer,
  sharing,
  staff,
  demo,
  platform,
];

compose(FEATURES);

for (const { subscriptions = [], jobs = {} } of FEATURES) {
  for (const subscription of subscriptions) subscription.begin();
  for (const [kind, { run, isSlow }] of Object.entries(jobs)) {
    registerJobHandler(kind, run, isSlow === undefined ? {} : { isSlow });
  }
}
