import { defineFeature } from '#platform/runtime/feature.server.ts';
import type messages from '../../../../locales/en-us/fiscal-xml.json';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'fiscal-xml': typeof messages;
  }
}

export const fiscalXml = defineFeature({ name: 'fiscal-xml' });
