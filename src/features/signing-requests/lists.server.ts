import { sealWaitsQuery } from '#features/signing/seal-waits.server.ts';
import { defineList } from '#platform/lists.server.ts';

export const sealWaitsList = defineList('signing', { schema: sealWaitsQuery, position: 'pageNum' });
