import { hasArea, hasPart, isReadOnly, type Actor } from '#features/base/people/people.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';

type Asker = Pick<Actor, 'staff' | 'access' | 'role'>;

/** Whether the invoices of others are open to somebody. */
export const seesManifest = ({ access }: Pick<Actor, 'access'>): boolean =>
  hasPart(access, 'actions') && hasArea(access, 'nfe-manifest');

/** Whether somebody may say what an invoice should be told to be: with the permission for it, on either side. */
export const reviewsInvoices = (actor: Asker): boolean =>
  seesManifest(actor) && actor.access.permissions.has('ManifestReview') && !isReadOnly(actor);

/** Whether somebody may accept what another person marked: staff who publish. */
export const acceptsIntents = (actor: Asker): boolean =>
  seesManifest(actor) && actor.staff && actor.access.permissions.has('Publish');

const assertion =
  (may: (actor: Asker) => boolean) =>
  (actor: Asker): void => {
    if (!may(actor)) throw new PortalError('FORBIDDEN');
  };

export const assertSees = assertion(seesManifest);
export const assertReviews = assertion(reviewsInvoices);
export const assertAccepts = assertion(acceptsIntents);
