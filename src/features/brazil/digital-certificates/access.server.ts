import { hasArea, hasPart, isReadOnly, type Actor } from '#features/base/people/people.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';

/** Whether somebody may see the digital certificate of a client: it is used for what is told about invoices. */
export const seesCertificates = ({ staff, access }: Actor): boolean =>
  hasPart(access, 'actions') &&
  hasArea(access, 'nfe-manifest') &&
  access.permissions.has(staff ? 'ManageClients' : 'ManifestReview');

/** Whether somebody may store and remove it: nobody who views as somebody else. */
export const keepsCertificates = (actor: Actor): boolean =>
  seesCertificates(actor) && actor.viewedBy === undefined && !isReadOnly(actor);

export function assertKeeps(actor: Actor): void {
  if (!keepsCertificates(actor)) throw new PortalError('FORBIDDEN');
}
