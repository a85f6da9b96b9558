import { z } from 'zod';
import { defineList } from '#platform/forms/lists.server.ts';

/** The passports of a client; `revoke` asks whether one is to be revoked. */
export const passportList = defineList('clearance-passport', {
  schema: z.object({
    revoke: z.string().max(60).default(''),
    from: z.coerce.number().int().min(0).max(100_000).default(0),
  }),
  position: 'from',
});
