import type { FeatureApi } from '#features/base/people/people.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { actionsApi } from './api.server.ts';
import { offeredActionsOf } from './actions.ts';

export const actions = defineFeature<FeatureApi>({
  name: 'actions',
  access: [
    {
      name: 'HideActions',
      place: 'the actions pages, their tab and their call; src/routes.ts',
      row: {
        group: 'areas',
        order: 90,
        label: text('portal', 'tabActions'),
        isShown: true,
        isInverted: true,
        needs: 'service-request',
      },
    },
  ],
  navigation: [
    {
      side: 'client',
      page: 'actions',
      order: 40,
      label: text('portal', 'tabActions'),
      icon: 'layers',
      isFor: ({ actor }) => offeredActionsOf(actor.access).length > 0,
    },
  ],
  api: {
    app: actionsApi,
    routes: [{ method: 'get', path: '/api/client-center/v1/actions', who: 'signed-in', part: 'actions' }],
  },
});
