import { defineFeature } from '#platform/runtime/feature.server.ts';
import { receiptFaults } from './verification.server.ts';
import { tables } from './schema.server.ts';
import type messages from '../../../../locales/en-us/receipts.json';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    receipts: typeof messages;
  }
}

export const receipts = defineFeature({
  name: 'receipts',
  tables,
  verify: receiptFaults,
});
