import type { Lang } from '#platform/text/languages.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import { REFUSALS, type Refusal } from './fiscal-intake.ts';

const TEXTS = {
  notXml: 'refusedNotXml',
  doctype: 'refusedDoctype',
  tooLarge: 'refusedTooLarge',
  tooDeep: 'refusedTooDeep',
  notRead: 'refusedNotRead',
  encrypted: 'refusedEncrypted',
  damaged: 'refusedDamaged',
  nested: 'refusedNested',
  emptyArchive: 'refusedEmptyArchive',
  archiveTooLarge: 'refusedArchiveTooLarge',
  unsignedEvent: 'refusedUnsignedEvent',
  mailTooLarge: 'refusedMailTooLarge',
  noFiles: 'refusedNoFiles',
} as const satisfies Record<Refusal, KeysOf<'fiscal-intake'>>;

/** Why a file was refused, in words. */
export function refusalText(lang: Lang, code: string): string {
  const refusal = REFUSALS.find((known) => known === code);
  return translationsFor(lang, 'fiscal-intake')(refusal ? TEXTS[refusal] : 'outcomeRefused');
}
