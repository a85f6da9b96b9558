import {
  hasPart,
  canAccessPortal,
  isReadOnly,
  type Guard,
  type Part,
  type Session,
  type Who,
} from '#features/base/people/people.ts';
import { MAX_IMAGE_BYTES } from '#features/base/firms/theme.ts';
import { GRID_FORMS } from '#features/base/grids/rules.ts';
import { MAX_CERTIFICATE_BYTES } from '#features/brazil/digital-certificates/limits.ts';
import { MAX_PDF } from '#features/brazil/clearance-certificates/clearance-certificates.ts';
import { MAX_INVOICE_BYTES } from '#features/payments/payments/payments.ts';
import type { ErrorCode } from '#platform/runtime/errors.server.ts';
import { MAX_FILE_BYTES } from '#platform/tabular/tabular.ts';

/*
 * Every page and who may open it, in one list for security reviews. The middleware reads it, so a page that
 * is missing here is not served; tests compare it with the existing pages. Features declare their own API
 * calls (`routes` in feature.server.ts). `visitor` needs no session: keep those few (threat-model.md T84).
 */

/** The prefixes that the front door handles itself; every other address is a build asset or a page. */
export const FRONT_DOOR = {
  '/healthz': 'visitor',
  '/readyz': 'visitor',
  '/oidc/': 'visitor',
  '/theme/': 'visitor',
  '/messages/': 'visitor',
  '/.well-known/': 'visitor',
  '/sw.js': 'visitor',
  '/m/': 'visitor', // links in emails, to pages that are guarded themselves
  '/api/': 'visitor', // each call is guarded by what its feature declares
} as const satisfies Record<string, Who>;

/** The forms of a table's menus, which change what nobody else sees. */
const formsForReadOnly = Object.values(GRID_FORMS);

/** Pages by Astro's route pattern. */
export const PAGES: Readonly<Record<string, Guard>> = {
  '/[base]/[lang]': { who: 'signed-in' },
  '/[base]/[lang]/documents': { who: 'signed-in', isKept: true },
  '/[base]/[lang]/documents/send': { who: 'signed-in', forWriters: true },
  '/[base]/[lang]/documents/delete': { who: 'signed-in', forWriters: true },
  '/[base]/[lang]/documents/organize': { who: 'signed-in', forWriters: true },
  '/[base]/[lang]/documents/project': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/documents/trash': { who: 'signed-in' },
  '/[base]/[lang]/documents/scan': { who: 'signed-in', forWriters: true },
  '/[base]/[lang]/documents/rights': { who: 'staff' },
  '/[base]/[lang]/shares': { who: 'signed-in' },
  '/[base]/[lang]/documents/[documentId]': { who: 'signed-in' },
  '/[base]/[lang]/documents/[documentId]/comments': { who: 'signed-in' },
  '/[base]/[lang]/documents/[documentId]/view': { who: 'signed-in' },
  '/[base]/[lang]/documents/download': { who: 'signed-in', forReadOnly: true },
  '/[base]/[lang]/partials/download': { who: 'signed-in', forReadOnly: true },
  '/[base]/[lang]/partials/search': { who: 'signed-in' },
  '/[base]/[lang]/search': { who: 'signed-in' },
  '/[base]/[lang]/staff/search': { who: 'staff' },
  '/[base]/[lang]/messages': { who: 'signed-in', part: 'messages' },
  '/[base]/[lang]/receipts': { who: 'signed-in' },
  '/[base]/[lang]/receipts/[number]': { who: 'signed-in' },
  '/[base]/[lang]/verify': { who: 'visitor' },
  '/[base]/[lang]/partials/documents': { who: 'signed-in' },
  // choosing a client changes nothing but a cookie; nicknames are refused by their function
  '/[base]/[lang]/clients': { who: 'signed-in', forReadOnly: true },
  '/[base]/[lang]/home': { who: 'signed-in', part: 'dashboards', isKept: true },
  '/[base]/[lang]/home/edit': { who: 'signed-in', part: 'dashboards' },
  '/[base]/[lang]/home/first-steps': { who: 'signed-in', part: 'dashboards' },
  '/[base]/[lang]/staff/home': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/home/news': { who: 'signed-in', part: 'dashboards' },
  '/[base]/[lang]/home/news/[newsId]': { who: 'signed-in', part: 'dashboards' },
  '/[base]/[lang]/tax-calendar': { who: 'signed-in', part: 'dashboards', isKept: true },
  '/[base]/[lang]/home/cnd/[clientId]': { who: 'signed-in', part: 'dashboards' },
  '/[base]/[lang]/home/cnd/[clientId]/passports': { who: 'signed-in', part: 'dashboards' },
  '/[base]/[lang]/clearance/[token]': { who: 'visitor' },
  '/[base]/[lang]/tasks': { who: 'signed-in', part: 'tasks', isKept: true },
  '/[base]/[lang]/tasks/[taskId]': { who: 'signed-in', part: 'tasks' },
  '/[base]/[lang]/tasks/clients/[clientId]/task/[taskId]': { who: 'signed-in', part: 'tasks', isKept: true },
  '/[base]/[lang]/tasks/clients/[clientId]/task/[taskId]/ask': { who: 'signed-in', part: 'tasks' },
  '/[base]/[lang]/tasks/clients/[clientId]/task/[taskId]/phone': { who: 'signed-in', part: 'tasks' },
  '/[base]/[lang]/task-link/[token]': { who: 'visitor' },
  '/[base]/[lang]/staff/tasks': { who: 'staff', formsForReadOnly },
  '/[base]/[lang]/staff/tasks/new': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/staff/tasks/payment': {
    who: 'staff',
    permission: 'Publish',
    takesFiles: MAX_INVOICE_BYTES,
  },
  '/[base]/[lang]/staff/payments': { who: 'staff', permission: 'ManageFirm' },
  // of the payment sandbox, which is offered in demos only; its address is signed
  '/[base]/[lang]/sandbox-checkout/[token]': { who: 'visitor' },
  '/[base]/[lang]/staff/tasks/sign': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/staff/tasks/seal-waits': { who: 'staff' },
  '/[base]/[lang]/staff/tasks/review': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/staff/tasks/[taskId]': { who: 'staff' },
  '/[base]/[lang]/staff/tasks/batches/[batchId]': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/staff/tasks/templates': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/staff/tasks/templates/new': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/staff/tasks/templates/[templateId]': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/staff/tasks/templates/[templateId]/edit': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/actions': { who: 'signed-in', part: 'actions' },
  '/[base]/[lang]/actions/not-authorized': { who: 'signed-in' },
  '/[base]/[lang]/actions/[section]/[action]': { who: 'signed-in', part: 'actions' },
  '/[base]/[lang]/actions/box-e/[action]': {
    who: 'signed-in',
    part: 'actions',
    formsForReadOnly,
  },
  '/[base]/[lang]/actions/box-e/[action]/[month]': { who: 'signed-in', part: 'actions' },
  '/[base]/[lang]/actions/box-e/documents/[documentId]': { who: 'signed-in', part: 'actions' },
  '/[base]/[lang]/actions/box-e/intakes/[intakeId]': { who: 'signed-in', part: 'actions' },
  '/[base]/[lang]/actions/nfe-manifest/invoice-processing': {
    who: 'signed-in',
    part: 'actions',
    formsForReadOnly,
  },
  '/[base]/[lang]/actions/nfe-manifest/invoices/[invoiceId]': { who: 'signed-in', part: 'actions' },
  '/[base]/[lang]/actions/nfe-manifest/digital-certificate': {
    who: 'signed-in',
    part: 'actions',
    takesFiles: MAX_CERTIFICATE_BYTES,
  },
  '/[base]/[lang]/staff/invoice-manifest': {
    who: 'staff',
    part: 'actions',
    permission: 'Publish',
  },
  '/[base]/[lang]/actions/br-reports/stored-documents': {
    who: 'signed-in',
    part: 'actions',
    formsForReadOnly,
  },
  '/[base]/[lang]/actions/br-reports/payroll-entries': {
    who: 'signed-in',
    part: 'actions',
    formsForReadOnly,
  },
  '/[base]/[lang]/actions/br-reports/payroll-registrations': {
    who: 'signed-in',
    part: 'actions',
    formsForReadOnly,
  },
  '/[base]/[lang]/actions/br-reports/stored-documents-report': {
    who: 'signed-in',
    part: 'actions',
    formsForReadOnly,
  },
  '/[base]/[lang]/staff/holidays': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/staff/fiscal-documents': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/staff/fiscal-documents/stored-files': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/staff/fiscal-documents/[setAsideId]': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/actions/service-request/requests': { who: 'signed-in', part: 'actions' },
  '/[base]/[lang]/actions/service-request/requests/[requestId]': { who: 'signed-in', part: 'actions' },
  '/[base]/[lang]/actions/service-request/payroll-sheets/[sheetId]': { who: 'signed-in', part: 'actions' },
  '/[base]/[lang]/actions/service-request/payroll-sheets/[sheetId]/send': {
    who: 'signed-in',
    part: 'actions',
  },
  '/[base]/[lang]/actions/service-request/payroll-sheets/[sheetId]/paste': {
    who: 'signed-in',
    part: 'actions',
    takesFiles: MAX_FILE_BYTES,
  },
  '/[base]/[lang]/staff/payroll-entries': { who: 'staff', formsForReadOnly },
  '/[base]/[lang]/staff/payroll-entries/lists': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/staff/payroll-entries/lists/new': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/staff/payroll-entries/lists/[listId]': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/staff/payroll-entries/sheets/[sheetId]': { who: 'staff' },
  '/[base]/[lang]/staff/service-requests': { who: 'staff' },
  '/[base]/[lang]/staff/service-requests/settings': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/staff/service-requests/batches/[batchId]': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/staff/service-requests/[requestId]': { who: 'staff', takesFiles: MAX_FILE_BYTES },
  '/[base]/[lang]/actions/service-request/employees': { who: 'signed-in', part: 'actions' },
  '/[base]/[lang]/actions/service-request/employees/[employeeId]': { who: 'signed-in', part: 'actions' },
  '/[base]/[lang]/actions/service-request/establishments': { who: 'signed-in', part: 'actions' },
  // estimates change nothing, so staff who view as a contact may make them, too
  '/[base]/[lang]/actions/service-request/mocks/vacation': {
    who: 'signed-in',
    part: 'actions',
    whileViewing: true,
  },
  '/[base]/[lang]/actions/service-request/mocks/termination': {
    who: 'signed-in',
    part: 'actions',
    whileViewing: true,
  },
  '/[base]/[lang]/company/[companyId]': { who: 'signed-in' },
  '/[base]/[lang]/mobile': { who: 'signed-in' },
  '/[base]/[lang]/mobile/actions/[...action]': { who: 'signed-in', part: 'actions' },
  '/[base]/[lang]/.well-known/[link]': { who: 'signed-in' },
  '/[base]/[lang]/help/report': {
    who: 'signed-in',
    beforeTerms: true,
    forReadOnly: true,
    whileViewing: true,
  },
  '/[base]/[lang]/help/report/[code]': { who: 'signed-in', beforeTerms: true },
  '/[base]/[lang]/help/chat': { who: 'signed-in', beforeTerms: true },
  '/[base]/[lang]/staff/issues': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/staff/issues/[code]': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/staff/access': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/profile': { who: 'signed-in', forReadOnly: true },
  '/[base]/[lang]/announcement': { who: 'signed-in', forReadOnly: true },
  '/[base]/[lang]/staff/sharing': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/staff/seal': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/staff/firm': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/staff/theme': { who: 'staff', permission: 'ManageFirm', takesFiles: MAX_IMAGE_BYTES },
  // what it changes is a cookie
  '/[base]/[lang]/profile/shortcuts': { who: 'staff', forReadOnly: true },
  '/[base]/[lang]/profile/security': { who: 'signed-in', forReadOnly: true },
  '/[base]/[lang]/auth': { who: 'visitor' },
  '/[base]/[lang]/auth/logout': { who: 'visitor', beforeTerms: true, whileViewing: true },
  '/[base]/[lang]/auth/continue': { who: 'visitor', whileViewing: true },
  '/[base]/[lang]/account-switch': { who: 'signed-in', beforeTerms: true, forReadOnly: true },
  '/[base]/[lang]/kept-form': { who: 'signed-in', forReadOnly: true },
  '/[base]/[lang]/terms-and-conditions': { who: 'signed-in', beforeTerms: true, forReadOnly: true },
  '/[base]/[lang]/staff/terms': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/auth/firm-locked': { who: 'visitor' },
  '/[base]/[lang]/auth/mfa-required': { who: 'visitor' },
  '/[base]/[lang]/auth/second-step': { who: 'visitor' },
  '/[base]/[lang]/auth/leaving': { who: 'visitor', beforeTerms: true, whileViewing: true },
  '/[base]/[lang]/auth/confirm': { who: 'signed-in', forReadOnly: true },
  '/[base]/[lang]/auth/signin-error': { who: 'visitor' },
  '/[base]/[lang]/auth/forgot': { who: 'visitor' },
  '/[base]/[lang]/auth/reset/[token]': { who: 'visitor' },
  '/[base]/[lang]/auth/rescue': { who: 'visitor' },
  '/[base]/[lang]/auth/invitation/[token]': { who: 'visitor', beforeTerms: true },
  '/[base]/[lang]/auth/first-owner/[token]': { who: 'visitor' },
  '/[base]/[lang]/staff/invitations': { who: 'staff', permission: 'ManageContacts' },
  '/[base]/[lang]/staff/start': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/staff/people': { who: 'staff', formsForReadOnly },
  '/[base]/[lang]/staff/people/new': { who: 'staff', permission: 'ManageContacts' },
  '/[base]/[lang]/staff/people/invite': { who: 'staff', permission: 'ManageContacts' },
  '/[base]/[lang]/staff/people/invite/[id]': { who: 'staff', permission: 'ManageContacts' },
  '/[base]/[lang]/staff/people/suspend': { who: 'staff', permission: 'ManageContacts' },
  '/[base]/[lang]/staff/people/[id]': { who: 'staff' },
  '/[base]/[lang]/staff/people/[id]/clients': { who: 'staff', permission: 'ManageContacts' },
  '/[base]/[lang]/staff/people/[id]/email': { who: 'staff', permission: 'ManageContacts' },
  '/[base]/[lang]/staff/people/[id]/suspend': { who: 'staff', permission: 'ManageContacts' },
  '/[base]/[lang]/staff/people/[id]/remove': { who: 'staff', permission: 'ManageContacts' },
  '/[base]/[lang]/staff/people/[id]/role': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/profile/email': { who: 'signed-in', forReadOnly: true },
  '/[base]/[lang]/partials/bell': { who: 'signed-in' },
  '/[base]/[lang]/notifications': { who: 'signed-in', forReadOnly: true },
  '/[base]/[lang]/notifications/[id]': { who: 'signed-in' },
  '/[base]/[lang]/profile/notifications': { who: 'signed-in', forReadOnly: true },
  '/[base]/[lang]/profile/offline': { who: 'signed-in' },
  '/[base]/[lang]/profile/reading': { who: 'signed-in', forReadOnly: true },
  '/[base]/[lang]/profile/phrase': { who: 'signed-in', forReadOnly: true },
  // the service worker shows it to whoever has no connection; it is about nobody
  '/[base]/[lang]/offline': { who: 'visitor' },
  '/[base]/[lang]/check': { who: 'visitor' },
  '/[base]/[lang]/unsubscribe/[token]': { who: 'visitor' },
  '/[base]/[lang]/reminders/[token]': { who: 'visitor' },
  '/[base]/[lang]/calendar/[token].ics': { who: 'visitor' },
  '/[base]/[lang]/auth/email/[token]': { who: 'visitor' },
  '/[base]/[lang]/staff/rescue': { who: 'staff', permission: 'ManageContacts' },
  '/[base]/[lang]/language': { who: 'visitor' },
  // each article says who sees it
  '/[base]/[lang]/help': { who: 'visitor' },
  '/[base]/[lang]/help/[id]': { who: 'visitor' },
  '/[base]/[lang]/help/feedback': { who: 'signed-in', forWriters: true },
  '/[base]/[lang]/practice': { who: 'signed-in', forReadOnly: true },
  '/[base]/[lang]/staff/practice': { who: 'staff', forReadOnly: true },
  '/[base]/[lang]/staff/feedback': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/share/[token]': { who: 'visitor' },
  '/[base]/[lang]/share/[token]/[documentId]': { who: 'visitor' },
  '/[base]/[lang]/sign/[token]': { who: 'visitor' },
  '/[base]/[lang]/not-authorized': { who: 'visitor' },
  '/[base]/[lang]/profile/activity': { who: 'signed-in' },
  '/[base]/[lang]/staff': { who: 'staff' },
  '/[base]/[lang]/staff/settings': { who: 'staff' },
  '/[base]/[lang]/staff/publish': { who: 'staff', permission: 'Publish', takesFiles: MAX_FILE_BYTES },
  '/[base]/[lang]/staff/publish/[batchId]': {
    who: 'staff',
    permission: 'Publish',
    takesFiles: MAX_FILE_BYTES,
  },
  '/[base]/[lang]/staff/news': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/staff/news/new': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/staff/news/[newsId]': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/staff/news/[newsId]/edit': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/staff/tax-calendar': { who: 'staff' },
  '/[base]/[lang]/staff/tax-calendar/rules': { who: 'staff' },
  '/[base]/[lang]/staff/templates': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/staff/contacts': { who: 'staff' },
  '/[base]/[lang]/staff/clients': { who: 'staff', formsForReadOnly },
  '/[base]/[lang]/staff/clients/new': { who: 'staff', permission: 'ManageClients' },
  '/[base]/[lang]/staff/clients/archive': { who: 'staff', permission: 'ManageClients' },
  '/[base]/[lang]/staff/clients/duplicates': { who: 'staff', permission: 'ManageClients' },
  '/[base]/[lang]/staff/clients/[id]': { who: 'staff' },
  '/[base]/[lang]/staff/clients/[id]/employees': { who: 'staff' },
  '/[base]/[lang]/staff/clients/[id]/employees/new': { who: 'staff', permission: 'Publish' },
  '/[base]/[lang]/staff/clients/[id]/employees/[employeeId]': { who: 'staff' },
  '/[base]/[lang]/staff/clients/[id]/establishments': { who: 'staff' },
  '/[base]/[lang]/staff/clients/[id]/tax-calendar': { who: 'staff' },
  '/[base]/[lang]/staff/clients/[id]/clearance-certificates': { who: 'staff' },
  '/[base]/[lang]/staff/clients/[id]/clearance-certificates/passports': { who: 'staff' },
  '/[base]/[lang]/staff/clients/[id]/clearance-certificates/[agencyId]': {
    who: 'staff',
    takesFiles: MAX_PDF,
  },
  '/[base]/[lang]/staff/clients/[id]/digital-certificate': {
    who: 'staff',
    permission: 'ManageClients',
    takesFiles: MAX_CERTIFICATE_BYTES,
  },
  '/[base]/[lang]/staff/clearance-certificates': { who: 'staff', formsForReadOnly },
  '/[base]/[lang]/staff/clearance-certificates/upload': {
    who: 'staff',
    permission: 'Publish',
    takesFiles: MAX_PDF,
  },
  '/[base]/[lang]/staff/clients/[id]/edit': { who: 'staff', permission: 'ManageClients' },
  '/[base]/[lang]/staff/clients/[id]/messages': { who: 'staff' },
  '/[base]/[lang]/staff/clients/[id]/merge': { who: 'staff', permission: 'ManageClients' },
  '/[base]/[lang]/staff/view-as/[id]': { who: 'staff', permission: 'ViewAs', forReadOnly: true },
  '/[base]/[lang]/staff/inbox': { who: 'staff' },
  '/[base]/[lang]/staff/overview': { who: 'staff', permission: 'ManageClients' },
  '/[base]/[lang]/staff/inbox/[id]': { who: 'staff' },
  '/[base]/[lang]/staff/mail-texts': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/staff/mails': { who: 'staff', formsForReadOnly },
  '/[base]/[lang]/staff/mails/[id]': { who: 'staff' },
  '/[base]/[lang]/staff/mails/[id]/letter': { who: 'staff' },
  '/[base]/[lang]/staff/view-as/end': { who: 'signed-in', whileViewing: true },
  '/[base]/[lang]/staff/view-as/read-only': { who: 'signed-in' },
  '/[base]/[lang]/staff/imports': { who: 'staff', permission: 'ManageClients' },
  '/[base]/[lang]/staff/imports/[importId]': { who: 'staff', permission: 'ManageClients' },
  '/[base]/[lang]/staff/imports/[importId]/problems.csv': { who: 'staff', permission: 'ManageClients' },
  '/[base]/[lang]/staff/export/[file]': { who: 'staff', permission: 'ManageClients' },
  '/[base]/[lang]/staff/data-exports': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/staff/retention': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/staff/access-review': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/staff/access-review/[reviewId]': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/staff/access-review/[reviewId]/review.csv': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/staff/audit': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/notfound': { who: 'visitor' },
  '/[base]/[lang]/kit': { who: 'demo', takesFiles: MAX_IMAGE_BYTES },
  '/[base]/[lang]/mailbox': { who: 'demo' },
  '/[base]/[lang]/mailbox/[id]': { who: 'demo' },
  '/404': { who: 'visitor' },
  '/500': { who: 'visitor' },
};

/**
 * Returns why this session may not use the route, the first reason first; undefined when it may. Pages and
 * calls use the same check. `forms` are the ids of the forms that a page was posted with.
 */
export function denialReason(
  { who, part, permission, beforeTerms, whileViewing, forReadOnly, formsForReadOnly = [], forWriters }: Guard,
  session: Session | undefined,
  { method, isDemo, forms = [] }: { method: string; isDemo: boolean; forms?: readonly string[] },
): ErrorCode | undefined {
  if (who === 'demo') return isDemo ? undefined : 'NOT_FOUND';
  const isSafe = method === 'GET' || method === 'HEAD';
  if (session?.viewing && !isSafe && !whileViewing) return 'EMULATION_READ_ONLY';
  if (who === 'visitor') return undefined;
  if (!session) return 'UNAUTHENTICATED';
  if (!beforeTerms && !canAccessPortal(session.actor)) return 'FORBIDDEN';
  if (who === 'staff' && !session.actor.staff) return 'FORBIDDEN';
  const isOfReaders = forms.length > 0 && forms.every((form) => formsForReadOnly.includes(form));
  const isWrite = forWriters ?? (!isSafe && !whileViewing && !forReadOnly && !isOfReaders);
  if (isWrite && isReadOnly(session.actor)) return 'FORBIDDEN';
  if (permission !== undefined && !session.actor.access.permissions.has(permission)) return 'FORBIDDEN';
  if (session.termsDue && !beforeTerms) return 'TERMS_REQUIRED';
  return part !== undefined && !hasPart(session.actor.access, part) ? 'FORBIDDEN' : undefined;
}

/**
 * Where people are redirected from an area they cannot access (spec 1 section 6): from dashboards and actions
 * to the start page, from tasks and messages to documents.
 */
export const INSTEAD_OF = {
  dashboards: '',
  tasks: 'documents',
  actions: '',
  messages: 'documents',
} as const satisfies Record<Part, string>;
