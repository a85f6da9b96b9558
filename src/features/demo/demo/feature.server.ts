import type { FeatureApi } from '#features/base/people/people.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { demoApi } from './api.server.ts';
import { tables } from './schema.server.ts';
import type messages from '../../../../locales/en-us/demo.json';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    demo: typeof messages;
  }
}

export const demo = defineFeature<FeatureApi>({
  name: 'demo',
  tables,
  api: {
    app: demoApi,
    routes: [{ method: 'get', path: '/api/demo/v1/mails/{id}', who: 'demo' }],
  },
});
