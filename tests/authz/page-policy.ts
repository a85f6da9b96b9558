import { actsFor, isReader, isSignedIn, isStaff, type LinkKey, type Person, type Thing } from './policy.ts';

/*
 * Who may open which page, based on the spec and product.md, not on the implementation. A page of
 * src/routes.ts without a rule fails e2e/authz.spec.ts.
 */

export interface Answered {
  status: number;
  /** The prefix of the redirect target, without base and language. */
  to?: string;
}

const ok: Answered = { status: 200 };
const nowhere: Answered = { status: 404 };
const signIn: Answered = { status: 303, to: 'auth?r=' };

const toEverybody = (): Answered => ok;
const toSignedIn = (person: Person): Answered => (isSignedIn(person) ? ok : signIn);
const toThoseOutside = (person: Person): Answered => (isSignedIn(person) ? { status: 303, to: '' } : ok);
const notAuthorized: Answered = { status: 303, to: 'not-authorized' };
const toStaff = (person: Person): Answered =>
  isStaff(person) ? ok : isSignedIn(person) ? notAuthorized : signIn;
/** A page that only serves to change something: read-only staff have none of these. */
const toSignedInWriters = (person: Person): Answered =>
  isReader(person) ? notAuthorized : toSignedIn(person);
/** A page of staff about something that does not exist. */
const toStaffWithId = (person: Person): Answered => (isStaff(person) ? nowhere : toStaff(person));
/** A page of staff who publish, or who invite and help contacts: in the fixture all but those who only read. */
const toWriters = (person: Person): Answered => (isReader(person) ? notAuthorized : toStaff(person));
const toWritersWithId = (person: Person): Answered =>
  isReader(person) ? notAuthorized : toStaffWithId(person);
/** Staff of the fixture have no other permission. */
const toStaffWithARight = (person: Person): Answered => (isSignedIn(person) ? notAuthorized : signIn);
const backHome = (person: Person): Answered => (isSignedIn(person) ? { status: 303, to: '' } : signIn);
/** For links that do not work, or no longer do. */
const over: Answered = { status: 410 };
const toNobody = (): Answered => nowhere;

/** A page that redirects everybody who is signed in. */
const sends =
  (to: string) =>
  (person: Person): Answered =>
    isSignedIn(person) ? { status: 303, to } : signIn;
/** A page that redirects staff. */
const sendsStaff =
  (to: string) =>
  (person: Person): Answered =>
    isStaff(person) ? { status: 303, to } : toStaff(person);
/** A page of staff that moved for good. */
const movedTo =
  (to: string) =>
  (person: Person): Answered =>
    isStaff(person) ? { status: 308, to } : toStaff(person);
/** Nobody in the fixture manages a firm. */
const toManagers = (person: Person): Answered =>
  isSignedIn(person)
    ? {
        status: 303,
        to: isStaff(person) ? 'not-authorized?because=right' : 'not-authorized?because=staff',
      }
    : signIn;

/** News for people of clients; staff are redirected to those that they write. */
const toReaders = (person: Person): Answered =>
  isStaff(person) ? { status: 303, to: isReader(person) ? 'staff' : 'staff/news' } : toSignedIn(person);

/** The tax dates of one's companies; staff are redirected to those of all clients. */
const toOwnDates = (person: Person): Answered =>
  isStaff(person) ? { status: 303, to: 'staff/tax-calendar' } : toSignedIn(person);

/** Rules by page pattern. */
export const PAGE_RULES: Readonly<Record<string, (person: Person, isDemo: boolean) => Answered>> = {
  '/[base]/[lang]': (person) =>
    isSignedIn(person) ? { status: 303, to: isStaff(person) ? 'staff' : 'home' } : signIn,
  '/[base]/[lang]/documents': toSignedIn,
  '/[base]/[lang]/documents/send': toSignedInWriters,
  '/[base]/[lang]/documents/delete': toSignedInWriters,
  '/[base]/[lang]/documents/organize': toSignedInWriters,
  '/[base]/[lang]/documents/project': toWriters,
  '/[base]/[lang]/staff/publish': toWriters,
  '/[base]/[lang]/staff/publish/[batchId]': toWritersWithId,
  '/[base]/[lang]/staff/templates': toWriters,
  '/[base]/[lang]/documents/trash': toSignedIn,
  '/[base]/[lang]/documents/scan': toSignedInWriters,
  // without an item the list is empty
  '/[base]/[lang]/documents/rights': (person) =>
    isStaff(person) ? nowhere : isSignedIn(person) ? notAuthorized : signIn,
  '/[base]/[lang]/shares': toSignedIn,
  '/[base]/[lang]/documents/[documentId]': (person) => (isSignedIn(person) ? nowhere : signIn),
  '/[base]/[lang]/documents/[documentId]/comments': (person) => (isSignedIn(person) ? nowhere : signIn),
  '/[base]/[lang]/documents/[documentId]/view': (person) => (isSignedIn(person) ? nowhere : signIn),
  '/[base]/[lang]/partials/documents': (person) =>
    isSignedIn(person) && actsFor(person).length === 0 ? nowhere : toSignedIn(person),
  '/[base]/[lang]/documents/download': toSignedIn,
  // without a job there is nothing to show
  '/[base]/[lang]/partials/download': (person) => (isSignedIn(person) ? nowhere : signIn),
  '/[base]/[lang]/partials/search': toSignedIn,
  // staff have theirs
  '/[base]/[lang]/search': (person) =>
    isStaff(person) ? { status: 303, to: 'staff/search' } : toSignedIn(person),
  '/[base]/[lang]/staff/search': toStaff,
  '/[base]/[lang]/profile/shortcuts': toStaff,
  '/[base]/[lang]/receipts': toSignedIn,
  '/[base]/[lang]/receipts/[number]': (person) => (isSignedIn(person) ? nowhere : signIn),
  '/[base]/[lang]/verify': toEverybody,
  '/[base]/[lang]/clients': toSignedIn,
  // staff have their inbox
  '/[base]/[lang]/home': (person) => (isStaff(person) ? { status: 303, to: 'staff' } : toSignedIn(person)),
  '/[base]/[lang]/home/edit': (person) =>
    isStaff(person) ? { status: 303, to: 'staff' } : toSignedIn(person),
  '/[base]/[lang]/staff/home': toManagers,
  // those who write news read it there
  '/[base]/[lang]/home/news': toReaders,
  '/[base]/[lang]/home/news/[newsId]': (person) =>
    isStaff(person) ? toReaders(person) : isSignedIn(person) ? nowhere : signIn,
  '/[base]/[lang]/tax-calendar': toOwnDates,
  '/[base]/[lang]/staff/tax-calendar': toStaff,
  '/[base]/[lang]/staff/tax-calendar/rules': toStaff,
  '/[base]/[lang]/staff/clients/[id]/tax-calendar': toStaffWithId,
  // staff have theirs, and a client that does not exist is not found
  '/[base]/[lang]/home/cnd/[clientId]': (person) => (isSignedIn(person) ? nowhere : signIn),
  '/[base]/[lang]/staff/clearance-certificates': toStaff,
  '/[base]/[lang]/staff/clearance-certificates/upload': toWriters,
  '/[base]/[lang]/staff/news': toWriters,
  '/[base]/[lang]/staff/news/new': toWriters,
  '/[base]/[lang]/staff/news/[newsId]': toWritersWithId,
  '/[base]/[lang]/staff/news/[newsId]/edit': toWritersWithId,
  '/[base]/[lang]/tasks': (person) =>
    isStaff(person) ? { status: 303, to: 'staff/tasks' } : toSignedIn(person),
  '/[base]/[lang]/tasks/[taskId]': (person) => (isSignedIn(person) ? nowhere : signIn),
  '/[base]/[lang]/tasks/clients/[clientId]/task/[taskId]': (person) =>
    isSignedIn(person) ? nowhere : signIn,
  '/[base]/[lang]/tasks/clients/[clientId]/task/[taskId]/ask': (person) =>
    isSignedIn(person) ? nowhere : signIn,
  '/[base]/[lang]/tasks/clients/[clientId]/task/[taskId]/phone': (person) =>
    isSignedIn(person) ? nowhere : signIn,
  '/[base]/[lang]/task-link/[token]': () => nowhere, // the fixture has no link to a task
  '/[base]/[lang]/staff/tasks': toStaff,
  '/[base]/[lang]/staff/tasks/new': toWriters,
  '/[base]/[lang]/staff/tasks/payment': toWriters,
  '/[base]/[lang]/staff/payments': toManagers,
  // the address of the sandbox's page is signed, and outside a demo it is not offered
  '/[base]/[lang]/sandbox-checkout/[token]': toNobody,
  '/[base]/[lang]/staff/tasks/sign': toWriters,
  '/[base]/[lang]/staff/tasks/seal-waits': toStaff,
  '/[base]/[lang]/staff/tasks/review': toWriters,
  '/[base]/[lang]/staff/tasks/[taskId]': toStaffWithId,
  '/[base]/[lang]/staff/tasks/batches/[batchId]': toWritersWithId,
  '/[base]/[lang]/staff/tasks/templates': toWriters,
  '/[base]/[lang]/staff/tasks/templates/new': toWriters,
  '/[base]/[lang]/staff/tasks/templates/[templateId]': toWritersWithId,
  '/[base]/[lang]/staff/tasks/templates/[templateId]/edit': toWritersWithId,
  // Nobody in the fixture has an action: they are redirected (spec 1 section 6).
  '/[base]/[lang]/actions': sends(''),
  '/[base]/[lang]/actions/not-authorized': (person) => (isSignedIn(person) ? { status: 403 } : signIn),
  '/[base]/[lang]/actions/[section]/[action]': sends(''),
  '/[base]/[lang]/company/[companyId]': sends('not-authorized?because=account'), // client_0 is nobody's
  '/[base]/[lang]/mobile': toSignedIn,
  '/[base]/[lang]/actions/box-e/[action]': sends(''),
  '/[base]/[lang]/actions/nfe-manifest/invoice-processing': sends(''),
  '/[base]/[lang]/actions/nfe-manifest/invoices/[invoiceId]': sends(''),
  '/[base]/[lang]/staff/invoice-manifest': sends(''),
  '/[base]/[lang]/actions/br-reports/stored-documents': sends(''),
  '/[base]/[lang]/actions/br-reports/stored-documents-report': sends(''),
  '/[base]/[lang]/actions/box-e/[action]/[month]': sends(''),
  '/[base]/[lang]/actions/box-e/documents/[documentId]': sends(''),
  '/[base]/[lang]/actions/box-e/intakes/[intakeId]': sends(''),
  '/[base]/[lang]/staff/fiscal-documents': toWriters,
  '/[base]/[lang]/staff/fiscal-documents/[setAsideId]': toWritersWithId,
  '/[base]/[lang]/actions/service-request/requests': sends(''),
  '/[base]/[lang]/actions/service-request/requests/[requestId]': sends(''),
  '/[base]/[lang]/staff/service-requests': toStaff,
  '/[base]/[lang]/staff/service-requests/settings': toManagers,
  '/[base]/[lang]/staff/service-requests/[requestId]': toStaffWithId,
  '/[base]/[lang]/actions/service-request/employees': sends(''),
  '/[base]/[lang]/actions/service-request/employees/[employeeId]': sends(''),
  '/[base]/[lang]/actions/service-request/establishments': sends(''),
  '/[base]/[lang]/actions/service-request/mocks/vacation': sends(''),
  '/[base]/[lang]/actions/service-request/mocks/termination': sends(''),
  '/[base]/[lang]/mobile/actions/[...action]': sends(''),
  '/[base]/[lang]/.well-known/[link]': (person) => (isSignedIn(person) ? nowhere : signIn),
  '/[base]/[lang]/staff/access': toManagers,
  '/[base]/[lang]/profile': toSignedIn,
  // no firm has a privacy statement
  '/[base]/[lang]/announcement': (person) => (isSignedIn(person) ? { status: 303, to: '' } : signIn),
  '/[base]/[lang]/help/report': toSignedIn,
  '/[base]/[lang]/help/report/[code]': (person) => (isSignedIn(person) ? nowhere : signIn),
  '/[base]/[lang]/help/chat': (person) => (isSignedIn(person) ? nowhere : signIn),
  '/[base]/[lang]/staff/issues': toManagers,
  '/[base]/[lang]/staff/issues/[code]': toManagers,
  '/[base]/[lang]/staff/sharing': toManagers,
  '/[base]/[lang]/staff/mail-texts': toManagers,
  '/[base]/[lang]/staff/seal': toManagers,
  '/[base]/[lang]/staff/firm': toManagers,
  '/[base]/[lang]/staff/theme': (person) =>
    isSignedIn(person) ? { status: 303, to: 'not-authorized' } : signIn, // nobody in the fixture has the ManageFirm permission
  '/[base]/[lang]/profile/security': toSignedIn,
  // without a pending sign-in there is no second step
  '/[base]/[lang]/auth/second-step': () => ({ status: 303, to: 'auth' }),
  '/[base]/[lang]/auth/confirm': toSignedIn,
  '/[base]/[lang]/auth/leaving': toNobody, // only a redirect to another site shows it
  '/[base]/[lang]/auth': toThoseOutside,
  '/[base]/[lang]/auth/logout': toThoseOutside,
  '/[base]/[lang]/auth/continue': () => ({ status: 401 }), // without a link there is nothing to continue
  '/[base]/[lang]/account-switch': toSignedIn,
  '/[base]/[lang]/kept-form': toSignedIn,
  '/[base]/[lang]/terms-and-conditions': (person) => (isSignedIn(person) ? { status: 303, to: '' } : signIn),
  '/[base]/[lang]/staff/terms': (person) =>
    // nobody in the fixture may change the firm's settings
    isSignedIn(person) ? { status: 303, to: 'not-authorized' } : signIn,
  '/[base]/[lang]/auth/firm-locked': toEverybody,
  '/[base]/[lang]/auth/mfa-required': toEverybody,
  '/[base]/[lang]/auth/signin-error': toEverybody,
  '/[base]/[lang]/auth/forgot': toEverybody,
  '/[base]/[lang]/auth/reset/[token]': () => over,
  '/[base]/[lang]/auth/rescue': toEverybody,
  '/[base]/[lang]/auth/invitation/[token]': () => over,
  '/[base]/[lang]/auth/first-owner/[token]': () => over,
  '/[base]/[lang]/staff/clients': toStaff,
  '/[base]/[lang]/staff/clients/new': toManagers,
  // without a choice, it leads to the list
  '/[base]/[lang]/staff/clients/archive': toManagers,
  '/[base]/[lang]/staff/clients/duplicates': toManagers,
  '/[base]/[lang]/staff/clients/[id]': (person) => (isStaff(person) ? nowhere : toStaff(person)),
  '/[base]/[lang]/staff/clients/[id]/employees': toStaffWithId,
  '/[base]/[lang]/staff/clients/[id]/employees/new': toWritersWithId,
  '/[base]/[lang]/staff/clients/[id]/employees/[employeeId]': toStaffWithId,
  '/[base]/[lang]/staff/clients/[id]/establishments': toStaffWithId,
  '/[base]/[lang]/staff/clients/[id]/clearance-certificates': toStaffWithId,
  '/[base]/[lang]/staff/clients/[id]/clearance-certificates/[agencyId]': toStaffWithId,
  '/[base]/[lang]/staff/clients/[id]/edit': toManagers,
  '/[base]/[lang]/staff/clients/[id]/merge': toManagers,
  '/[base]/[lang]/staff/invitations': (person) =>
    isReader(person) ? notAuthorized : movedTo('staff/people')(person),
  '/[base]/[lang]/staff/start': toStaffWithARight,
  '/[base]/[lang]/staff/people': toStaff,
  '/[base]/[lang]/staff/people/new': toWriters,
  '/[base]/[lang]/staff/people/invite': toWriters,
  '/[base]/[lang]/staff/people/invite/[id]': toWritersWithId,
  // without a selection it leads to the list
  '/[base]/[lang]/staff/people/suspend': (person) =>
    isStaff(person) && !isReader(person) ? { status: 303, to: 'staff/people' } : toWriters(person),
  '/[base]/[lang]/staff/people/[id]': toStaffWithId,
  '/[base]/[lang]/staff/people/[id]/clients': toWritersWithId,
  '/[base]/[lang]/staff/people/[id]/email': toWritersWithId,
  '/[base]/[lang]/staff/people/[id]/suspend': toWritersWithId,
  '/[base]/[lang]/staff/people/[id]/remove': toWritersWithId,
  '/[base]/[lang]/staff/people/[id]/role': toStaffWithARight,
  '/[base]/[lang]/profile/email': toSignedIn,
  '/[base]/[lang]/partials/bell': toSignedIn,
  '/[base]/[lang]/notifications': toSignedIn,
  // no notification has the id of the fixture
  '/[base]/[lang]/notifications/[id]': (person) => (isSignedIn(person) ? nowhere : signIn),
  '/[base]/[lang]/profile/notifications': toSignedIn,
  '/[base]/[lang]/unsubscribe/[token]': () => over,
  '/[base]/[lang]/reminders/[token]': () => over,
  '/[base]/[lang]/calendar/[token].ics': toNobody,
  '/[base]/[lang]/auth/email/[token]': () => over,
  '/[base]/[lang]/staff/rescue': toWriters,
  '/[base]/[lang]/language': toEverybody,
  '/[base]/[lang]/help': toEverybody,
  // the fixture names no article, and its firms do not ask for feedback in general
  '/[base]/[lang]/help/feedback': (person) => (isSignedIn(person) ? notAuthorized : signIn),
  '/[base]/[lang]/staff/feedback': toManagers,
  // no article has the id of the fixture
  '/[base]/[lang]/help/[id]': toNobody,
  '/[base]/[lang]/share/[token]': toEverybody,
  // to the page of the link, which nobody of the fixture has opened
  '/[base]/[lang]/share/[token]/[documentId]': () => ({ status: 303, to: 'share/' }),
  '/[base]/[lang]/sign/[token]': () => nowhere, // the token of the fixture is that of a share
  '/[base]/[lang]/not-authorized': toEverybody,
  '/[base]/[lang]/profile/activity': toSignedIn,
  '/[base]/[lang]/staff': sendsStaff('staff/'),
  '/[base]/[lang]/staff/settings': toStaff,
  '/[base]/[lang]/staff/contacts': movedTo('staff/people'),
  '/[base]/[lang]/staff/inbox': toStaff,
  '/[base]/[lang]/staff/overview': toManagers,
  '/[base]/[lang]/staff/inbox/[id]': toStaffWithId,
  '/[base]/[lang]/staff/mails': toStaff,
  '/[base]/[lang]/staff/mails/[id]': toStaffWithId,
  '/[base]/[lang]/staff/mails/[id]/letter': toStaffWithId,
  '/[base]/[lang]/staff/view-as/[id]': toStaffWithARight,
  '/[base]/[lang]/staff/view-as/end': (person) =>
    isStaff(person) ? { status: 303, to: 'staff' } : backHome(person),
  '/[base]/[lang]/staff/view-as/read-only': backHome,
  '/[base]/[lang]/staff/imports': toStaffWithARight,
  '/[base]/[lang]/staff/imports/[importId]': toStaffWithARight,
  '/[base]/[lang]/staff/imports/[importId]/problems.csv': toStaffWithARight,
  '/[base]/[lang]/staff/export/[file]': toStaffWithARight,
  '/[base]/[lang]/staff/data-exports': toStaffWithARight,
  '/[base]/[lang]/staff/retention': toStaffWithARight,
  '/[base]/[lang]/staff/access-review': toStaffWithARight,
  '/[base]/[lang]/staff/access-review/[reviewId]': toStaffWithARight,
  '/[base]/[lang]/staff/access-review/[reviewId]/review.csv': toStaffWithARight,
  '/[base]/[lang]/staff/audit': toStaffWithARight,
  '/[base]/[lang]/notfound': toNobody,
  '/[base]/[lang]/kit': (_, isDemo) => (isDemo ? ok : nowhere),
  '/[base]/[lang]/mailbox': (_, isDemo) => (isDemo ? ok : nowhere),
  '/[base]/[lang]/mailbox/[id]': (_, isDemo) => (isDemo ? ok : nowhere),
  '/404': toNobody,
  '/500': toNobody,
};

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

const isSeen = (person: Person, thing: Thing): boolean =>
  thing.state === 'live' && thing.client !== undefined && actsFor(person).includes(thing.client);
const isSeenClient = (person: Person, thing: Thing): boolean =>
  isSeen(person, thing) && thing.id.startsWith('client_');

/** A withdrawn article is still there for those who write. */
const isWritten = (person: Person, thing: Thing): boolean =>
  ['live', 'deleted'].includes(thing.state) &&
  thing.client !== undefined &&
  actsFor(person).includes(thing.client);

const isSeenTask = (person: Person, thing: Thing): boolean =>
  thing.client !== undefined &&
  actsFor(person).includes(thing.client) &&
  thing.id.startsWith('task_') &&
  thing.state === 'live';

const isSeenPerson = (person: Person, thing: Thing): boolean =>
  thing.state === 'live' && (thing.seenBy?.includes(person) ?? false);
/** A page of staff about what they may see. */
const forStaff =
  (sees: (person: Person, thing: Thing) => boolean) =>
  (person: Person, thing: Thing): number =>
    !isStaff(person) ? 303 : sees(person, thing) ? 200 : 404;

/** A page that only serves to change what the person may see. */
const forWriters =
  (sees: (person: Person, thing: Thing) => boolean) =>
  (person: Person, thing: Thing): number =>
    isReader(person) ? 303 : sees(person, thing) ? 200 : 404;

/**
 * Pages that take an id: the status for somebody who is signed in. Everybody else is redirected to the
 * sign-in, whatever the id. A page that only filters a list by the id answers 200 to any id.
 */
export const ID_RULES = {
  'documents?client=': (person: Person, thing: Thing) => (isSeenClient(person, thing) ? 200 : 303),
  'documents?folder=': (person: Person, thing: Thing) =>
    actsFor(person).length === 0 || (isSeen(person, thing) && thing.client === actsFor(person)[0])
      ? 200
      : 404,
  'documents/scan?folder=': forWriters(
    (person, thing) =>
      actsFor(person).length === 0 || (isSeen(person, thing) && thing.client === actsFor(person)[0]),
  ),
  'partials/documents?client=': (person: Person, thing: Thing) => (isSeenClient(person, thing) ? 200 : 404),
  'partials/documents?folder=': (person: Person) => (actsFor(person).length === 0 ? 404 : 200),
  'documents/send?id=': forWriters(isSeen),
  'documents/send?folder=': forWriters(isSeen),
  'shares?act=end&share=': (person: Person, thing: Thing) =>
    thing.state === 'live' && thing.seenBy?.includes(person) ? (isReader(person) ? 303 : 200) : 404,
  'shares?share=': (person: Person, thing: Thing) =>
    thing.state === 'live' && thing.seenBy?.includes(person) ? 200 : 404,
  'documents?document=': (person: Person, thing: Thing) => (isSeen(person, thing) ? 200 : 404),
  'documents/': (person: Person, thing: Thing) => (isSeen(person, thing) ? 303 : 404),
  'documents/{id}/view': (person: Person, thing: Thing) => (isSeen(person, thing) ? 200 : 404),
  // A URL with another client than the active one first redirects to that client.
  'documents/{id}/comments': (person: Person, thing: Thing) =>
    !isSeen(person, thing) ? 404 : thing.client === actsFor(person)[0] ? 200 : 303,
  // staff read what they write
  'home/news/': (person: Person, thing: Thing) => (isStaff(person) ? 303 : isSeen(person, thing) ? 200 : 404),
  // staff with assigned clients write for these, and others for all
  'staff/news/': (person: Person, thing: Thing) =>
    !isStaff(person) || isReader(person) ? 303 : isWritten(person, thing) ? 200 : 404,
  'staff/clients/{id}/tax-calendar': forStaff((person, thing) => isSeenClient(person, thing)),
  // staff have theirs
  'home/cnd/': (person: Person, thing: Thing) =>
    !isSeenClient(person, thing) ? 404 : isStaff(person) || thing.client !== actsFor(person)[0] ? 303 : 200,
  'staff/clients/': forStaff((person, thing) => isSeenClient(person, thing)),
  'staff/tasks/': forStaff((person, thing) => isSeenTask(person, thing)),
  'staff/people/': forStaff((person, thing) => isSeenPerson(person, thing)),
  // Managers of contacts change the clients of contacts; staff of the fixture manage no staff.
  'staff/people/{id}/clients': (person: Person, thing: Thing) =>
    isReader(person) || (isStaff(person) && isSeenPerson(person, thing) && thing.isOfStaff)
      ? 303
      : forStaff((one, contact) => isSeenPerson(one, contact))(person, thing),
  // One's own client is kept; a client of another account of theirs asks for a switch, and any other is not
  // open.
  'company/': (_: Person, thing: Thing) => (thing.state === 'malformed' ? 404 : 303),
} as const satisfies Record<string, (person: Person, thing: Thing) => number>;
