import { contributedByName } from '../runtime/feature.server.ts';
import type { MailKind, MailKindDeclarations, OptionalKind } from './mail-kinds.ts';

/** The kind of the email that has all that a person gets once a day. */
export const DAILY_MAIL = 'daily-summary';

const declared = (): ReadonlyMap<string, MailKindDeclarations[string]> => contributedByName('mails');

/** The kinds of emails of all features, in their order. */
export const mailKinds = (): MailKind[] => [...declared().keys()] as MailKind[];

export const mailKind = (kind: MailKind): MailKindDeclarations[string] | undefined => declared().get(kind);

/** The kinds that their recipient can turn off. */
export const optionalKinds = (): OptionalKind[] => mailKinds().filter(isOptional);

export const isOptional = (kind: string): kind is OptionalKind =>
  declared().get(kind)?.optional !== undefined;

/** The kinds that their recipient can have once a day, together. */
export const dailyKinds = (): OptionalKind[] =>
  optionalKinds().filter((kind) => declared().get(kind)?.isScheduled !== true);

/** Kinds whose links work without signing in: neither their links nor their texts are stored. */
export const isSecret = (kind: MailKind): boolean => declared().get(kind)?.isSecret === true;
