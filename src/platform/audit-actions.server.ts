import { composition } from './feature.server.ts';
import type { KeysOf } from './translations.server.ts';

/** How an action of the audit log is shown. */
interface AuditActionDeclaration {
  /** Its text in locales/<lang>/staff.json. */
  text: KeysOf<'staff'>;
  /** The client's own contacts see it too, in their activity. */
  seenByClient?: true;
}

export type AuditActionDeclarations = Readonly<Record<string, AuditActionDeclaration>>;

/** The actions of each feature; features add theirs in feature.server.ts. */
export interface AuditActions {
  platform: { 'portal.restored': AuditActionDeclaration };
}

export type AuditAction = {
  [Name in keyof AuditActions]: keyof AuditActions[Name] & string;
}[keyof AuditActions];

/** The actions of all features. One that no feature writes any more is not among them. */
export const allAuditActions = (): Map<string, AuditActionDeclaration> =>
  new Map(composition().flatMap(({ auditActions: own = {} }) => Object.entries(own)));
