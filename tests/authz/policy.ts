/*
 * The access policy, based on the spec and threat-model.md, not on the implementation: facts about people,
 * and one rule per call. The matrix compares every response with it. A call without a rule
 * fails the matrix.
 */

/** All persons, named by what distinguishes them. */
export const PERSONS = [
  'a visitor',
  'the own contact',
  'a contact with two clients',
  'a sibling contact',
  'a contact of the other firm',
  'staff',
  'staff of the other firm',
  'a contact of a locked firm',
  'a user whose second step is missing',
  'an expired session',
  'an ended session',
  'a forged cookie',
  'a link recipient',
  'a contact whose client was taken away',
  'a contact of both firms',
  'staff with assigned clients',
  'read-only staff',
] as const;
export type Person = (typeof PERSONS)[number];

/**
 * The clients of the fixture: three of firm one, two of firm two, one of the locked firm. `own` and `sibling`
 * are relative to the `own` contact.
 */
export type ClientKey =
  'own' | 'sibling' | 'staff only' | 'other firm' | 'other firm, second' | 'locked firm';

/** The clients that a person acts for. Persons not listed have no valid session. */
const ACTS_FOR: Partial<Record<Person, readonly ClientKey[]>> = {
  'the own contact': ['own'],
  'a contact with two clients': ['own', 'sibling'],
  'a sibling contact': ['sibling'],
  'a contact of the other firm': ['other firm'],
  staff: ['own', 'sibling', 'staff only'],
  'staff of the other firm': ['other firm', 'other firm, second'],
  'a contact whose client was taken away': [],
  'a contact of both firms': ['own'],
  'staff with assigned clients': ['own'],
  'read-only staff': ['own', 'sibling', 'staff only'],
};

export const isSignedIn = (person: Person): boolean => ACTS_FOR[person] !== undefined;
const STAFF: readonly Person[] = [
  'staff',
  'staff of the other firm',
  'staff with assigned clients',
  'read-only staff',
];
export const isStaff = (person: Person): boolean => STAFF.includes(person);
/** Staff of the fixture publish, and may also invite and help contacts, but for those who only read. */
export const isReader = (person: Person): boolean => person === 'read-only staff';
export const actsFor = (person: Person): readonly ClientKey[] => ACTS_FOR[person] ?? [];

/** The clients of a person's other accounts: a URL with one of them leads to the account switch. */
export const actsElsewhere = (person: Person): readonly ClientKey[] =>
  person === 'a contact of both firms' ? ['other firm'] : [];

/** Links by state. Only the link recipient has opened any. */
export type LinkKey =
  | 'good'
  | 'with a code'
  | 'expired'
  | 'revoked'
  | 'of a deleted document'
  | 'of a sender without the client'
  | 'of a locked firm'
  | 'opened too long ago'
  | 'of another recipient'
  | 'of the sibling'
  | 'of the other firm';
const OPENED: Record<LinkKey, 'works' | 'over' | 'not opened'> = {
  good: 'works',
  'with a code': 'works',
  expired: 'over',
  revoked: 'over',
  'of a deleted document': 'over',
  'of a sender without the client': 'over',
  'of a locked firm': 'over',
  'opened too long ago': 'not opened',
  'of another recipient': 'not opened',
  'of the sibling': 'not opened',
  'of the other firm': 'not opened',
};

/** The canaries that a person may see: those of their firm and clients. Any other one is a leak. */
const CLIENT_MARKS: Record<ClientKey, string> = {
  own: 'CANARY-C1',
  sibling: 'CANARY-C2',
  'staff only': 'CANARY-C3',
  'other firm': 'CANARY-C4',
  'other firm, second': 'CANARY-C5',
  'locked firm': 'CANARY-C6',
};
export function mayMeet(person: Person): ReadonlySet<string> {
  if (person === 'a link recipient') return new Set(['CANARY-F1', 'CANARY-C1']);
  if (!isSignedIn(person)) return new Set();
  const firm = person.includes('of the other firm') ? 'CANARY-F2' : 'CANARY-F1';
  return new Set([firm, ...actsFor(person).map((client) => CLIENT_MARKS[client])]);
}

/** The canaries of all firms in which a person has an account. */
export const firmsOf = (person: Person): ReadonlySet<string> =>
  new Set(person === 'a contact of both firms' ? ['CANARY-F1', 'CANARY-F2'] : []);

/** The target of an id: `live` exists, `deleted` did, `unknown` never did, `malformed` is not an id. */
export interface Thing {
  id: string;
  state: 'live' | 'deleted' | 'unknown' | 'malformed';
  /** The person whose contact it is. */
  of?: Person;
  client?: ClientKey;
  /** The container of a document. */
  parent?: string;
  link?: LinkKey;
  /** The links that include a document. */
  links?: readonly LinkKey[];
  /** Who may see it, if that does not follow from its client. */
  seenBy?: readonly Person[];
  /** True for a member of staff. */
  isOfStaff?: boolean;
  /** True when the id is of another kind, such as a folder instead of a project. */
  otherKind?: boolean;
}

export interface Rule {
  who:
    | 'anyone'
    | 'nobody without a sign-in under way'
    | 'nobody without a payment provider'
    | 'signed in'
    | 'contacts'
    | 'staff'
    | 'holder of an opened link'
    | 'holder of a task link'
    | 'demo'
    | 'nobody here';
  /** True if it takes the permission to invite and help contacts, which staff have unless they only read. */
  managesContacts?: true;
  /** Read-only staff cannot read it either. */
  forWriters?: true;
  /** True for a write that read-only staff may make: to their own account, or only to read. */
  forReaders?: true;
  /** Set by {@link ruleOf}: the call is no GET. */
  isWrite?: boolean;
  /** Ids that must be visible to the caller; otherwise the response is that for an unknown id. */
  sees?: readonly string[];
  /** The id of the caller's own contact; any other one is FORBIDDEN. */
  ownContact?: string;
  /** Ids that only filter a list; an invisible one is treated as unknown. */
  narrows?: readonly string[];
  /** A document and the container that it must be in. */
  within?: readonly [document: string, container: string];
  /**
   * Statuses for permitted callers when the call cannot succeed in this fixture; `changes` are then those of
   * the refusal.
   */
  answers?: readonly number[];
  /** The success status, if not 200. */
  succeeds?: number;
  /** Tables from which it deletes the caller's own rows. */
  ends?: readonly string[];
  /** Tables that a permitted call changes. */
  changes?: readonly string[];
  /** Tables in which it updates the caller's own row, which shows as a deletion and an insertion. */
  updates?: readonly string[];
  /** True when the response names all firms of the caller, not only that of the session. */
  namesAllFirms?: true;
  /** Counter columns, by table: nothing else in these rows changes. */
  counts?: Readonly<Record<string, string>>;
  /** True when it changes existing rows. */
  alters?: true;
  /** Tables whose rows belong to a client, and not to who created them. */
  ofClient?: readonly string[];
  /** The id that accepts any kind of container, as in the spec's folders/{id} with a client. */
  anyKind?: string;
  /** A document that the caller must have uploaded, unless they are staff; others who can see it get 403. */
  uploadedByCaller?: string;
  /** The container is of staff, and only they change it: contacts who can see it get 403. */
  ofStaff?: true;
  /**
   * True when it changes or deletes documents of the caller's clients: they are restored for the next cell.
   */
  trashes?: true;
  /** It locks: the matrix undoes it, as what is locked refuses the calls after it. */
  locks?: true;
  /** True when staff assign or revoke a role of a contact of their firm. */
  gives?: true;
  /** Who sees deleted documents of the `own` client: the uploader and staff. */
  showsDeleted?: readonly Person[];
}

const storage = (type: 'clients' | 'projects' | 'folders'): Record<string, Rule> => ({
  [`get /api/storage/v1/${type}/{id}/descendants`]: { who: 'signed in', sees: ['id'] },
  [`get /api/storage/v1/${type}/{id}/documents`]: { who: 'signed in', sees: ['id'] },
  [`post /api/storage/v1/${type}/{id}/documents/exists`]: { who: 'signed in', sees: ['id'] },
  [`get /api/storage/v1/${type}/{id}/documents/{documentId}`]: {
    who: 'signed in',
    sees: ['id', 'documentId'],
    within: ['documentId', 'id'],
    changes: ['document_reads', 'receipts', 'limits'],
  },
  [`delete /api/storage/v1/${type}/{id}/documents/{documentId}`]: {
    who: 'signed in',
    sees: ['id', 'documentId'],
    within: ['documentId', 'id'],
    uploadedByCaller: 'documentId',
    changes: ['documents', 'receipts'],
    trashes: true,
  },
  [`post /api/storage/v1/${type}/{id}/scans`]: {
    who: 'signed in',
    sees: ['id'],
    changes: [
      'documents',
      'document_reads',
      'blobs',
      'limits',
      'receipts',
      'upload_notices',
      'notices',
      'jobs',
    ],
    updates: ['notices'],
  },
  [`post /api/storage/v1/${type}/{id}/documents`]: {
    who: 'signed in',
    sees: ['id'],
    ...(type === 'folders' && { anyKind: 'id' }),
    changes: [
      'documents',
      'document_reads',
      'blobs',
      'limits',
      'receipts',
      'upload_notices',
      'notices',
      'jobs',
    ],
    updates: ['notices'],
  },
});

/** Who uploaded the documents of each client. */
const UPLOADED_BY: Partial<Record<ClientKey, Person>> = {
  own: 'the own contact',
  sibling: 'a sibling contact',
  'staff only': 'staff',
  'other firm': 'a contact of the other firm',
  'other firm, second': 'staff of the other firm',
};

/** Each document of a list is reported separately; an invisible one is treated as unknown. */
const TRASH: Rule = {
  who: 'signed in',
  narrows: ['documentId', 'id'],
  changes: ['documents', 'document_reads', 'comments', 'item_metadata', 'blobs', 'receipts'],
  trashes: true,
  showsDeleted: ['the own contact', 'staff', 'staff with assigned clients', 'read-only staff'],
};

/** Roles and locks: a role can be assigned to any contact of the firm. */
const rights = (type: string): Record<string, Rule> => ({
  [`get /api/storage/v1/${type}/{id}/roles`]: { who: 'staff', sees: ['id'] },
  [`put /api/storage/v1/${type}/{id}/roles/{contactId}`]: {
    who: 'staff',
    sees: ['id', 'contactId'],
    changes: ['container_roles'],
    gives: true,
  },
  [`delete /api/storage/v1/${type}/{id}/roles/{contactId}`]: {
    who: 'staff',
    sees: ['id', 'contactId'],
    changes: ['container_roles'],
    gives: true,
  },
  [`put /api/storage/v1/${type}/{id}/lock`]: {
    who: 'staff',
    sees: ['id'],
    changes: ['item_locks'],
    locks: true,
  },
});

/** Staff who publish create and delete tasks; contacts of the client and staff change them. */
const TASKS = '/api/client-center/v3/tasks';
const taskRules: Record<string, Rule> = {
  [`post ${TASKS}`]: {
    who: 'staff',
    sees: ['clientId'],
    changes: ['tasks', 'task_groups', 'task_steps'],
    ofClient: ['tasks', 'task_groups', 'task_steps', 'task_answers'],
  },
  [`post ${TASKS}/{taskId}/tasks`]: {
    who: 'staff',
    sees: ['taskId'],
    changes: ['tasks', 'task_groups'],
    ofClient: ['tasks', 'task_groups', 'task_steps', 'task_answers'],
  },
  [`get ${TASKS}/groups`]: { who: 'signed in' },
  [`get ${TASKS}/groups/clients/{clientId}`]: { who: 'signed in', sees: ['clientId'] },
  [`get ${TASKS}/groups/{taskGroupId}`]: { who: 'signed in', sees: ['taskGroupId'] },
  [`get ${TASKS}/clients/{clientId}`]: { who: 'signed in', sees: ['clientId'] },
  [`delete ${TASKS}/clients/{clientId}`]: {
    who: 'staff',
    sees: ['clientId'],
    changes: ['tasks', 'task_groups'],
    ofClient: ['tasks', 'task_groups', 'task_steps', 'task_answers'],
    trashes: true,
  },
  [`get ${TASKS}/{taskId}`]: { who: 'signed in', sees: ['taskId'] },
  // Nothing is submitted in the fixture: tests/features/task-submissions/submission-files.test.ts tests what is.
  [`get ${TASKS}/{taskId}/submission`]: { who: 'staff', answers: [404] },
  [`get ${TASKS}/{taskId}/submission.pdf`]: { who: 'signed in', answers: [404] },
  [`patch ${TASKS}/{taskId}`]: {
    who: 'signed in',
    sees: ['taskId'],
    changes: ['tasks', 'task_groups', 'task_answers'],
    ofClient: ['tasks', 'task_groups', 'task_steps', 'task_answers'],
  },
  [`patch ${TASKS}/{taskId}/steps/{stepNumber}`]: {
    who: 'signed in',
    sees: ['taskId'],
    changes: ['tasks', 'task_groups', 'task_steps', 'task_answers'],
    ofClient: ['tasks', 'task_groups', 'task_steps', 'task_answers'],
  },
  // what somebody else has changed meanwhile is kept, as after the calls before this one
  [`post ${TASKS}/{taskId}/answers`]: {
    who: 'contacts',
    sees: ['taskId'],
    changes: ['tasks', 'task_groups', 'task_answers', 'task_kept_answers'],
    ofClient: ['tasks', 'task_groups', 'task_steps', 'task_answers', 'task_kept_answers'],
  },
  // The tasks of the fixture look nothing up: tests/features/task-answers/lookups.test.ts tests one that does.
  [`get ${TASKS}/{taskId}/lookups/{list}`]: { who: 'signed in', answers: [404] },
  // The tasks of the fixture ask nothing: tests/features/tasks/answering.test.ts tests those that do.
  [`post ${TASKS}/{taskId}/sections/{section}`]: { who: 'signed in', answers: [404] },
  // No task of the fixture is a review: tests/features/document-review/document-reviews.test.ts tests one.
  [`post ${TASKS}/{taskId}/versions`]: { who: 'staff', answers: [404] },
  [`get ${TASKS}/{taskId}/messages`]: { who: 'signed in', sees: ['taskId'] },
  [`post ${TASKS}/{taskId}/messages`]: {
    who: 'signed in',
    sees: ['taskId'],
    changes: ['task_messages', 'jobs', 'limits', 'notices'],
    updates: ['notices'],
  },
  // One's own only, not even for staff.
  [`delete ${TASKS}/{taskId}/messages/{messageId}`]: {
    who: 'signed in',
    sees: ['taskId', 'messageId'],
    within: ['messageId', 'taskId'],
    changes: ['task_messages'],
    trashes: true,
  },
  [`delete ${TASKS}/{taskId}`]: {
    who: 'staff',
    sees: ['taskId'],
    changes: ['tasks', 'task_groups'],
    ofClient: ['tasks', 'task_groups', 'task_steps', 'task_answers'],
    trashes: true,
  },
};

/** Nobody in the fixture has a template: tests/features/task-templates tests who sees one. */
const TEMPLATES = '/api/client-center/v3/task-templates';
const templateRules: Record<string, Rule> = {
  [`get ${TEMPLATES}`]: { who: 'staff', forWriters: true },
  [`post ${TEMPLATES}`]: { who: 'staff', changes: ['task_templates', 'task_template_versions'] },
  [`get ${TEMPLATES}/{templateId}`]: { who: 'staff', forWriters: true, answers: [404] },
  [`patch ${TEMPLATES}/{templateId}`]: { who: 'staff', answers: [404] },
  [`post ${TEMPLATES}/{templateId}/publish`]: { who: 'staff', answers: [404] },
  [`delete ${TEMPLATES}/{templateId}`]: { who: 'staff', answers: [404] },
};

export const RULES: Record<string, Rule> = {
  ...taskRules,
  ...templateRules,
  'get /api/openapi.json': { who: 'anyone' },
  'get /api/docs': { who: 'anyone' },
  'post /api/logging/v1/log': { who: 'anyone', changes: ['limits'] },
  // only for the caller's own address: tests/features/issue-reports/reports.test.ts
  'post /api/notifications/v1/notifications/category/CCVNEXT/type/CLIENT_CENTER_ISSUE_CONFIRMATION': {
    who: 'nobody here',
  },
  'get /api/security/v1/session': { who: 'signed in' },
  'delete /api/security/v1/session': { forReaders: true, who: 'signed in', changes: ['sessions'] },
  'post /api/security/v1/view-as': { who: 'nobody here' },
  'delete /api/security/v1/view-as': { forReaders: true, who: 'signed in' },
  // Nobody in the fixture manages clients: tests/features/clients/clients-api.test.ts tests those who do.
  'post /api/staff/v1/clients': { who: 'nobody here' },
  'get /api/staff/v1/clients/{id}': { who: 'staff', sees: ['id'] },
  'patch /api/staff/v1/clients/{id}': { who: 'nobody here' },
  'post /api/staff/v1/clients/{id}/archive': { who: 'nobody here' },
  'post /api/staff/v1/clients/{id}/restore': { who: 'nobody here' },
  'get /api/staff/v1/grids/clients': { who: 'staff' },
  'get /api/staff/v1/grids/clients/export': { who: 'staff' },
  'get /api/staff/v1/grids/archived-clients': { who: 'staff' },
  'get /api/staff/v1/grids/archived-clients/export': { who: 'staff' },
  'get /api/staff/v1/grids/tasks': { who: 'staff' },
  'get /api/staff/v1/grids/tasks/export': { who: 'staff' },
  'get /api/staff/v1/grids/mails': { who: 'staff' },
  'get /api/staff/v1/grids/mails/export': { who: 'staff' },
  'get /api/staff/v1/grids/people': { who: 'staff' },
  'get /api/staff/v1/grids/people/export': { who: 'staff' },
  'get /api/staff/v1/grids/audit': { who: 'nobody here' },
  'get /api/staff/v1/grids/audit/export': { who: 'nobody here' },
  'get /api/profile/v1/users/current': { who: 'signed in' },
  'put /api/profile/v1/users/current': { forReaders: true, who: 'signed in', updates: ['users', 'contacts'] },
  'put /api/profile/v1/users/{prismGuid}/language': {
    forReaders: true,
    who: 'signed in',
    sees: ['prismGuid'],
    updates: ['users'],
  },
  'get /api/profile/v1/contacts': { who: 'signed in', sees: ['companyId', 'contactId'] },
  'get /api/profile/v1/themes/{companyId}': { who: 'signed in', sees: ['companyId'] },
  'get /api/client-center/v1/clients/': { who: 'signed in', narrows: ['companyId'] },
  'post /api/core/v3/companies/{companyId}/clients/search': {
    forReaders: true,
    who: 'signed in',
    narrows: ['companyId'],
  },
  // Nobody in the fixture manages clients: tests/features/imports tests those who do.
  'post /api/client-center/v1/imports': { who: 'nobody here' },
  // Nobody in the fixture manages a firm: tests/features/data-exports tests those who do.
  'get /api/client-center/v1/data-exports/{exportId}/file': { who: 'nobody here' },
  'post /api/client-center/v1/seals/verifications': { who: 'anyone', changes: ['limits'] },
  'get /api/client-center/v1/flags': { who: 'signed in' },
  // Nobody in the fixture manages a firm, and no firm has enabled an action: tests/features/access and
  // actions test those who may.
  'put /api/client-center/v1/flags/{flag}': { who: 'nobody here' },
  'get /api/client-center/v1/actions': { who: 'nobody here' },
  'post /api/security/v1/session/extend': { forReaders: true, who: 'signed in' },
  'get /api/security/v1/long-tokens': { who: 'signed in' },
  'post /api/security/v1/long-tokens': {
    forReaders: true,
    who: 'signed in',
    changes: ['long_tokens', 'jobs'],
  },
  'delete /api/security/v1/long-tokens/{tokenId}': { forReaders: true, who: 'signed in', answers: [404] },
  'get /api/security/v1/accounts': { who: 'signed in', namesAllFirms: true },
  // Contacts of others, and those of this user, in tests/features/sessions/accounts.test.ts.
  'post /api/security/v1/account-switch': { forReaders: true, who: 'signed in', answers: [404] },
  'get /api/security/v1/terms': { who: 'signed in' },
  'post /api/security/v1/terms': { forReaders: true, who: 'signed in', answers: [404] },
  'get /api/security/v1/sessions': { who: 'signed in' },
  'get /api/notifications/v1/stream': { who: 'signed in' },
  'delete /api/security/v1/sessions': {
    forReaders: true,
    who: 'signed in',
    changes: ['sessions', 'long_tokens'],
    ends: ['sessions', 'long_tokens'],
  },
  // Nobody in the fixture has a password or a second factor.
  'post /api/security/v1/step-up': {
    forReaders: true,
    who: 'signed in',
    changes: ['limits', 'jobs'],
    answers: [422],
  },
  'post /api/security/v1/passkeys/challenge': { who: 'anyone', changes: ['passkey_challenges', 'limits'] },
  'get /api/security/v1/invitations': { managesContacts: true, who: 'staff' },
  'post /api/security/v1/invitations': {
    managesContacts: true,
    who: 'staff',
    sees: ['clientIds'],
    changes: ['invitations', 'jobs', 'limits'],
  },
  'delete /api/security/v1/invitations/{id}': {
    managesContacts: true,
    who: 'staff',
    sees: ['id'],
    changes: ['invitations'],
    alters: true,
  },
  // the signature of the provider is tested in tests/features/payments/messages.test.ts
  'post /api/payments/v1/webhooks/{provider}': { who: 'nobody without a payment provider' },
  'post /api/payments/v1/webhooks/stripe/{companyId}': { who: 'nobody without a payment provider' },
  'post /api/security/v1/oidc/login': { who: 'anyone' },
  'post /api/security/v1/oidc/auth-code/session': { who: 'nobody without a sign-in under way' },
  'get /api/storage/v1/documents/constraints': { who: 'signed in' },
  'get /api/storage/v1/containers/documents': {
    who: 'signed in',
    sees: ['clientId'],
    narrows: ['parentIds'],
  },
  'get /api/storage/v1/containers/tree': { who: 'signed in', sees: ['clientId'] },
  'get /api/storage/v1/containers': { who: 'signed in', sees: ['clientId'] },
  'get /api/storage/v1/projects': { who: 'signed in', sees: ['primaryAssociationId'] },
  'post /api/storage/v1/projects': { who: 'staff', sees: ['clientId'], changes: ['containers'] },
  'put /api/storage/v1/documents/{id}/name': {
    who: 'signed in',
    sees: ['id'],
    uploadedByCaller: 'id',
    changes: ['documents'],
    trashes: true,
  },
  'put /api/storage/v1/projects/{id}/name': {
    who: 'staff',
    sees: ['id'],
    changes: ['containers'],
    trashes: true,
  },
  'put /api/storage/v1/folders/{id}/name': {
    who: 'signed in',
    sees: ['id'],
    ofStaff: true,
    changes: ['containers'],
    trashes: true,
  },
  // Each document is reported separately; an invisible one is treated as unknown.
  'put /api/storage/v1/items/move': {
    who: 'signed in',
    sees: ['containerId'],
    narrows: ['documentId'],
    changes: ['documents'],
    trashes: true,
  },
  'post /api/storage/v1/items/copy': {
    who: 'signed in',
    sees: ['containerId'],
    narrows: ['documentId'],
    changes: [
      'documents',
      'document_reads',
      'blobs',
      'limits',
      'receipts',
      'upload_notices',
      'notices',
      'jobs',
    ],
    updates: ['notices'],
  },
  'delete /api/storage/v1/projects/{id}': {
    who: 'staff',
    sees: ['id'],
    changes: ['containers', 'documents', 'receipts'],
    trashes: true,
  },
  'delete /api/storage/v1/folders/{id}': {
    who: 'signed in',
    sees: ['id'],
    ofStaff: true,
    changes: ['containers', 'documents', 'receipts'],
    trashes: true,
  },
  'get /api/storage/v1/folders/trash': { who: 'signed in', sees: ['clientId'] },
  // Nobody in the fixture has deleted a folder: tests/features/trash/folder-trash.test.ts.
  'post /api/storage/v1/folders/{id}/restore': { who: 'signed in', answers: [404] },
  // Nobody in the fixture has a batch: tests/features/publishing.
  'post /api/storage/v1/publish-batches/{id}/files': { who: 'staff', answers: [404] },
  'post /api/storage/v1/folders': { who: 'signed in', sees: ['parentId'], changes: ['containers'] },
  ...storage('clients'),
  ...storage('projects'),
  ...storage('folders'),
  'put /api/storage/v1/itemmetadata': {
    who: 'signed in',
    narrows: ['id', 'documentId'],
    changes: ['item_metadata'],
  },
  'post /api/storage/v1/itemmetadata/filter': { forReaders: true, who: 'signed in', sees: ['clientId'] },
  'post /api/storage/v1/itemmetadata/remove': {
    who: 'signed in',
    narrows: ['id', 'documentId'],
    ends: ['item_metadata'],
    changes: ['item_metadata'],
  },
  'post /api/storage/v1/notifications/documents/upload': {
    who: 'signed in',
    sees: ['containerId'],
    narrows: ['documentId'],
    changes: ['upload_notices', 'notices', 'jobs'],
    updates: ['notices'],
  },
  'put /api/storage/v1/documents/read': {
    who: 'contacts',
    narrows: ['documentId'],
    changes: ['document_reads'],
    ends: ['document_reads'],
  },
  'get /api/core/v1/contact-address-countries': { who: 'signed in' },
  'get /api/core/v1/contact-address-state-provinces': { who: 'signed in' },
  'get /api/storage/v1/documents/{documentId}/pages/{page}': {
    who: 'signed in',
    sees: ['documentId'],
    changes: ['document_reads', 'limits'],
  },
  'get /api/storage/v1/uploads': { who: 'signed in' },
  'post /api/storage/v1/uploads': {
    who: 'signed in',
    sees: ['containerId'],
    changes: ['uploads'],
    succeeds: 201,
  },
  // An empty part; tests/features/uploads/parts.test.ts tests parts with content.
  'get /api/storage/v1/uploads/{uploadId}': { who: 'signed in', sees: ['uploadId'] },
  'patch /api/storage/v1/uploads/{uploadId}': { who: 'signed in', sees: ['uploadId'], succeeds: 204 },
  'delete /api/storage/v1/uploads/{uploadId}': {
    who: 'signed in',
    sees: ['uploadId'],
    changes: ['uploads'],
    alters: true,
    trashes: true,
    succeeds: 204,
  },
  'get /api/storage/v1/documents/trash': {
    who: 'signed in',
    sees: ['clientId'],
    showsDeleted: ['the own contact', 'staff', 'staff with assigned clients', 'read-only staff'],
  },
  'post /api/storage/v1/documents/trash': {
    who: 'signed in',
    sees: ['id', 'documentId'],
    within: ['documentId', 'id'],
    uploadedByCaller: 'documentId',
    changes: ['documents', 'receipts'],
    trashes: true,
  },
  'put /api/storage/v1/documents/batch-delete': TRASH,
  'post /api/storage/v1/documents/restore': TRASH,
  'post /api/storage/v1/documents/purge': TRASH,
  // The path of a shared document says where a page showed it: it grants and denies nothing.
  'post /api/storage/v1/jobs/export': {
    forReaders: true,
    who: 'signed in',
    sees: ['fileIDs'],
    changes: ['exports', 'jobs', 'limits'],
  },
  'get /api/storage/v1/jobs/{jobId}': { who: 'signed in', sees: ['jobId'] },
  'get /api/storage/v1/jobs/{jobId}/result': {
    who: 'signed in',
    sees: ['jobId'],
    changes: ['document_reads', 'receipts', 'limits'],
  },
  'delete /api/storage/v1/jobs/{jobId}': {
    forReaders: true,
    who: 'signed in',
    sees: ['jobId'],
    changes: ['exports'],
    alters: true,
  },
  'post /api/storage/v2/sharing/share': {
    who: 'signed in',
    sees: ['documentId'],
    narrows: ['containerId'],
    changes: ['shares', 'share_items', 'share_clients', 'share_recipients', 'jobs', 'limits', 'receipts'],
  },
  'get /api/storage/v2/sharing/shares': { who: 'signed in', sees: ['clientId'], narrows: ['senderId'] },
  // Only its sender may extend and send it again, not even other staff; both may end links.
  'post /api/storage/v2/sharing/shares/{shareId}/extend': {
    who: 'signed in',
    sees: ['shareId'],
    updates: ['shares'],
  },
  'delete /api/storage/v2/sharing/shares/{shareId}/recipients/{recipientId}': {
    who: 'signed in',
    sees: ['shareId', 'recipientId'],
    within: ['recipientId', 'shareId'],
    changes: ['share_recipients'],
    alters: true,
  },
  'delete /api/storage/v2/sharing/shares/{shareId}': {
    who: 'signed in',
    sees: ['shareId'],
    changes: ['shares'],
    alters: true,
  },
  'post /api/client-center/v3/task-links/{token}': { who: 'holder of a task link' },
  // the fixture has none: tests/features/task-links/proposed-files.test.ts tests those who have one
  'get /api/client-center/v3/tasks/{taskId}/proposed-files/{fileId}': {
    who: 'signed in',
    answers: [404],
    succeeds: 404,
  },
  'get /api/storage/v2/sharing/links/{token}/documents/{documentId}': {
    who: 'holder of an opened link',
    changes: ['receipts', 'limits'],
    counts: { share_recipients: 'downloads' },
  },
  'get /api/storage/v2/sharing/links/{token}/documents/{documentId}/pages/{page}': {
    who: 'holder of an opened link',
    changes: ['limits'],
  },
  'get /api/storage/v2/sharing/links/{token}/documents.zip': {
    who: 'holder of an opened link',
    changes: ['receipts'],
    counts: { share_recipients: 'downloads' },
  },
  'get /api/client-center/v3/signing/{signingId}/pages/{page}': {
    who: 'signed in',
    sees: ['signingId'],
    changes: ['document_reads', 'limits'],
  },
  'post /api/client-center/v3/signing/clients/{clientId}/documents': {
    who: 'staff',
    sees: ['clientId'],
    changes: ['containers', 'documents', 'document_reads', 'blobs', 'limits', 'receipts', 'jobs'],
  },
  'get /api/client-center/v3/signing/{signingId}/document': {
    who: 'signed in',
    sees: ['signingId'],
    changes: ['limits'],
  },
  // The links of the fixture are not opened: tests/features/signing/signing.test.ts opens one.
  'get /api/client-center/v3/signing/links/{token}/pages/{page}': { who: 'holder of an opened link' },
  'get /api/client-center/v3/signing/links/{token}/document': { who: 'holder of an opened link' },
  'post /api/notes/v1/comments/': {
    who: 'signed in',
    sees: ['documentId'],
    changes: ['comments', 'jobs', 'limits', 'notices'],
    updates: ['notices'],
  },
  'post /api/notes/v1/comments/search': { forReaders: true, who: 'signed in', narrows: ['documentId'] },
  'get /api/notes/v1/comments': { who: 'signed in', sees: ['documentId'] },
  // One's own only, not even for staff.
  'delete /api/notes/v1/comments/{id}': {
    who: 'signed in',
    sees: ['id'],
    changes: ['comments'],
    trashes: true,
  },
  // Only people of clients are readers, who have seen something.
  'get /api/br-news/v1/articles/shared': { who: 'signed in', ownContact: 'contactId' },
  'get /api/br-news/v1/articles/shared/{id}': { who: 'signed in', sees: ['id'] },
  'post /api/br-news/v1/articles/{id}/mark-as-seen': {
    who: 'contacts',
    sees: ['id'],
    changes: ['article_reads'],
    succeeds: 204,
  },
  'get /api/tax-calendar/v1/dates': { who: 'signed in', sees: ['clientId'] },
  'put /api/tax-calendar/v1/dates/{id}/mark': {
    who: 'signed in',
    sees: ['id'],
    changes: ['tax_dates'],
    trashes: true,
  },
  // The firms of the fixture store no fiscal documents: tests/features/fiscal-documents and fiscal-intake test those that do.
  'get /api/boxe/v1/companies': { who: 'signed in' },
  'get /api/boxe/v1/clients/{id}': { who: 'signed in', sees: ['id'] },
  'post /api/boxe/v1/clients/{id}/documents': { who: 'nobody here' },
  'get /api/boxe/v1/intakes/{id}': { who: 'nobody here' },
  'get /api/boxe/v1/documents/{id}/xml': { who: 'nobody here' },
  'post /api/client-center/v1/receipts/list': {
    who: 'signed in',
    sees: ['clientId'],
    changes: ['sealed_files', 'seal_keys', 'limits'],
  },
  'get /api/boxe/v1/exports': { who: 'nobody here' },
  'get /api/boxe/v1/grids/nfe': { who: 'nobody here' },
  'get /api/boxe/v1/grids/nfe/export': { who: 'nobody here' },
  'get /api/boxe/v1/grids/nfce': { who: 'nobody here' },
  'get /api/boxe/v1/grids/nfce/export': { who: 'nobody here' },
  'get /api/boxe/v1/grids/cte': { who: 'nobody here' },
  'get /api/boxe/v1/grids/cte/export': { who: 'nobody here' },
  'get /api/boxe/v1/grids/cfe': { who: 'nobody here' },
  'get /api/boxe/v1/grids/cfe/export': { who: 'nobody here' },
  'get /api/boxe/v1/grids/xml': { who: 'nobody here' },
  'get /api/boxe/v1/grids/xml/export': { who: 'nobody here' },
  'get /api/boxe/v1/grids/all': { who: 'nobody here' },
  'get /api/boxe/v1/grids/all/export': { who: 'nobody here' },
  // nobody of the fixture has invoices to manifest: tests/features/invoice-manifest/manifest.test.ts has those who do
  'get /api/manifesto/v1/documents': { who: 'nobody here' },
  'get /api/manifesto/v1/clients': { who: 'nobody here' },
  'post /api/manifesto/v1/documents/{id}/intent': { who: 'nobody here' },
  'delete /api/manifesto/v1/documents/{id}/intent': { who: 'nobody here' },
  'post /api/manifesto/v1/intents/accept': { who: 'nobody here' },
  'post /api/manifesto/v1/intents/refuse': { who: 'nobody here' },
  'get /api/manifesto/v1/grids/documents': { who: 'nobody here' },
  'get /api/manifesto/v1/grids/documents/export': { who: 'nobody here' },
  'get /api/manifesto/v1/grids/worklist': { who: 'nobody here' },
  'get /api/manifesto/v1/grids/worklist/export': { who: 'nobody here' },
  'get /api/br-reports/v1/grids/stored-documents': { who: 'nobody here' },
  'get /api/br-reports/v1/grids/stored-documents/export': { who: 'nobody here' },
  'get /api/cnd/v1/client-agencies': { who: 'signed in', sees: ['clientId'] },
  'get /api/cnd/v1/crawler-history': { who: 'signed in', sees: ['clientId'] },
  // those of the fixture have no PDF: tests/features/clearance-certificates/certificates.test.ts has one
  'get /api/cnd/v1/crawler-history/{id}/document': { who: 'signed in', sees: ['id'], answers: [404] },
  'get /api/cnd/v1/grids/client-agencies': { who: 'staff' },
  'get /api/cnd/v1/grids/client-agencies/export': { who: 'staff' },
  // contacts of the fixture have no service requests: tests/features/establishments/establishments.test.ts has those who do
  'get /api/br-payroll/v1/clients/{clientId}/establishments': { who: 'staff', sees: ['clientId'] },
  'post /api/br-payroll/v1/clients/{clientId}/establishments': {
    who: 'staff',
    sees: ['clientId'],
    changes: ['establishments'],
  },
  'patch /api/br-payroll/v1/establishments/{id}': {
    who: 'staff',
    sees: ['id'],
    changes: ['establishments'],
    trashes: true,
  },
  'delete /api/br-payroll/v1/establishments/{id}': {
    who: 'staff',
    sees: ['id'],
    changes: ['establishments'],
    succeeds: 204,
    trashes: true,
  },
  'get /api/br-payroll/v1/clients/{clientId}/employees': { who: 'staff', sees: ['clientId'] },
  'post /api/br-payroll/v1/clients/{clientId}/employees': {
    who: 'staff',
    sees: ['clientId'],
    changes: ['employees', 'employee_changes'],
  },
  'put /api/br-payroll/v1/clients/{clientId}/employees': {
    who: 'staff',
    sees: ['clientId'],
    changes: ['employees', 'employee_changes'],
  },
  'get /api/br-payroll/v1/employees/tooltips': { who: 'staff', narrows: ['ids'] },
  'get /api/br-payroll/v1/employees/{id}': { who: 'staff', sees: ['id'] },
  'patch /api/br-payroll/v1/employees/{id}': {
    who: 'staff',
    sees: ['id'],
    changes: ['employees', 'employee_changes'],
    trashes: true,
  },
  'get /api/br-payroll/v1/employees/{id}/vacation-periods': { who: 'staff', sees: ['id'] },
  // those of the fixture are drafts that the firm has begun: tests/features/service-requests has what is done with others
  'get /api/service-request/v1/forms/{type}': { who: 'staff' },
  'get /api/service-request/v1/requests': { who: 'staff', sees: ['clientId'] },
  'post /api/service-request/v1/requests': {
    who: 'staff',
    sees: ['clientId'],
    changes: ['service_requests', 'service_request_numbers', 'service_request_forms'],
    ofClient: ['service_requests', 'service_request_numbers', 'service_request_forms'],
  },
  'get /api/service-request/v1/requests/{id}': { who: 'staff', sees: ['id'] },
  'delete /api/service-request/v1/requests/{id}': { who: 'staff', sees: ['id'], answers: [404, 409] },
  'post /api/service-request/v1/requests/{id}/answers': {
    who: 'staff',
    sees: ['id'],
    changes: ['service_request_answers', 'service_request_kept_answers', 'service_requests'],
    ofClient: ['service_request_answers', 'service_request_kept_answers', 'service_requests'],
  },
  'get /api/service-request/v1/requests/{id}/lookups/{list}': { who: 'staff', sees: ['id'], answers: [404] },
  'post /api/service-request/v1/requests/{id}/sections/{section}': {
    who: 'staff',
    sees: ['id'],
    changes: ['service_request_answers', 'service_requests'],
    ofClient: ['service_request_answers', 'service_requests'],
  },
  'post /api/service-request/v1/requests/{id}/check': { who: 'staff', sees: ['id'], forReaders: true },
  'post /api/service-request/v1/requests/{id}/submit': { who: 'staff', sees: ['id'], answers: [404, 409] },
  'post /api/service-request/v1/requests/{id}/take-back': { who: 'staff', sees: ['id'], answers: [404, 409] },
  'post /api/service-request/v1/requests/{id}/messages': {
    who: 'staff',
    sees: ['id'],
    answers: [404, 409],
    changes: ['limits'],
  },
  'post /api/service-request/v1/requests/{id}/ask': { who: 'staff', sees: ['id'], answers: [404, 409] },
  'post /api/service-request/v1/requests/{id}/return': { who: 'staff', sees: ['id'], answers: [404, 409] },
  'post /api/service-request/v1/requests/{id}/reply': { who: 'staff', sees: ['id'], answers: [404, 409] },
  'post /api/service-request/v1/requests/{id}/cancel': { who: 'staff', sees: ['id'], answers: [404, 409] },
  'post /api/service-request/v1/requests/{id}/reopen': { who: 'staff', sees: ['id'], answers: [404, 409] },
  'get /api/service-request/v1/requests/{id}/submissions/{number}': {
    who: 'staff',
    sees: ['id'],
    answers: [404],
  },
  'get /api/service-request/v1/requests/{id}/export': { who: 'staff', sees: ['id'], answers: [404] },
  'get /api/service-request/v1/settings/{type}': { who: 'staff' },
  'put /api/service-request/v1/settings/{type}': { who: 'nobody here' },
  'get /api/demo/v1/mails/{id}': { who: 'demo' },
  ...rights('clients'),
  ...rights('projects'),
  ...rights('folders'),
  'put /api/storage/v1/documents/{id}/lock': {
    who: 'staff',
    sees: ['id'],
    changes: ['item_locks'],
    locks: true,
  },
};

/** The rule of a call, by method and path. Throws, and says what to add, when there is none. */
export function ruleOf(call: string): Rule {
  const rule = RULES[call];
  if (!rule)
    throw new Error(
      `${call} has no rule: add to RULES in tests/authz/policy.ts who may call it, which ids they must see and which tables it changes.`,
    );
  return { ...rule, isWrite: !call.startsWith('get ') };
}

/** The expected statuses; several only for malformed ids, where any refusal reveals equally little. */
export function expected(
  rule: Rule,
  person: Person,
  things: Readonly<Record<string, Thing>>,
  isDemo: boolean,
): readonly number[] {
  const all = Object.values(things);
  if (rule.who === 'anyone') return [200];
  if (rule.who === 'nobody without a sign-in under way') return [401];
  if (rule.who === 'nobody without a payment provider') return [404];
  // the fixture has none: tests/features/task-links/task-links.test.ts tests those who hold one
  if (rule.who === 'holder of a task link') return [404];
  if (['signed in', 'contacts', 'staff'].includes(rule.who) && !isSignedIn(person)) return [401];
  const isForWriters = rule.managesContacts ?? rule.forWriters ?? (rule.isWrite && !rule.forReaders);
  if (isReader(person) && isForWriters) return [403];
  if (rule.who === 'contacts' && isStaff(person))
    return all.some(({ state }) => state === 'malformed') ? [403, 422] : [403];
  if (rule.who === 'nobody here') return [isSignedIn(person) ? 403 : 401];
  if (rule.who === 'staff' && !isStaff(person)) return [403];
  if (rule.who === 'demo' && !isDemo) return [404];
  if (rule.who === 'holder of an opened link') return ofLink(person, things);
  const contact = things[rule.ownContact ?? ''];
  if (contact) return contact.of === person ? [200] : contact.state === 'malformed' ? [403, 422] : [403];
  if (all.some(({ state }) => state === 'malformed'))
    return rule.narrows?.some((name) => things[name]?.state === 'malformed') ? [200, 404, 422] : [404, 422];
  if (rule.answers) return rule.answers;
  if (rule.who === 'demo') return [all.every(({ state }) => state === 'live') ? 200 : 404];
  const isSeen = (name: string): boolean => {
    const thing = things[name];
    if (thing?.seenBy) return thing.state === 'live' && thing.seenBy.includes(person);
    return (
      thing !== undefined &&
      thing.state === 'live' &&
      (!thing.otherKind || name === rule.anyKind) &&
      thing.client !== undefined &&
      actsFor(person).includes(thing.client)
    );
  };
  const [document, container] = rule.within ?? [];
  const isInPlace =
    document === undefined || container === undefined || things[document]?.parent === things[container]?.id;
  if (!(rule.sees ?? []).every(isSeen) || !isInPlace) return [404];
  const owner = UPLOADED_BY[things[rule.uploadedByCaller ?? '']?.client ?? 'locked firm'];
  if (rule.ofStaff && !isStaff(person)) return [403];
  return [
    rule.uploadedByCaller === undefined || isStaff(person) || owner === person ? (rule.succeeds ?? 200) : 403,
  ];
}

/**
 * A link that this browser has never opened does not exist for it; an expired one says so to those who opened
 * it; it gives access to its own documents only.
 */
function ofLink(person: Person, { token, documentId }: Readonly<Record<string, Thing>>): readonly number[] {
  const refused = [token, documentId].some((thing) => thing?.state === 'malformed') ? [404, 422] : [404];
  if (person !== 'a link recipient' || token?.link === undefined || OPENED[token.link] === 'not opened')
    return refused;
  if (OPENED[token.link] === 'over') return documentId?.state === 'malformed' ? [410, 422] : [410];
  return documentId === undefined || (documentId.state === 'live' && documentId.links?.includes(token.link))
    ? [200]
    : refused;
}
