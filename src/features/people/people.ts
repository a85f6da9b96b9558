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
  /** The contact id of the member of staff who looks with this contact's eyes; reading then leaves no trace but the audit trail. */
  viewedBy?: string;
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
  /** The id of the long token that the call was signed in by: it may not make others, nor become somebody else. */
  byToken?: string;
}

/*
 * What a firm allows and hides, by the spec's strings (spec 1 section 6), and the rules that follow from them. Pure: the same rules hide
 * a thing in the page and refuse its call.
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

/** Entries of FeatureResourcePermissions; the last three are ours: to view as a contact, to invite and help contacts, to change the firm's own settings. */
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

/** Feature flags with their defaults (spec 1 section 9). */
export const FLAGS = { taskTools: false, internalTools: false, invoiceTask: true, feedbackRequest: false } as const;
export type Flag = keyof typeof FLAGS;

export interface Access {
  controls: ReadonlySet<AccessControl>;
  permissions: ReadonlySet<Permission>;
  flags: Readonly<Record<Flag, boolean>>;
}

/** What every contact has until the firm says otherwise, and every member of staff. */
const FOR_CONTACTS: { controls: readonly AccessControl[]; permissions: readonly Permission[] } = {
  controls: ['AddFolder', 'DocumentDeepLink', 'TaskDeepLink', 'ShowClientDocsReadToggle', 'ShowClientCenterNewTaskList'],
  permissions: ['DefaultClient', 'ccVnext'],
};
const FOR_STAFF: typeof FOR_CONTACTS = { controls: FOR_CONTACTS.controls, permissions: ['DefaultStaff', 'ccVnext'] };

/** One thing that the firm decided, for everybody or for one contact. */
export interface AccessSetting {
  kind: 'control' | 'permission' | 'flag';
  name: string;
  granted: boolean;
}

/** The access of somebody: the defaults, then what the firm decided for everybody, then what it decided for them; later ones win. */
export function accessFrom(staff: boolean, settings: readonly AccessSetting[]): Access {
  const usual = staff ? FOR_STAFF : FOR_CONTACTS;
  const decided = new Map(settings.map(({ kind, name, granted }) => [`${kind} ${name}`, granted]));
  const held = <Name extends string>(kind: AccessSetting['kind'], names: readonly Name[], byDefault: readonly Name[]): Set<Name> => new Set(names.filter((name) => decided.get(`${kind} ${name}`) ?? byDefault.includes(name)));
  const on = held('flag', Object.keys(FLAGS) as Flag[], (Object.keys(FLAGS) as Flag[]).filter((name) => FLAGS[name]));
  return {
    controls: held('control', ACCESS_CONTROLS, usual.controls),
    permissions: held('permission', PERMISSIONS, usual.permissions),
    flags: { taskTools: on.has('taskTools'), internalTools: on.has('internalTools'), invoiceTask: on.has('invoiceTask'), feedbackRequest: on.has('feedbackRequest') },
  };
}

/** The parts of the portal that can be hidden as a whole. */
export const PARTS = { tasks: 'HideTasks', dashboards: 'HideDashboards', actions: 'HideActions' } as const satisfies Record<string, AccessControl>;
export type Part = keyof typeof PARTS;

/** Tasks, dashboards and actions are there unless hidden, and not for those who are granted documents alone (spec 1 section 6). */
export const hasPart = ({ controls, permissions }: Access, part: Part): boolean => !controls.has(PARTS[part]) && !permissions.has('AllDocsOnly');
