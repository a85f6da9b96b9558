import type { AccessControl, Flag, Permission } from '#features/base/people/people.ts';
import type { AccessEntry, AccessReport, Decision } from './access.ts';

/*
 * How the page of permissions shows controls, permissions and flags: by what the person sees, with a state that is never
 * a double negative. Those without an effect today are missing.
 */

interface Row {
  name: AccessControl | Permission | Flag;
  label: string;
  /** Whether its state reads as shown or hidden instead of on or off. */
  isShown?: true;
  /** Granting it hides or switches off what the label says. */
  isInverted?: true;
  /** Another setting for the same thing: listed only with the value that matters, or while it is set for the person. */
  secondWhen?: boolean;
  /** Without service requests it changes nothing, so then it is listed only while the firm has set it. */
  needsRequests?: true;
  /** The same without the invoices of others. */
  needsManifest?: true;
  /** Listed only for the team, or only for others. */
  isForTeam?: boolean;
}

const GROUPS = [
  {
    group: 'areas',
    title: 'groupAreas',
    rows: [
      { name: 'DefaultClient', label: 'rowPortal', isForTeam: false },
      { name: 'ccVnext', label: 'rowFullPortal' },
      { name: 'ClientCenterVnext', label: 'rowFullPortal', secondWhen: true },
      { name: 'AllDocsOnly', label: 'rowDocumentsOnly' },
      { name: 'HideDashboards', label: 'tabHome', isShown: true, isInverted: true, isForTeam: false },
      { name: 'homePage', label: 'tabHome', isShown: true, secondWhen: false, isForTeam: false },
      { name: 'HideTasks', label: 'tabTasks', isShown: true, isInverted: true },
      { name: 'HideMessages', label: 'rowMessages', isShown: true, isInverted: true, isForTeam: false },
      { name: 'HideActions', label: 'tabActions', isShown: true, isInverted: true, needsRequests: true },
    ],
  },
  {
    group: 'documents',
    title: 'groupDocuments',
    rows: [
      { name: 'AddFolder', label: 'rowAddFolders' },
      { name: 'HideScanFromDevice', label: 'rowScan', isShown: true, isInverted: true },
      { name: 'Revert2OldPreview', label: 'rowViewer', isInverted: true },
      { name: 'ShowClientDocsReadToggle', label: 'rowUnread', isShown: true },
      { name: 'DocumentDeepLink', label: 'rowDocumentLinks' },
      { name: 'ShowPreviewB4CCViewer', label: 'rowOwnOnly' },
      { name: 'HideDocsFlatToggle', label: 'rowFlatList', isShown: true, isInverted: true },
      { name: 'DocumentsParentID', label: 'rowByFolder' },
      { name: 'ContainerTreeTraversal', label: 'rowAllFolders' },
      { name: 'DocumentsTreeTraversal', label: 'rowSubfolders' },
      { name: 'DisableDocumentsLazyLoading', label: 'rowLoadAll' },
    ],
  },
  {
    group: 'tasks',
    title: 'tabTasks',
    rows: [
      { name: 'HideEsignTask', label: 'rowSigning', isShown: true, isInverted: true },
      { name: 'HideDocRequestTask', label: 'rowRequests', isShown: true, isInverted: true },
      { name: 'HideInvoiceTask', label: 'rowInvoices', isShown: true, isInverted: true },
      { name: 'invoiceTask', label: 'rowInvoices', isShown: true, secondWhen: false },
      { name: 'ShowClientCenterNewTaskList', label: 'rowTaskMenu', isShown: true, isInverted: true },
    ],
  },
  {
    group: 'actions',
    title: 'tabActions',
    rows: [
      { name: 'ServiceRequest.Denied', label: 'sectionServiceRequest', isShown: true, isInverted: true },
      { name: 'ServiceRequest.Employee', label: 'employeeRegistration', isShown: true, needsRequests: true },
      { name: 'ServiceRequest.Partner', label: 'partnerRegistration', isShown: true, needsRequests: true },
      { name: 'ServiceRequest.Intern', label: 'internRegistration', isShown: true, needsRequests: true },
      { name: 'simulations', label: 'simulation', isShown: true, needsRequests: true },
      { name: 'ManifestReview', label: 'rowManifestReview', needsManifest: true },
    ],
  },
  {
    group: 'account',
    title: 'groupAccount',
    rows: [
      { name: 'DisplayCOVIDAlert', label: 'rowAnnouncement', isShown: true },
      { name: 'HideHelp', label: 'rowHelp', isShown: true, isInverted: true },
      { name: 'HideWelcomeModal', label: 'rowWelcome', isShown: true, isInverted: true },
      { name: 'HideDiagnosticTool', label: 'rowReports', isShown: true, isInverted: true },
      { name: 'feedbackRequest', label: 'rowFeedback', isShown: true },
      { name: 'ConfigureAccountInformation', label: 'rowProfile', isInverted: true },
      { name: 'ShowClientNickname', label: 'rowNicknames', isShown: true },
      { name: 'DisableProductInsight', label: 'rowMeasuring', isInverted: true },
      { name: 'DisablePendo', label: 'rowMeasuring', isInverted: true, secondWhen: true },
    ],
  },
  {
    group: 'team',
    title: 'groupTeam',
    rows: [
      { name: 'DefaultStaff', label: 'rowStaffArea', isForTeam: true },
      { name: 'Publish', label: 'rowPublish', isForTeam: true },
      { name: 'ManageClients', label: 'rowClients', isForTeam: true },
      { name: 'ManageContacts', label: 'rowContacts', isForTeam: true },
      { name: 'ViewAs', label: 'rowViewAs', isForTeam: true },
      { name: 'ManageFirm', label: 'rowFirm', isForTeam: true },
    ],
  },
  {
    group: 'support',
    title: 'groupSupport',
    rows: [
      { name: 'DebugMode', label: 'rowDebug', isShown: true },
      { name: 'Internal', label: 'rowDebug', isShown: true, secondWhen: true },
    ],
  },
] as const satisfies readonly { group: string; title: string; rows: readonly Row[] }[];

type Group = (typeof GROUPS)[number];
export type RowLabel = Group['rows'][number]['label'];

type StateWord = 'shown' | 'hidden' | 'on' | 'off';

export interface RowView {
  entry: AccessEntry;
  label: RowLabel;
  isSecond: boolean;
  word: StateWord;
  /** What can be chosen instead, each with the state that it leads to; `usual` has none. */
  choices: { to: Decision['to']; word?: StateWord }[];
}

/** The label of a setting; undefined for those that the page does not list. */
export const labelOf = (name: string): RowLabel | undefined =>
  GROUPS.flatMap(({ rows }): readonly { name: string; label: RowLabel }[] => rows).find(
    (row) => row.name === name,
  )?.label;

/** The id of a group in the page. */
export const groupId = (group: Group['group']): string => `access-${group}`;

/** Where the page shows a setting. */
export function placeOf(name: string): string {
  const found = GROUPS.find(({ rows }) => rows.some((row) => row.name === name));
  return found ? `#${groupId(found.group)}` : '';
}

/** The groups of the page with the rows that apply to this person; a group without rows is left out. */
export function groupsOf(
  report: AccessReport,
): { group: Group['group']; title: Group['title']; rows: RowView[] }[] {
  const entryOf = new Map(report.entries.map((entry) => [entry.name, entry]));
  const hasRequests = entryOf.get('ServiceRequest.Denied')?.value === false;
  const hasManifest = ['NfeManifest.Disabled', 'NfeManifest.Denied'].every(
    (flag) => entryOf.get(flag)?.value === false,
  );
  const setHere = report.contact ? 'contact' : 'everybody';
  const isListed = (row: Row, { effect, from, value }: AccessEntry): boolean =>
    effect === 'now' &&
    (row.isForTeam === undefined || row.isForTeam === (report.contact?.staff ?? false)) &&
    (row.secondWhen === undefined || value === row.secondWhen || from === 'contact') &&
    (!row.needsRequests || hasRequests || from !== 'usual') &&
    (!row.needsManifest || hasManifest || from !== 'usual');
  const viewOf = (row: Row & { label: RowLabel }): RowView[] => {
    const entry = entryOf.get(row.name);
    if (!entry || !isListed(row, entry)) return [];
    const wordOf = (value: boolean): StateWord =>
      value === (row.isInverted ?? false) ? (row.isShown ? 'hidden' : 'off') : row.isShown ? 'shown' : 'on';
    const choices: RowView['choices'] = entry.mayChange
      ? [
          { to: entry.value ? 'refused' : 'granted', word: wordOf(!entry.value) },
          ...(entry.from === setHere ? [{ to: 'usual' } as const] : []),
        ]
      : [];
    return [
      { entry, label: row.label, isSecond: row.secondWhen !== undefined, word: wordOf(entry.value), choices },
    ];
  };
  return GROUPS.map(({ group, title, rows }) => ({
    group,
    title,
    rows: rows.flatMap((row) => viewOf(row)),
  })).filter(({ rows }) => rows.length > 0);
}
