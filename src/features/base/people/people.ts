/**
 * The actor of a call: one contact of one firm. It is the first argument of every function of a feature, and
 * every query is scoped by it.
 */
export interface Actor {
  prismGuid: string;
  contactId: string;
  companyId: string;
  /** Staff of the firm. */
  staff: boolean;
  /** The role of staff; undefined for contacts of clients. */
  role: StaffRole | undefined;
  /** Whether staff act for all clients of the firm, or only for those assigned to them. */
  hasAllClients: boolean;
  /** Whether a contact has so many clients that rows are compared with them one by one, and not looked up by them. */
  hasManyClients: boolean;
  firstName: string;
  lastName: string;
  fullName: string;
  emailAddress: string;
  language: string;
  /** Their permissions, controls and flags (spec 1 section 6). */
  access: Access;
  /**
   * The contact id of the staff member who views as this contact; reading is then recorded in the audit log
   * only.
   */
  viewedBy?: string;
  /**
   * The stored hash of the token, or the one that the session began with; absent if there is no caller, such as in a
   * job.
   */
  sessionId?: string;
}

/**
 * The firm and the client that a portal URL is about, as mailed links and pinned tabs name them in their
 * query.
 */
export interface Named {
  firm?: string;
  client?: string;
}

/** The roles of staff: each has the permissions of the next one, and more (product.md, The firm's side). */
export const STAFF_ROLES = ['owner', 'manager', 'member', 'reader'] as const;
export type StaffRole = (typeof STAFF_ROLES)[number];

const MAX_ID = 60;

/**
 * Returns the firm and client that a URL names; undefined if it names neither. The page company/{id} takes
 * either id.
 */
export function namedIn({ pathname, searchParams }: URL): Named | undefined {
  const company = /^\/[\w-]+\/[\w-]+\/company\/([\w-]*\d[\w-]*)$/.exec(pathname)?.[1];
  const firm = searchParams.get('firm') ?? (company?.startsWith('firm_') ? company : null);
  const client = searchParams.get('client') ?? (firm === null ? company : null);
  if (firm === null && (client ?? null) === null) return undefined;
  const id = (value: string): string => value.slice(0, MAX_ID);
  return {
    ...(firm !== null && { firm: id(firm) }),
    ...(typeof client === 'string' && { client: id(client) }),
  };
}

/** The live session of a request. `id` is the stored hash, never the cookie value. */
export interface Session {
  id: string;
  actor: Actor;
  expiresAt: number;
  /** How the person authenticated (RFC 8176), and when they last did. */
  amr: readonly string[];
  authenticatedAt: number;
  /** True until the newest terms of the firm are accepted: then only a few calls answer. */
  termsDue: boolean;
  /** True if the person has accounts at other firms, locked ones included. Staff who view as them see none. */
  hasOtherAccounts?: boolean;
  /** The end of the view as a contact, and who is viewing. */
  viewing?: { staff: Actor; until: number };
  /** The account of somebody who tries things in the practice firm of their own one, to which they return. */
  practicedBy?: string;
  /**
   * The id of the token that authenticated the call: such a call may neither make tokens nor switch accounts.
   */
  byToken?: string;
}

/*
 * Permissions, controls and flags, with the spec's names (spec 1 section 6), and the rules that follow from
 * them. Pure: the same rules hide something in the page and refuse its call.
 */

/** String flags of the session bindings, InfrastructureAccessControls; `HideMessages` is our own. */
export const ACCESS_CONTROLS = [
  'HideDashboards',
  'HideTasks',
  'HideActions',
  'HideMessages',
  'HideEsignTask',
  'HideInvoiceTask',
  'HideDocRequestTask',
  'HideDocsFlatToggle',
  'HideScanFromDevice',
  'HideWelcomeModal',
  'HideHelp',
  'HideDiagnosticTool',
  'ShowClientNickname',
  'AddFolder',
  'DocumentDeepLink',
  'TaskDeepLink',
  'ShowClientDocsReadToggle',
  'DocumentsParentID',
  'ContainerTreeTraversal',
  'DocumentsTreeTraversal',
  'DisableDocumentsLazyLoading',
  'DisableProductInsight',
  'DisablePendo',
  'Revert2OldPreview',
  'DisplayCOVIDAlert',
  'ConfigureAccountInformation',
  'ShowClientCenterNewTaskList',
  'ClientCenterVnext',
] as const;

/**
 * Entries of FeatureResourcePermissions; those from `ViewAs` on are our own: to view as a contact, to invite and
 * help contacts, to change the firm's settings, to create and change clients, to publish and change documents
 * (without it, staff can only read). Features have more (`access` of their feature.server.ts).
 */
export const PERMISSIONS = [
  'DefaultClient',
  'DefaultStaff',
  'ccVnext',
  'Internal',
  'CurrentDevelopment',
  'DebugMode',
  'ForceDataRoom',
  'ClientFlow',
  'AllDocsOnly',
  'ShowPreviewB4CCViewer',
  'ViewAs',
  'ManageContacts',
  'ManageFirm',
  'ManageClients',
  'Publish',
] as const;

/**
 * Feature flags with their defaults (spec 1 section 9), and those of the Brazilian areas (spec 2 section 3),
 * all of them off. Our own are `homePage`, the spec's home-page-available flag, and `simulations`, which
 * enables the `mocks`.
 */
export const FLAGS = {
  taskTools: false,
  internalTools: false,
  invoiceTask: true,
  feedbackRequest: false,
  homePage: true,
  simulations: false,
  BoxE: false,
  Reports: false,
  'NfeManifest.Disabled': true,
  'NfeManifest.Denied': false,
  'ServiceRequest.Denied': true,
  'ServiceRequest.Employee': true,
  'ServiceRequest.Partner': true,
  'ServiceRequest.Intern': true,
} as const satisfies Record<string, boolean>;

/**
 * The names of controls, permissions and flags, by the feature that has them. A feature adds its own by declaration
 * merging.
 *
 * @public
 */
export interface AccessNames {
  people: {
    control: (typeof ACCESS_CONTROLS)[number];
    permission: (typeof PERMISSIONS)[number];
    flag: keyof typeof FLAGS;
  };
}
type NamesOf<Kind extends string> = {
  [Feature in keyof AccessNames]: AccessNames[Feature] extends Readonly<
    Record<Kind, infer Name extends string>
  >
    ? Name
    : never;
}[keyof AccessNames];
export type AccessControl = NamesOf<'control'>;
export type Permission = NamesOf<'permission'>;
export type Flag = NamesOf<'flag'>;

export interface Access {
  controls: ReadonlySet<AccessControl>;
  permissions: ReadonlySet<Permission>;
  flags: Readonly<Record<Flag, boolean>>;
}

export const ACCESS_KINDS = ['control', 'permission', 'flag'] as const;

/** One access setting of the firm, for everybody or for one contact. */
export interface AccessSetting {
  kind: (typeof ACCESS_KINDS)[number];
  name: string;
  granted: boolean;
}

/** The sections of the portal that can be hidden as a whole. */
export const PARTS = {
  dashboards: 'HideDashboards',
  tasks: 'HideTasks',
  actions: 'HideActions',
  messages: 'HideMessages',
} as const satisfies Record<string, AccessControl>;
export type Part = keyof typeof PARTS;

/** The minimum role to call an address; `visitor` needs no session. */
export type Who = 'visitor' | 'signed-in' | 'staff' | 'demo';

/** The requirements of an address. */
export interface Guard {
  who: Who;
  /** The section of the portal it belongs to: people without access to that section are refused. */
  part?: Part;
  /** An additional permission. */
  permission?: Permission;
  /** True if it also answers while the firm's terms are not accepted. */
  beforeTerms?: true;
  /**
   * True for a write allowed to staff who view as a contact; all other writes are refused (threat-model.md
   * T14).
   */
  whileViewing?: true;
  /** True for a write that read-only staff may make too: to their own account, or only to read. */
  forReadOnly?: true;
  /** The forms of a page that read-only staff may post, too: what they keep for themselves. */
  formsForReadOnly?: readonly string[];
  /** True for a page that only serves to change something: read-only staff may not open it. */
  forWriters?: true;
  /** True for a page that a device may keep for those who chose so, to be read without a connection. */
  isKept?: true;
  /**
   * How large each file in its body may be, in bytes, if it takes files: the only place that says so for the form of a
   * page. A call streams its files past the limit on other bodies, and its feature refuses what is larger.
   */
  takesFiles?: number;
}

/** An API call, with its path as in the OpenAPI document, and who may make it. */
export interface ApiRoute extends Guard {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  /** Its answer goes on for minutes, in which little is sent; it does not extend the session. */
  isStream?: true;
}

/**
 * Groups of actions, by the flags that enable them (spec 1 section 2; spec 2 section 3). `protocols` come
 * with service requests.
 */
const AREAS = {
  'service-request': (flags) => !flags['ServiceRequest.Denied'],
  'box-e': (flags) => flags.BoxE,
  protocols: (flags) => !flags['ServiceRequest.Denied'],
  'br-reports': (flags) => flags.Reports,
  'nfe-manifest': (flags) => !flags['NfeManifest.Disabled'] && !flags['NfeManifest.Denied'],
} as const satisfies Record<string, (flags: Access['flags']) => boolean>;
export type Area = keyof typeof AREAS;

export const hasArea = ({ flags }: Pick<Access, 'flags'>, area: Area): boolean => AREAS[area](flags);

/**
 * The conditions of a section besides not being hidden: a home page for the dashboard, at least one action
 * for the actions.
 */
const EXISTS: Record<Part, (access: Access) => boolean> = {
  tasks: () => true,
  messages: () => true,
  dashboards: ({ flags }) => flags.homePage,
  actions: (access) => (Object.keys(AREAS) as Area[]).some((area) => hasArea(access, area)),
};

/**
 * Without `ccVnext` or `ClientCenterVnext` there is the plain portal: documents and sharing, no other section
 * (spec 1 section 6).
 */
const isFullFeatured = ({ controls, permissions }: Access): boolean =>
  permissions.has('ccVnext') || controls.has('ClientCenterVnext');

/**
 * Returns why a section is missing: the plain portal, documents only, hidden, or empty; undefined if it is
 * available.
 */
export type WhyNoPart = 'plainPortal' | 'documentsOnly' | 'hidden' | 'notThere';

/**
 * Tasks, dashboards and actions are available unless hidden, and not to those restricted to documents (spec 1
 * section 6).
 */
export function whyNoPart(access: Access, part: Part): WhyNoPart | undefined {
  if (!isFullFeatured(access)) return 'plainPortal';
  if (access.permissions.has('AllDocsOnly')) return 'documentsOnly';
  if (access.controls.has(PARTS[part])) return 'hidden';
  return EXISTS[part](access) ? undefined : 'notThere';
}

export const hasPart = (access: Access, part: Part): boolean => whyNoPart(access, part) === undefined;

/**
 * Tells whether somebody may enter the portal at all: contacts by DefaultClient, staff by DefaultStaff (spec
 * 1 section 6).
 */
export const canAccessPortal = ({ staff, access }: Pick<Actor, 'staff' | 'access'>): boolean =>
  access.permissions.has(staff ? 'DefaultStaff' : 'DefaultClient');

/** Tells whether somebody can only read: staff who may not publish. */
export const isReadOnly = ({ staff, access }: Pick<Actor, 'staff' | 'access'>): boolean =>
  staff && !access.permissions.has('Publish');

/**
 * Returns the first page after sign-in: the staff area for staff, for contacts the dashboard, or without one the
 * tasks, or without access to tasks the documents (spec 1 section 6). `hasTask` tells whether a task waits: nobody
 * begins on an empty list.
 */
export const startPage = (
  { staff, access }: Pick<Actor, 'staff' | 'access'>,
  hasTask: boolean,
): 'staff' | 'home' | 'tasks' | 'documents' => {
  if (staff) return 'staff';
  if (hasPart(access, 'dashboards')) return 'home';
  return hasTask && hasPart(access, 'tasks') ? 'tasks' : 'documents';
};

/** Tells whether local debug flags are exposed in a browser global (spec 1 section 6). */
export const mayDebug = ({ permissions }: Access): boolean =>
  permissions.has('Internal') || permissions.has('DebugMode');
