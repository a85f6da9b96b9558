import { z } from 'zod';

/**
 * What a page knows of the session (spec 1 section 3, Session). It holds names, ids and rights to show the right things; the session
 * itself is an HttpOnly cookie, and every right is decided on the server.
 */
export const sessionInfo = z.strictObject({
  meta: z.strictObject({
    PrismGuid: z.string(),
    FirstName: z.string(),
    LastName: z.string(),
    EmailAddress: z.email(),
    SessionExpiresDateTime: z.iso.datetime(),
    EmulateePrismGuid: z.string().nullable(),
  }),
  bindings: z.strictObject({
    ApplicationConfiguration: z.strictObject({ CompanyId: z.string(), ContactId: z.string() }),
    FeatureResourcePermissions: z.record(z.string(), z.boolean()),
    InfrastructureAccessControls: z.array(z.string()),
  }),
});

export type SessionInfo = z.infer<typeof sessionInfo>;
