import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/** Who added or did something: a person, or one without an account and the contact who had asked them. */
export const senderText = (lang: Lang, name: string, askedBy: string | undefined): string =>
  askedBy === undefined
    ? name
    : translationsFor(lang, 'common')('sentByAsked', { person: name, contact: askedBy });
