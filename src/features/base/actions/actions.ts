import { z } from 'zod';
import { hasArea, hasPart, type Access, type Area, type Flag } from '#features/base/people/people.ts';

/*
 * The actions of the portal, by section (spec 1 section 2). Sections without actions are not shown, so
 * `protocols`, which has no routes of its own, is missing. Labels are translation keys.
 */

interface ActionOfTable {
  action: string;
  label: string;
  /** The flag required in addition to that of its section. */
  flag?: Flag;
  /** Another section that has to be open, too: what is reported on. */
  needs?: Area;
}

interface SectionOfTable {
  section: Area;
  label: string;
  actions: readonly ActionOfTable[];
}

export const SECTIONS = [
  {
    section: 'service-request',
    label: 'sectionServiceRequest',
    actions: [
      { action: 'payroll-entries', label: 'payrollEntries' },
      { action: 'intern-registration', label: 'internRegistration', flag: 'ServiceRequest.Intern' },
      { action: 'partner-registration', label: 'partnerRegistration', flag: 'ServiceRequest.Partner' },
      { action: 'vacation-calculation', label: 'vacationCalculation' },
      { action: 'vacation-notice', label: 'vacationNotice' },
      { action: 'termination-notice', label: 'terminationNotice' },
      { action: 'termination-calculation', label: 'terminationCalculation' },
      { action: 'mocks', label: 'simulation', flag: 'simulations' },
      { action: 'employee-leave', label: 'employeeLeave' },
      { action: 'general-requests', label: 'generalRequests' },
      { action: 'employee-registration', label: 'employeeRegistration', flag: 'ServiceRequest.Employee' },
    ],
  },
  {
    section: 'box-e',
    label: 'sectionBoxE',
    actions: [
      { action: 'cfe-storage', label: 'cfeStorage' },
      { action: 'cte-storage', label: 'cteStorage' },
      { action: 'nfce-storage', label: 'nfceStorage' },
      { action: 'nfe-storage', label: 'nfeStorage' },
      { action: 'xml-storage', label: 'xmlStorage' },
    ],
  },
  {
    section: 'br-reports',
    label: 'sectionReports',
    actions: [
      { action: 'stored-documents', label: 'storedDocuments' },
      { action: 'payroll-entries', label: 'payrollEntriesReport', needs: 'service-request' },
      { action: 'payroll-registrations', label: 'payrollRegistrations', needs: 'service-request' },
      { action: 'stored-documents-report', label: 'storedDocumentsReport', flag: 'BoxE' },
    ],
  },
  {
    section: 'nfe-manifest',
    label: 'sectionManifest',
    actions: [{ action: 'invoice-processing', label: 'invoiceProcessing' }],
  },
] as const satisfies readonly SectionOfTable[];

type SectionLabel = (typeof SECTIONS)[number]['label'];
export type ActionLabel = (typeof SECTIONS)[number]['actions'][number]['label'];

export interface Action {
  action: string;
  label: ActionLabel;
}
export interface Section {
  section: Area;
  label: SectionLabel;
  actions: Action[];
}

const added: { section: Area; action: Action }[] = [];

/** Adds an action that the specification does not have to a section; its label is added to the texts of the portal. */
export function addAction(section: Area, action: string, label: string): void {
  // the texts of the portal have it as soon as it is added
  added.push({ section, action: { action, label: label as ActionLabel } });
}

/** The table with the actions that were added. */
export const sectionsWithAdded = (): readonly SectionWithAdded[] =>
  SECTIONS.map((one) => ({
    ...one,
    actions: [
      ...one.actions,
      ...added.filter(({ section }) => section === one.section).map(({ action }) => action),
    ],
  }));

interface SectionWithAdded {
  section: Area;
  label: SectionLabel;
  actions: readonly ((typeof SECTIONS)[number]['actions'][number] | Action)[];
}

/**
 * Lists the sections and actions available to somebody, in the order of the table; empty if the actions are
 * hidden from them.
 */
export function actionsOf(access: Access): Section[] {
  if (!hasPart(access, 'actions')) return [];
  return sectionsWithAdded()
    .filter(({ section }) => hasArea(access, section))
    .map(({ section, label, actions }) => ({
      section,
      label,
      actions: actions
        .filter(
          (one) =>
            (!('flag' in one) || access.flags[one.flag]) && (!('needs' in one) || hasArea(access, one.needs)),
        )
        .map(({ action, label: name }) => ({ action, label: name })),
    }))
    .filter(({ actions }) => actions.length > 0);
}

/** The addresses of the actions available to somebody, such as `service-request/vacation-notice`. */
export const actionAddresses = (access: Access): string[] =>
  actionsOf(access).flatMap(({ section, actions }) => actions.map(({ action }) => `${section}/${action}`));

/**
 * Where an action leads today: to a request to the firm, to the simulations, or to the archives of fiscal documents and
 * the reports, which have pages of their own, as the invoice manifest has (docs/decisions/0077).
 */
export const leadsTo = (
  section: Area,
  action: string,
): 'request' | 'simulations' | 'archive' | 'report' | 'manifest' | undefined => {
  if (section === 'box-e') return 'archive';
  if (section === 'nfe-manifest') return 'manifest';
  if (section === 'br-reports') return 'report';
  if (section !== 'service-request') return undefined;
  return action === 'mocks' ? 'simulations' : 'request';
};

/** Lists what of {@link actionsOf} leads anywhere today: lists, tabs and searches offer nothing else. */
export const offeredActionsOf = (access: Access): Section[] =>
  actionsOf(access)
    .map((one) => ({
      ...one,
      actions: one.actions.filter(({ action }) => leadsTo(one.section, action) !== undefined),
    }))
    .filter(({ actions }) => actions.length > 0);

/**
 * Finds an action of the table, whether it is open to somebody, and where it leads; undefined if there is no such action.
 */
export function findAction(
  access: Access,
  section: string,
  action: string,
): (Action & { section: Area; isOpen: boolean; leadsTo: ReturnType<typeof leadsTo> }) | undefined {
  const known = sectionsWithAdded().find((one) => one.section === section);
  const found = known?.actions.find((one) => one.action === action);
  if (!known || !found) return undefined;
  const isOpen = actionsOf(access).some(
    (one) => one.section === section && one.actions.some((mine) => mine.action === action),
  );
  return {
    section: known.section,
    action: found.action,
    label: found.label,
    isOpen,
    leadsTo: leadsTo(known.section, found.action),
  };
}

/** The response of the call: addresses are /actions/{section}/{action}. */
export const actionList = z.strictObject({
  sections: z.array(
    z.strictObject({ type: z.string(), actions: z.array(z.strictObject({ type: z.string() })) }),
  ),
});
