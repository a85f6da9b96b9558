import { HOUR } from '#platform/runtime/clock.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import type messages from '../../../../locales/en-us/feedback.json';
import { sweepFeedback } from './feedback.server.ts';
import { inboxKinds } from './inbox-kinds.server.ts';
import { tables } from './schema.server.ts';
import { settingsRows } from './settings-rows.server.ts';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    feedback: typeof messages;
  }
}

export const feedback = defineFeature({
  name: 'feedback',
  access: [
    {
      name: 'feedbackRequest',
      place:
        'feedback about no help article, page and menu; src/features/content/feedback/feedback.server.ts',
      row: { group: 'account', order: 50, label: text('portal', 'rowFeedback'), isShown: true },
    },
  ],
  tables,
  inbox: inboxKinds,
  settings: settingsRows,
  sweeps: [{ every: HOUR, run: sweepFeedback }],
});
