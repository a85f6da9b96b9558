import { defineFeature } from '#platform/runtime/feature.server.ts';

export const logging = defineFeature({ name: 'logging' });
