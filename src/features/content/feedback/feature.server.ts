import { HOUR } from '#platform/runtime/clock.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
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
  tables,
  inbox: inboxKinds,
  settings: settingsRows,
  sweeps: [{ every: HOUR, run: sweepFeedback }],
});
