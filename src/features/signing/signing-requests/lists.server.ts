import { sealWaitsQuery } from '#features/signing/signing/seal-waits.server.ts';
import { defineList } from '#platform/forms/lists.server.ts';

export const sealWaitsList = defineList('signing', { schema: sealWaitsQuery, position: 'pageNum' });
