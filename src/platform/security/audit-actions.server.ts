import { contributedByName } from '../runtime/feature.server.ts';
import type { Lang } from '../text/languages.ts';
import { text, translate } from '../text/texts.server.ts';
import type { Text } from '../text/texts.ts';
import type { KeysOf } from '../text/translations.server.ts';

/** How an action of the audit log is shown. */
interface AuditActionDeclaration {
  /** Its text: one of the feature's own, or, of features not moved yet, a key in locales/<lang>/staff.json. */
  text: Text | KeysOf<'staff'>;
  /** Its text if staff did it. */
  textByStaff?: Text | KeysOf<'staff'>;
  /** Its text among all actions, whoever did it. */
  textInList?: Text | KeysOf<'staff'>;
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
export const allAuditActions = (): ReadonlyMap<string, AuditActionDeclaration> =>
  contributedByName('auditActions');

const inNamespace = (label: Text | KeysOf<'staff'>): Text =>
  typeof label === 'string' ? text('staff', label) : label;

/** What somebody did; the action itself if it is no longer known. */
export function actionText(lang: Lang, action: string, byStaff: boolean): string {
  const known = allAuditActions().get(action);
  const label = (byStaff ? known?.textByStaff : undefined) ?? known?.text;
  return label ? translate(lang, inNamespace(label)) : action;
}

/** The actions with their texts, to choose from. */
export const listedActions = (): [action: string, text: Text][] =>
  [...allAuditActions()].map(([action, { text: label, textInList }]) => [
    action,
    inNamespace(textInList ?? label),
  ]);
