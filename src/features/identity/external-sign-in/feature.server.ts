import { defineFeature } from '#platform/runtime/feature.server.ts';
import { tables } from './schema.server.ts';

export const externalSignIn = defineFeature({
  name: 'external-sign-in',
  tables,
});
