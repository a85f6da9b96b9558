import { composition } from './feature.server.ts';
import type { KeysOf } from './translations.server.ts';

/** How an action of the audit log is shown. */
interface AuditActionDeclaration {
  /** Its text in locales/<lang>/staff.json. */
  text: KeysOf<'staff'>;
  /** Its text if staff did it. */
  textByStaff?: KeysOf<'staff'>;
  /** Its text among all actions, whoever did it. */
  textInList?: KeysOf<'staff'>;
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

/** What somebody did, as the translation to show; undefined for an action that is no longer known. */
export function textOfAction(action: string, byStaff: boolean): KeysOf<'staff'> | undefined {
  const known = allAuditActions().get(action);
  return (byStaff ? known?.textByStaff : undefined) ?? known?.text;
}

/** The actions with their texts, to choose from. */
export const listedActions = (): [action: string, text: KeysOf<'staff'>][] =>
  [...allAuditActions()].map(([action, { text, textInList }]) => [action, textInList ?? text]);
