import { tagChoices } from '#features/clients/clients/list-choices.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { fold } from '#platform/database/database.server.ts';
import { formatCellMoment } from '#platform/text/formats.ts';
import type { Lang } from '#platform/text/languages.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Recipients } from './audience.server.ts';
import type { CLIENT_KINDS } from './news.ts';
import type { Status } from './staff-scope.server.ts';

const KINDS = { business: 'kindBusiness', individual: 'kindIndividual' } as const satisfies Record<
  (typeof CLIENT_KINDS)[number],
  string
>;

/** The names of tags by their keys, as the firm writes them. */
export const tagNames = async (actor: Actor): Promise<Map<string, string>> =>
  new Map((await tagChoices(actor)).map(({ text }) => [fold(text), text]));

/** Whom an article is for, in a few words. */
export function audienceText(
  lang: Lang,
  { audience, values }: Recipients,
  tags: ReadonlyMap<string, string>,
): string {
  const t = translationsFor(lang, 'news');
  const list = new Intl.ListFormat(lang, { type: 'conjunction', style: 'narrow' });
  switch (audience) {
    case 'all':
      return t('forAll');
    case 'kinds':
      return list.format(
        Object.entries(KINDS).flatMap(([kind, key]) => (values.includes(kind) ? [t(key)] : [])),
      );
    case 'tags':
      return t('forTags', { tags: list.format(values.map((value) => tags.get(value) ?? value)) });
    case 'clients':
      return t('forClients', { count: values.length });
  }
}

interface Shown {
  status: Status;
  publishAt: number | null;
  expireAt: number | null;
}

/** Since when, until when or from when an article is shown; empty for a draft. */
export function whenText(
  { lang, locale, timeZone }: { lang: Lang; locale: string; timeZone: string },
  { status, publishAt, expireAt }: Shown,
): string {
  const t = translationsFor(lang, 'news');
  const moment = (at: number | null): string => formatCellMoment(locale, at ?? 0, timeZone);
  if (status === 'planned') return t('fromWhen', { moment: moment(publishAt) });
  if (status === 'expired') return t('overSince', { moment: moment(expireAt) });
  if (status !== 'published') return '';
  return expireAt === null
    ? t('sinceWhen', { moment: moment(publishAt) })
    : t('sinceUntil', { from: moment(publishAt), until: moment(expireAt) });
}

/** The last day on which an article is shown, which ends with the day at the firm; empty for none. */
export const lastDay = (expireAt: number | null, timeZone: string): string =>
  expireAt === null ? '' : dayOf(expireAt - 1, timeZone);
