import { defineList } from '#platform/lists.server.ts';
import { sealWaitsQuery } from './seal-waits.server.ts';

export const sealWaitsList = defineList('signing', { schema: sealWaitsQuery, position: 'pageNum' });
