import { defineFeature } from '#platform/feature.server.ts';
import { tables } from './schema.server.ts';

export const externalSignIn = defineFeature({
  name: 'external-sign-in',
  tables,
});
