import { DAY } from '#platform/runtime/clock.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translate } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { inboxKind } from './contributions.server.ts';
import type { InboxItem } from './inbox.ts';

/** What a row is about, as a sentence; its name if its feature is no longer there. */
export function itemText(lang: Lang, { kind, count, name, detail }: InboxItem): string {
  const known = inboxKind(kind);
  if (!known) return name;
  if (typeof known.text === 'function') return known.text({ count, name, detail }, lang);
  // rows of tasks without a label of their own had no name before they got the title of the task
  return translate(lang, known.text, {
    count,
    name: name || translationsFor(lang, 'inbox')('untitledTask'),
    detail,
  });
}

const MIN_OLD = 14;

/** How long a row has waited, in days: as a text, and whether that is long. */
export function ageOf(
  lang: Lang,
  since: number,
  now: number,
): { days: number; text: string; isOld: boolean } {
  const days = Math.max(0, Math.floor((now - since) / DAY));
  const t = translationsFor(lang, 'inbox');
  return { days, text: days === 0 ? t('today') : t('days', { count: days }), isOld: days >= MIN_OLD };
}

/** Where the next step of a row is. */
export function nextStep({ kind, key, clientId }: InboxItem, pathTo: App.Locals['pathTo']): string {
  const client = clientId === undefined ? {} : { client: clientId };
  return inboxKind(kind)?.next({ key, client }, pathTo) ?? pathTo('staff/inbox');
}
