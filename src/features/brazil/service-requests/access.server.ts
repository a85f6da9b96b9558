import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import { REQUEST_TYPES } from '#features/brazil/service-request-forms/forms.ts';
import { actionsOf } from '#features/base/actions/actions.ts';
import { hasArea, isReadOnly, type Actor } from '#features/base/people/people.ts';
import type { Side } from '#features/tasks/answer-editor/course.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { actionOf } from './service-requests.ts';

/* Who takes part: contacts with the service requests, each kind by its flag, and the staff of the client. */

/** Whether somebody sees service requests at all. */
export const seesRequests = ({ staff, access }: Pick<Actor, 'staff' | 'access'>): boolean =>
  staff || hasArea(access, 'service-request');

export function assertSeesRequests(actor: Actor): void {
  if (!seesRequests(actor)) throw new PortalError('FORBIDDEN');
}

/** The kinds that somebody sees: staff all, contacts those whose actions are open to them. */
export function visibleTypes({ staff, access }: Pick<Actor, 'staff' | 'access'>): RequestType[] {
  if (staff) return [...REQUEST_TYPES];
  const open = new Set<string>(
    actionsOf(access)
      .filter(({ section }) => section === 'service-request')
      .flatMap(({ actions }) => actions.map(({ action }) => action)),
  );
  return REQUEST_TYPES.filter((type) => open.has(actionOf(type)));
}

/** Staff who view as a contact act as that contact. */
export const sideOf = ({ staff }: Pick<Actor, 'staff'>): Side => (staff ? 'firm' : 'client');

/** Throws FORBIDDEN for those who may only read. */
export function assertWrites(actor: Actor): void {
  assertSeesRequests(actor);
  if (isReadOnly(actor)) throw new PortalError('FORBIDDEN');
}
