import { composition } from './feature.server.ts';
import type { KeysOf } from './translations.server.ts';

/** How an action of the audit log is shown. */
interface AuditActionDeclaration {
  /** Its text in locales/<lang>/staff.json. */
  text: KeysOf<'staff'>;
  /** Its text in an activity, if staff did it. */
  textByStaff?: KeysOf<'staff'>;
  /** Also shown to the client's contacts, in their activity. */
  seenByClient?: true;
}

export type AuditActionDeclarations = Readonly<Record<string, AuditActionDeclaration>>;

/**
 * The actions of each feature, which features add in feature.server.ts.
 *
 * @public
 */
export interface AuditActions {
  platform: { 'portal.restored': AuditActionDeclaration };
}

export type AuditAction = {
  [Name in keyof AuditActions]: keyof AuditActions[Name] & string;
}[keyof AuditActions];

/** Returns the actions of all features, without those that are no longer written. */
export const allAuditActions = (): Map<string, AuditActionDeclaration> =>
  new Map(composition().flatMap(({ auditActions: own = {} }) => Object.entries(own)));
