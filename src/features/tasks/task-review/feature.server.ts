import { defineFeature } from '#platform/runtime/feature.server.ts';
import type messages from '../../../../locales/en-us/task-review.json';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'task-review': typeof messages;
  }
}

export const taskReview = defineFeature({ name: 'task-review' });
