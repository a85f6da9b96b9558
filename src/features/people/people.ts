export {
  contactInfo,
  contactQuery,
  languageInput,
  profile,
  profileInput,
  type ContactInfo,
  type Profile,
  type ProfileInput,
} from './profile.ts';

/** Who acts: one contact of one firm. Every verb takes it first, and every query is scoped by it. */
export interface Actor {
  prismGuid: string;
  contactId: string;
  companyId: string;
  /** Staff of the firm: acts for every client of the firm. */
  staff: boolean;
  firstName: string;
  lastName: string;
  fullName: string;
  emailAddress: string;
  language: string;
  /** What the firm allows them (spec 1 section 6). */
  access: Access;
  /**
   * The contact id of the member of staff who looks with this contact's eyes; reading then leaves no trace
   * but the audit trail.
   */
  viewedBy?: string;
  /**
   * The stored hash of the session or token that they act in; absent where nobody calls, such as in a job.
   */
  sessionId?: string;
}

/**
 * The firm and the client that an address of ours is about, as mailed links and tabs name them in their
 * query.
 */
export interface Named {
  firm?: string;
  client?: string;
}

const MAX_ID = 60;

/** What an address names; undefined when it names neither. The page company/{id} takes the id of either. */
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

/** Who is here: the live session of a request. `id` is the stored hash, never the cookie's value. */
export interface Session {
  id: string;
  actor: Actor;
  expiresAt: number;
  /** How the person proved who they are (RFC 8176), and when they last did. */
  amr: readonly string[];
  authenticatedAt: number;
  /** True until the newest terms of the firm are accepted: then only few calls answer. */
  termsDue: boolean;
  /** When looking as somebody else ends, and who looks. */
  viewing?: { staff: Actor; until: number };
  /**
   * The id of the long token that the call was signed in by: it may not make others, nor become somebody
   * else.
   */
  byToken?: string;
}

/*
 * What a firm allows and hides, by the spec's strings (spec 1 section 6), and the rules that follow from
 * them. Pure: the same rules hide a thing in the page and refuse its call.
 */

/** String flags of the session bindings, InfrastructureAccessControls. */
export const ACCESS_CONTROLS = [
  'HideDashboards',
  'HideTasks',
  'HideActions',
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
export type AccessControl = (typeof ACCESS_CONTROLS)[number];

/**
 * Entries of FeatureResourcePermissions; the last three are ours: to view as a contact, to invite and help
 * contacts, to change the firm's own settings.
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
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/**
 * Feature flags with their defaults (spec 1 section 9), and those of the Brazilian areas (spec 2 section 3),
 * all of them off. Ours are `homePage`, the spec's home-page-available flag, and `simulations`, which turns
 * the `mocks` on.
 */
export const FLAGS = {
  taskTools: false,
  internalTools: false,
  invoiceTask: true,
  feedbackRequest: false,
  homePage: false,
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
export type Flag = keyof typeof FLAGS;

export interface Access {
  controls: ReadonlySet<AccessControl>;
  permissions: ReadonlySet<Permission>;
  flags: Readonly<Record<Flag, boolean>>;
}

/** What every contact has until the firm says otherwise, and every member of staff. */
const FOR_CONTACTS: { controls: readonly AccessControl[]; permissions: readonly Permission[] } = {
  controls: [
    'AddFolder',
    'DocumentDeepLink',
    'TaskDeepLink',
    'ShowClientDocsReadToggle',
    'ShowClientCenterNewTaskList',
  ],
  permissions: ['DefaultClient', 'ccVnext'],
};
const FOR_STAFF: typeof FOR_CONTACTS = {
  controls: FOR_CONTACTS.controls,
  permissions: ['DefaultStaff', 'ccVnext'],
};

/** One thing that the firm decided, for everybody or for one contact. */
export interface AccessSetting {
  kind: 'control' | 'permission' | 'flag';
  name: string;
  granted: boolean;
}

/**
 * The access of somebody: the defaults, then what the firm decided for everybody, then what it decided for
 * them; later ones win.
 */
export function accessFrom(staff: boolean, settings: readonly AccessSetting[]): Access {
  const usual = staff ? FOR_STAFF : FOR_CONTACTS;
  const decided = new Map(settings.map(({ kind, name, granted }) => [`${kind} ${name}`, granted]));
  const held = <Name extends string>(
    kind: AccessSetting['kind'],
    names: readonly Name[],
    byDefault: readonly Name[],
  ): Set<Name> => new Set(names.filter((name) => decided.get(`${kind} ${name}`) ?? byDefault.includes(name)));
  const on = held(
    'flag',
    Object.keys(FLAGS) as Flag[],
    (Object.keys(FLAGS) as Flag[]).filter((name) => FLAGS[name]),
  );
  return {
    controls: held('control', ACCESS_CONTROLS, usual.controls),
    permissions: held('permission', PERMISSIONS, usual.permissions),
    flags: Object.fromEntries((Object.keys(FLAGS) as Flag[]).map((name) => [name, on.has(name)])) as Record<
      Flag,
      boolean
    >,
  };
}

/** The parts of the portal that can be hidden as a whole. */
export const PARTS = {
  dashboards: 'HideDashboards',
  tasks: 'HideTasks',
  actions: 'HideActions',
} as const satisfies Record<string, AccessControl>;
export type Part = keyof typeof PARTS;

/** Who may call an address, at least; `visitor` needs no session. */
export type Who = 'visitor' | 'signed-in' | 'staff' | 'demo';

/** What an address requires of whoever calls it. */
export interface Guard {
  who: Who;
  /** The part of the portal that it belongs to: who has no access to that part is refused. */
  part?: Part;
  /** A right that it needs besides. */
  permission?: Permission;
  /** Answers also while the firm's terms wait to be accepted. */
  beforeTerms?: true;
  /** A write that also staff may do who look as a contact; they may do no other (threat-model.md T14). */
  whileViewing?: true;
}

/** A call of the API, with its path as in the OpenAPI document, and who may make it. */
export interface ApiRoute extends Guard {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  /** Its body is a stream of files, to which the limit of other bodies does not apply. */
  takesFiles?: true;
}

/**
 * Groups of actions, by the flags that turn them on (spec 1 section 2; spec 2 section 3). `protocols` come
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

export const hasArea = ({ flags }: Access, area: Area): boolean => AREAS[area](flags);

/** What a part needs besides not being hidden: the dashboard a home page, the actions at least one action. */
const EXISTS: Record<Part, (access: Access) => boolean> = {
  tasks: () => true,
  dashboards: ({ flags }) => flags.homePage,
  actions: (access) => (Object.keys(AREAS) as Area[]).some((area) => hasArea(access, area)),
};

/**
 * Without `ccVnext` or `ClientCenterVnext` there is the plain portal: documents and sharing, no other part
 * (spec 1 section 6).
 */
const isFullFeatured = ({ controls, permissions }: Access): boolean =>
  permissions.has('ccVnext') || controls.has('ClientCenterVnext');

/**
 * Why a part is not there: the plain portal, documents alone, hidden, or nothing in it; undefined when it is
 * there.
 */
export type WhyNoPart = 'plainPortal' | 'documentsOnly' | 'hidden' | 'notThere';

/**
 * Tasks, dashboards and actions are there unless hidden, and not for those who are granted documents alone
 * (spec 1 section 6).
 */
export function whyNoPart(access: Access, part: Part): WhyNoPart | undefined {
  if (!isFullFeatured(access)) return 'plainPortal';
  if (access.permissions.has('AllDocsOnly')) return 'documentsOnly';
  if (access.controls.has(PARTS[part])) return 'hidden';
  return EXISTS[part](access) ? undefined : 'notThere';
}

export const hasPart = (access: Access, part: Part): boolean => whyNoPart(access, part) === undefined;

/**
 * Whether somebody passes the guard at all: contacts by DefaultClient, staff by DefaultStaff (spec 1 section
 * 6).
 */
export const canAccessPortal = ({ staff, access }: Pick<Actor, 'staff' | 'access'>): boolean =>
  access.permissions.has(staff ? 'DefaultStaff' : 'DefaultClient');

/**
 * Where the portal begins: for staff their own area, for contacts the dashboard, without one the documents.
 * The spec puts the tasks between them (section 6); they come back in when there is a kind of task, for until
 * then their page is always empty (docs/decisions/0036).
 */
export const startPage = ({
  staff,
  access,
}: Pick<Actor, 'staff' | 'access'>): 'staff' | 'home' | 'documents' =>
  staff ? 'staff' : hasPart(access, 'dashboards') ? 'home' : 'documents';

/** Whether the local debug flags are shown on a browser global (spec 1 section 6). */
export const mayDebug = ({ permissions }: Access): boolean =>
  permissions.has('Internal') || permissions.has('DebugMode');
