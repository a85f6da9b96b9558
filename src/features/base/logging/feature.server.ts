import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';

export const logging = defineFeature({
  name: 'logging',
  access: [
    {
      name: 'DisableProductInsight',
      place: 'no load times are measured; src/features/base/logging/sampling.server.ts',
      row: { group: 'account', order: 80, label: text('portal', 'rowMeasuring'), isInverted: true },
    },
    {
      name: 'DisablePendo',
      place: 'no load times are measured; src/features/base/logging/sampling.server.ts',
      row: {
        group: 'account',
        order: 90,
        label: text('portal', 'rowMeasuring'),
        isInverted: true,
        secondWhen: true,
      },
    },
  ],
});
