import { findAction, leadsTo, offeredActionsOf, sectionsWithAdded } from '#features/base/actions/actions.ts';
import { firmOf, setSecondStep } from '#features/base/firms/firms.server.ts';
import {
  actorOf,
  assertRecentlyAuthenticated,
  contactsOf,
  decideAccess,
  decisionsOf,
  type CurrentActor,
} from '#features/base/people/people.server.ts';
import { accessFrom, accessNames } from '#features/base/people/access-settings.server.ts';
import {
  hasArea,
  hasPart,
  canAccessPortal,
  PARTS,
  whyNoPart,
  type Access,
  type Actor,
  type Area,
  type Flag,
  type Part,
  type Permission,
  type Session,
  type WhyNoPart,
} from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { dayOf, startOfDay } from '#platform/text/time-zones.ts';
import {
  DESCRIPTIONS,
  type AccessEntry,
  type AccessReport,
  type Decision,
  type FeatureFlag,
  type SecondStepInput,
  type WhyNoAction,
} from './access.ts';
import { effectOf, ownDescriptionOf } from './contributions.server.ts';
import { obstaclesOf } from './obstacles.server.ts';

/** Returns the feature flags as they apply to the actor (spec 1 section 3). */
export const listFlags = (actor: Actor): FeatureFlag[] =>
  accessNames('flag').map((name) => flagOf(actor, name, actor.access.flags[name]));

const flagOf = (actor: Actor, name: Flag, value: boolean): FeatureFlag => ({
  id: name,
  name,
  description:
    name in DESCRIPTIONS ? DESCRIPTIONS[name as keyof typeof DESCRIPTIONS] : ownDescriptionOf(name),
  value,
  lockedBy: managesFirm(actor) ? null : 'firm',
});

/**
 * Sets a flag for the whole firm. NOT_FOUND for an unknown flag, FORBIDDEN without the right to manage the
 * firm.
 */
export async function setFlag(actor: Actor, name: string, value: boolean): Promise<FeatureFlag> {
  if (!managesFirm(actor)) throw new PortalError('FORBIDDEN');
  const flag = accessNames('flag').find((one) => one === name);
  if (!flag) throw notFound();
  await changeAccess(actor, { contact: '', kind: 'flag', name: flag, to: value ? 'granted' : 'refused' });
  return flagOf(actor, flag, value);
}

const managesFirm = (actor: Actor): boolean =>
  actor.staff && actor.viewedBy === undefined && actor.access.permissions.has('ManageFirm');

/**
 * Finds contacts of the actor's own firm by part of the name or by the whole email address: at most 25, by
 * name.
 */
export async function findContacts(
  actor: Actor,
  search: string,
): Promise<{ contactId: string; fullName: string; staff: boolean }[]> {
  if (!managesFirm(actor)) throw new PortalError('FORBIDDEN');
  return contactsOf(actor.companyId, search);
}

/** Staff permissions: a contact could not use them, and nobody grants them to the whole firm at once. */
const FOR_STAFF_ONLY: readonly Permission[] = [
  'DefaultStaff',
  'ViewAs',
  'ManageContacts',
  'ManageFirm',
  'ManageClients',
  'Publish',
];
/** Permissions without which the actor could not undo the change. */
const OWN_WAY_BACK: readonly Permission[] = ['DefaultStaff', 'ManageFirm'];

const mayChange = (
  actor: Actor,
  contact: { contactId: string; staff: boolean } | undefined,
  { kind, name }: Pick<Decision, 'kind' | 'name'>,
): boolean => {
  const isOneOf = (some: readonly string[]): boolean => kind === 'permission' && some.includes(name);
  if (isOneOf(FOR_STAFF_ONLY) && !contact?.staff) return false;
  return !(isOneOf(OWN_WAY_BACK) && contact?.contactId === actor.contactId);
};

/**
 * Changes an access setting for a contact of the actor's own firm or for everybody in it, with an audit
 * entry. FORBIDDEN without the right to manage the firm, and for settings that may not be changed; INVALID for one that
 * does not exist; NOT_FOUND for a contact of another firm.
 */
export async function changeAccess(
  actor: Actor,
  { contact: contactId, kind, name, to }: Decision,
): Promise<void> {
  if (!managesFirm(actor)) throw new PortalError('FORBIDDEN');
  if (!(accessNames(kind) as readonly string[]).includes(name)) throw new PortalError('INVALID');
  const contact = contactId === '' ? undefined : await contactOf(actor, contactId);
  if (!mayChange(actor, contact, { kind, name })) throw new PortalError('FORBIDDEN');
  await inTransaction(async () => {
    await decideAccess(
      actor.companyId,
      contact?.contactId,
      { kind, name },
      to === 'usual' ? undefined : to === 'granted',
    );
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'access.change',
      target: contact?.contactId ?? actor.companyId,
      details: { kind, name, to },
    });
  });
}

const LATEST_START = 366 * DAY;

/**
 * Sets who needs a second factor to sign in to the actor's firm. FORBIDDEN without the right to manage the
 * firm, STEP_UP unless recently authenticated, INVALID with `field` for a day more than a year away. `from`
 * is a day in the firm's time zone; if empty, the requirement begins at once.
 */
export async function requireSecondStep(session: Session, { who, from }: SecondStepInput): Promise<void> {
  const { actor } = session;
  if (!managesFirm(actor)) throw new PortalError('FORBIDDEN');
  assertRecentlyAuthenticated(session);
  const { timeZone } = await firmOf(actor.companyId);
  const start = from === '' ? now() : startOfDay(from, timeZone);
  if (start > now() + LATEST_START) throw new PortalError('INVALID', { field: 'from' });
  const day = dayOf(start, timeZone);
  await inTransaction(async () => {
    await setSecondStep(actor.companyId, { who, from: start });
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'firm.second-step',
      target: actor.companyId,
      details: { who, from: day },
    });
  });
}

async function contactOf(actor: Actor, contactId: string): Promise<CurrentActor> {
  const contact = await actorOf(contactId);
  if (contact.companyId !== actor.companyId) throw notFound();
  return contact;
}

/**
 * Reports the whole access of a contact of the own firm, with the reasons; an empty id means everybody.
 * NOT_FOUND for a contact of another firm.
 */
export async function reportAccess(actor: Actor, contactId: string): Promise<AccessReport> {
  if (!managesFirm(actor)) throw new PortalError('FORBIDDEN');
  const contact = contactId === '' ? undefined : await contactOf(actor, contactId);
  const staff = contact?.staff ?? false;
  const decisions = await decisionsOf(actor.companyId, contactId);
  const access = accessFrom(contact?.role, decisions);
  const entry = (kind: AccessEntry['kind'], name: string, value: boolean): AccessEntry => ({
    kind,
    name,
    value,
    from: decisions.findLast((one) => one.kind === kind && one.name === name)?.for ?? 'usual',
    mayChange: mayChange(actor, contact, { kind, name }),
    effect: effectOf(name),
  });
  return {
    ...(contact && {
      contact: { contactId, fullName: contact.fullName, emailAddress: contact.emailAddress, staff },
    }),
    entries: [
      ...accessNames('control').map((name) => entry('control', name, access.controls.has(name))),
      ...accessNames('permission').map((name) => entry('permission', name, access.permissions.has(name))),
      ...accessNames('flag').map((name) => entry('flag', name, access.flags[name])),
    ],
    obstacles: contact ? await obstaclesOf(contact) : [],
    enters: canAccessPortal({ staff, access }),
    parts: (Object.keys(PARTS) as Part[]).map((part) => ({ part, why: whyNotSeen(access, part) })),
    actions: sectionsWithAdded().flatMap(({ section, actions }) =>
      actions
        .filter(({ action }) => leadsTo(section, action) !== undefined)
        .map(({ action, label }) => ({
          section,
          action,
          label,
          why: whyNoAction(access, section, action),
        })),
    ),
  };
}

/** The actions are seen only if there is one on offer. */
const whyNotSeen = (access: Access, part: Part): WhyNoPart | undefined =>
  whyNoPart(access, part) ??
  (part === 'actions' && offeredActionsOf(access).length === 0 ? 'notThere' : undefined);

function whyNoAction(access: Access, section: Area, action: string): WhyNoAction | undefined {
  if (findAction(access, section, action)?.isOpen) return undefined;
  if (!hasArea(access, section)) return 'areaOff';
  return hasPart(access, 'actions') ? 'flagOff' : 'partClosed';
}
