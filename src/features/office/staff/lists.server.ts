import { defineList } from '#platform/forms/lists.server.ts';
import { activityQuery } from './staff.ts';

/** The activity around a person's own documents. */
export const activityList = defineList('staff', { schema: activityQuery, position: 'before' });
