import { actsFor, isSignedIn, isStaff, type LinkKey, type Person, type Thing } from './policy.ts';

/*
 * Who may open which page, written from the spec and product.md, not from the pages. A page of src/routes.ts that has no rule here fails
 * e2e/authz.spec.ts.
 */

export interface Answered {
  status: number;
  /** Where a redirect leads to, without the base and the language: the beginning of it. */
  to?: string;
}

const ok: Answered = { status: 200 };
const nowhere: Answered = { status: 404 };
const signIn: Answered = { status: 303, to: 'auth?r=' };

const toEverybody = (): Answered => ok;
const toSignedIn = (person: Person): Answered => (isSignedIn(person) ? ok : signIn);
const toThoseOutside = (person: Person): Answered => (isSignedIn(person) ? { status: 303, to: '' } : ok);
const toStaff = (person: Person): Answered => (isStaff(person) ? ok : isSignedIn(person) ? { status: 303, to: 'not-authorized' } : signIn);
/** Of a link that does not work (any more). */
const over: Answered = { status: 410 };
const toNobody = (): Answered => nowhere;

/** A page by its pattern, with an id where it has one. */
export const PAGE_RULES: Readonly<Record<string, (person: Person, isDemo: boolean) => Answered>> = {
  '/[base]/[lang]': (person) => (isSignedIn(person) ? { status: 303, to: 'documents' } : signIn),
  '/[base]/[lang]/documents': toSignedIn,
  '/[base]/[lang]/documents/send': toSignedIn,
  '/[base]/[lang]/partials/documents': (person) => (isSignedIn(person) && actsFor(person).length === 0 ? nowhere : toSignedIn(person)),
  '/[base]/[lang]/clients': toSignedIn,
  '/[base]/[lang]/auth': toThoseOutside,
  '/[base]/[lang]/auth/logout': toThoseOutside,
  '/[base]/[lang]/auth/firm-locked': toEverybody,
  '/[base]/[lang]/auth/mfa-required': toEverybody,
  '/[base]/[lang]/auth/signin-error': toEverybody,
  '/[base]/[lang]/auth/forgot': toEverybody,
  '/[base]/[lang]/auth/reset/[token]': () => over,
  '/[base]/[lang]/auth/rescue': toEverybody,
  '/[base]/[lang]/auth/invitation/[token]': () => over,
  '/[base]/[lang]/auth/first-owner/[token]': () => over,
  '/[base]/[lang]/staff/invitations': toStaff,
  '/[base]/[lang]/staff/rescue': toStaff,
  '/[base]/[lang]/language': toEverybody,
  '/[base]/[lang]/share/[token]': toEverybody,
  '/[base]/[lang]/not-authorized': toEverybody,
  '/[base]/[lang]/notfound': toNobody,
  '/[base]/[lang]/kit': (_, isDemo) => (isDemo ? ok : nowhere),
  '/[base]/[lang]/mailbox': (_, isDemo) => (isDemo ? ok : nowhere),
  '/[base]/[lang]/mailbox/[id]': (_, isDemo) => (isDemo ? ok : nowhere),
  '/404': toNobody,
  '/500': toNobody,
};

/** What the page of a link says of it: whoever holds the link may look. */
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

const isSeen = (person: Person, thing: Thing): boolean => thing.state === 'live' && thing.client !== undefined && actsFor(person).includes(thing.client);

/**
 * Pages that take an id: the status for somebody who is signed in. Who is not is sent to the sign-in whatever the id is. A page that only
 * prefers what the id names (a client to start with) or narrows a list by it answers 200 to any.
 */
export const ID_RULES = {
  'documents?client=': () => 200,
  'documents?folder=': (person: Person, thing: Thing) => (actsFor(person).length === 0 || (isSeen(person, thing) && thing.client === actsFor(person)[0]) ? 200 : 404),
  'partials/documents?client=': (person: Person) => (actsFor(person).length === 0 ? 404 : 200),
  'partials/documents?folder=': (person: Person) => (actsFor(person).length === 0 ? 404 : 200),
  'documents/send?id=': (person: Person, thing: Thing) => (isSeen(person, thing) ? 200 : 404),
} as const satisfies Record<string, (person: Person, thing: Thing) => number>;
