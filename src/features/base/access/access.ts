import { z } from 'zod';
import type { ActionLabel } from '#features/base/actions/actions.ts';
import type { FLAGS, Part, WhyNoPart } from '#features/base/people/people.ts';

/**
 * A feature flag as it applies to the caller (spec 1 section 3). `lockedBy` is `firm` for those who may not
 * set it, else null.
 */
const featureFlag = z.strictObject({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  value: z.boolean(),
  lockedBy: z.enum(['firm']).nullable(),
});
export type FeatureFlag = z.infer<typeof featureFlag>;

export const flagAnswer = z.strictObject({ data: featureFlag });
export const flagList = z.strictObject({ data: z.array(featureFlag) });

/** Sets a flag for the whole firm (spec 1 section 5, with its error). */
export const newValue = z.strictObject({ value: z.boolean({ error: 'Setting a flag requires a boolean' }) });

/** What each flag of the spec enables, for those who set it through the API. */
export const DESCRIPTIONS: Readonly<Record<keyof typeof FLAGS, string>> = {
  taskTools: 'Tools for tasks that only staff see',
  internalTools: 'Tools for who builds the portal',
  invoiceTask: 'Invoices as tasks',
  feedbackRequest: 'Asks contacts now and then what they think of the portal',
  homePage: 'The home page with its dashboard',
  simulations: 'Simulated calculations of vacations and terminations',
  BoxE: 'Storage of electronic invoices, box-e',
  Reports: 'Brazilian reports',
  'NfeManifest.Disabled': 'Turns invoice processing off',
  'NfeManifest.Denied': 'Takes invoice processing away from who has it',
  'ServiceRequest.Denied': 'Turns service requests off',
  'ServiceRequest.Employee': 'Registration of employees by service request',
  'ServiceRequest.Partner': 'Registration of partners by service request',
  'ServiceRequest.Intern': 'Registration of interns by service request',
};

/** Who needs a second factor to sign in, and from which day (UTC); without a day from now on. */
export const secondStepInput = z.strictObject({
  who: z.enum(['nobody', 'staff', 'everybody']),
  from: z.iso.date().or(z.literal('')),
});
export type SecondStepInput = z.infer<typeof secondStepInput>;

/**
 * One access setting: for whom, what, and granted, refused or the default. `contact` is empty for everybody.
 */
export const decision = z.strictObject({
  contact: z.string().max(60),
  kind: z.enum(['control', 'permission', 'flag']),
  name: z.string().max(60),
  to: z.enum(['granted', 'refused', 'usual']),
});
export type Decision = z.infer<typeof decision>;

/** One control, permission or flag of a contact: its value, and where it comes from. */
export interface AccessEntry {
  kind: Decision['kind'];
  name: string;
  value: boolean;
  from: 'usual' | 'everybody' | 'contact';
  /** False if only staff could use it, or if the caller could not undo the change. */
  mayChange: boolean;
  /** Whether it has an effect; `later` if the feature it controls does not exist yet. */
  effect: 'now' | 'later' | 'never';
}

/** A reason besides the settings, and the page where it is changed. */
export interface Obstacle {
  kind:
    | 'removed'
    | 'suspended'
    | 'firmLocked'
    | 'neverSignedIn'
    | 'termsDue'
    | 'secondStepMissing'
    | 'noClient'
    | 'clientArchived'
    | 'assignedOnly'
    | 'contributor'
    | 'lockedItems'
    | 'trashedFolders'
    | 'infected'
    | 'scanPending';
  count?: number;
  name?: string;
  page?: string;
}

/**
 * The whole access of one contact of the firm; without a contact, that of somebody without settings of their
 * own.
 */
export interface AccessReport {
  contact?: { contactId: string; fullName: string; emailAddress: string; staff: boolean };
  entries: AccessEntry[];
  /** What else keeps the person from something. */
  obstacles: Obstacle[];
  /** False if they may not use the portal at all. */
  enters: boolean;
  parts: { part: Part; why: WhyNoPart | undefined }[];
  /** Those that are on offer if they are open. */
  actions: { section: string; action: string; label: ActionLabel; why: WhyNoAction | undefined }[];
}

export type WhyNoAction = 'partClosed' | 'areaOff' | 'flagOff';
