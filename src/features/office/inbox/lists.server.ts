import { defineList } from '#platform/forms/lists.server.ts';
import { inboxQuery } from './inbox.ts';

export const inboxList = defineList('inbox', { schema: inboxQuery, position: 'after' });
