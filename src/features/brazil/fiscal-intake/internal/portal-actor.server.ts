import { accessFrom } from '#features/base/people/access-settings.server.ts';
import type { Actor } from '#features/base/people/people.ts';

/** Who takes files that come without a person, in the audit log and in what is stored. */
export const PORTAL = 'portal';

const access = accessFrom('member', [{ kind: 'flag', name: 'BoxE', granted: true }]);

/** The portal itself, which takes files for clients of a firm; it has no session, and is never found by its id. */
export const portalActor = (companyId: string, language: string): Actor => ({
  prismGuid: '',
  contactId: PORTAL,
  companyId,
  staff: true,
  role: 'member',
  hasAllClients: true,
  hasManyClients: false,
  firstName: '',
  lastName: '',
  fullName: '',
  emailAddress: '',
  language,
  access,
});
