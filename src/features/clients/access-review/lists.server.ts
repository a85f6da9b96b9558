import { defineList } from '#platform/forms/lists.server.ts';
import { itemQuery } from './access-review.ts';

/** The address of a review. */
export const itemList = defineList('access-review', { schema: itemQuery, position: 'pageNum' });
