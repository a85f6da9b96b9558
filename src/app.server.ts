import { ownSettingsOf } from '#features/base/access/contributions.server.ts';
import { declareAccessSettings } from '#features/base/people/access-settings.server.ts';
import { registerJobHandler } from '#platform/jobs/jobs.server.ts';
import { compose } from '#platform/runtime/feature.server.ts';
import { declareIslandMessages } from '#platform/text/translations.server.ts';
import { FEATURES } from './features/all.server.ts';

/* Passes what the features declare in their `feature.server.ts` to the modules that run it. */

compose(FEATURES);
declareAccessSettings(FEATURES.flatMap(({ access = [] }) => ownSettingsOf(access)));

for (const { subscriptions = [], jobs = {}, islandMessages = {} } of FEATURES) {
  declareIslandMessages(islandMessages);
  for (const subscription of typeof subscriptions === 'function' ? subscriptions() : subscriptions)
    subscription.begin();
  for (const [kind, { run, ...pace }] of Object.entries(jobs)) registerJobHandler(kind, run, pace);
}
