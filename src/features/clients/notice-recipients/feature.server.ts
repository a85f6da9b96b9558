import { defineFeature } from '#platform/runtime/feature.server.ts';
import type messages from '../../../../locales/en-us/notice-recipients.json';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'notice-recipients': typeof messages;
  }
}

export const noticeRecipients = defineFeature({ name: 'notice-recipients' });
