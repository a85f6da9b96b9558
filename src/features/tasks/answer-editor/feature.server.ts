import { defineFeature } from '#platform/runtime/feature.server.ts';
import type messages from '../../../../locales/en-us/answer-editor.json';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'answer-editor': typeof messages;
  }
}

export const answerEditor = defineFeature({ name: 'answer-editor' });
