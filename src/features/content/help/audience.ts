import { hasPart, type Access, type Session } from '#features/base/people/people.ts';
import type { Article, Need, Role } from './help.ts';

/** Tells whether an article is for this person, or for visitors if there is no session. */
export const isFor = (
  { roles, needs }: Pick<Article, 'roles' | 'needs'>,
  session: Pick<Session, 'actor'> | undefined,
): boolean =>
  roles.some((role) => rolesOf(session).includes(role)) &&
  (session === undefined || needs.every((need) => isMet(need, session.actor.access)));

function rolesOf(session: Pick<Session, 'actor'> | undefined): readonly Role[] {
  if (!session) return ['visitor'];
  const { staff, access } = session.actor;
  if (!staff) return ['visitor', 'contact'];
  return access.permissions.has('ManageFirm')
    ? ['visitor', 'contact', 'staff', 'owner']
    : ['visitor', 'contact', 'staff'];
}

function isMet(need: Need, access: Access): boolean {
  switch (need.kind) {
    case 'part':
      return hasPart(access, need.name);
    case 'flag':
      return access.flags[need.name];
    case 'permission':
      return access.permissions.has(need.name);
    case 'control':
      return access.controls.has(need.name);
    case 'shown':
      return !access.controls.has(need.name);
  }
}
