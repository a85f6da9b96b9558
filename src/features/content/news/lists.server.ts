import { z } from 'zod';
import { defineList } from '#platform/forms/lists.server.ts';
import { STATUSES } from './staff-scope.server.ts';

const from = z.coerce.number().int().min(0).max(100_000).default(0);

/** The news of a contact. */
export const sharedList = defineList('news', { schema: z.strictObject({ from }), position: 'from' });

/** The articles that the firm has written. */
export const articleList = defineList('news', {
  schema: z.strictObject({ show: z.enum(['', ...STATUSES]).default(''), from }),
  position: 'from',
});
