import { actsFor, isReader, isSignedIn, isStaff, type LinkKey, type Person, type Thing } from './policy.ts';

/*
 * The words in which features say who may open their pages (`pages` and `ids` of tests/features/<feature>/access.ts),
 * based on the spec and product.md, not on the implementation.
 */

export interface Answered {
  status: number;
  /** The prefix of the redirect target, without base and language. */
  to?: string;
}

export type PageRule = (person: Person, isDemo: boolean) => Answered;

export const ok: Answered = { status: 200 };
export const nowhere: Answered = { status: 404 };
export const signIn: Answered = { status: 303, to: 'auth?r=' };

export const toEverybody = (): Answered => ok;
export const toSignedIn = (person: Person): Answered => (isSignedIn(person) ? ok : signIn);
export const toThoseOutside = (person: Person): Answered =>
  isSignedIn(person) ? { status: 303, to: '' } : ok;
export const notAuthorized: Answered = { status: 303, to: 'not-authorized' };
export const toStaff = (person: Person): Answered =>
  isStaff(person) ? ok : isSignedIn(person) ? notAuthorized : signIn;
/** A page that only serves to change something: read-only staff have none of these. */
export const toSignedInWriters = (person: Person): Answered =>
  isReader(person) ? notAuthorized : toSignedIn(person);
/** A page about something that does not exist. */
export const toSignedInWithId = (person: Person): Answered => (isSignedIn(person) ? nowhere : signIn);
/** The same for staff. */
export const toStaffWithId = (person: Person): Answered => (isStaff(person) ? nowhere : toStaff(person));
/** A page of staff who publish, or who invite and help contacts: in the fixture all but those who only read. */
export const toWriters = (person: Person): Answered => (isReader(person) ? notAuthorized : toStaff(person));
export const toWritersWithId = (person: Person): Answered =>
  isReader(person) ? notAuthorized : toStaffWithId(person);
/** Staff of the fixture have no other permission. */
export const toStaffWithARight = (person: Person): Answered => (isSignedIn(person) ? notAuthorized : signIn);
export const backHome = (person: Person): Answered => (isSignedIn(person) ? { status: 303, to: '' } : signIn);
/** For links that do not work, or no longer do. */
export const over: Answered = { status: 410 };
export const toNobody = (): Answered => nowhere;

/** A page that redirects everybody who is signed in. */
export const sends =
  (to: string) =>
  (person: Person): Answered =>
    isSignedIn(person) ? { status: 303, to } : signIn;
/** A page that redirects staff. */
export const sendsStaff =
  (to: string) =>
  (person: Person): Answered =>
    isStaff(person) ? { status: 303, to } : toStaff(person);
/** A page of staff that moved for good. */
export const movedTo =
  (to: string) =>
  (person: Person): Answered =>
    isStaff(person) ? { status: 308, to } : toStaff(person);
/** Nobody in the fixture manages a firm. */
export const toManagers = (person: Person): Answered =>
  isSignedIn(person)
    ? {
        status: 303,
        to: isStaff(person) ? 'not-authorized?because=right' : 'not-authorized?because=staff',
      }
    : signIn;

/** The status of a link's page, for anyone who has the link. */
export const LINK_PAGES: Readonly<Record<LinkKey, number>> = {
  good: 200,
  'with a code': 200,
  expired: 410,
  revoked: 410,
  'of a deleted document': 410,
  'of a sender without the client': 410,
  'of a locked firm': 410,
  'opened too long ago': 200,
  'of another recipient': 200,
  'of the sibling': 200,
  'of the other firm': 200,
};

export const isSeen = (person: Person, thing: Thing): boolean =>
  thing.state === 'live' && thing.client !== undefined && actsFor(person).includes(thing.client);
export const isSeenClient = (person: Person, thing: Thing): boolean =>
  isSeen(person, thing) && thing.id.startsWith('client_');
/** A page of staff about what they may see. */
export const forStaff =
  (sees: (person: Person, thing: Thing) => boolean) =>
  (person: Person, thing: Thing): number =>
    !isStaff(person) ? 303 : sees(person, thing) ? 200 : 404;

/** A page that only serves to change what the person may see. */
export const forWriters =
  (sees: (person: Person, thing: Thing) => boolean) =>
  (person: Person, thing: Thing): number =>
    isReader(person) ? 303 : sees(person, thing) ? 200 : 404;
