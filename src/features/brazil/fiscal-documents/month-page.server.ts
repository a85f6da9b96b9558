import { isReadOnly } from '#features/base/people/people.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { withMask } from '#platform/inputs/masks.ts';
import { formatMoney, formatNumber } from '#platform/text/formats.ts';
import { LANGUAGES } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { branchesWithDocuments, type Branch } from './branches.server.ts';
import { actionOf, type Storage } from './fiscal-documents.ts';
import { checkMonth, monthBefore, monthFor, type Month } from './months.server.ts';
import { monthName, type Page } from './storage-page.server.ts';
import { DIRECTION_TEXTS, STATE_TEXTS } from './texts.server.ts';

/** Shown numbers of a gap that is one range. */
const rangeText = (locale: string, first: number, last: number): string =>
  first === last
    ? String(first)
    : new Intl.NumberFormat(locale, { useGrouping: false }).formatRange(first, last);

/** A month of an archive of the active client: sums, what is missing, and who has checked it. */
export async function monthPage(page: Page, storage: Storage, month: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const client = await page.locals.client;
  if (!client) return { client };
  const branches = await branchesWithDocuments(page.locals, client.id, storage);
  const establishment = chosenIn(page.url, branches);
  const whole = { clientId: client.id, storage, month };
  const of = { ...whole, ...(establishment && { establishment: establishment.cnpj }) };
  const own = establishment ? { establishment: establishment.cnpj } : {};
  const place = `actions/box-e/${actionOf(storage)}`;
  const here = pathTo(`${place}/${month}`);
  const pressed = await useActions(page, {
    check: async () => {
      await checkMonth(actor, whole);
      return { to: here, flash: { type: 'success', namespace: 'fiscal-documents', key: 'checked' } };
    },
  });
  if (pressed) return pressed;
  const found = await monthFor(actor, of);
  const locale = LANGUAGES[lang];
  const t = translationsFor(lang, 'fiscal-documents');
  const gapsBySeries = Map.groupBy(found.gaps, ({ issuer, model, series }) => `${issuer}/${model}/${series}`);
  return {
    client,
    month: found,
    name: monthName(locale, month),
    rows: rowsOf(found, page),
    total: totalOf(found, locale),
    gaps: [...gapsBySeries.values()].map((gaps) => ({
      series: gaps[0]?.series ?? '',
      // which one it is matters only where there are several
      establishment: branches.length > 1 ? withMask('cnpj', gaps[0]?.issuer ?? '') : '',
      count: gaps.reduce((all, { first, last }) => all + last - first + 1, 0),
      list: gaps.map(({ first, last }) => rangeText(locale, first, last)).join(', '),
    })),
    earlier: found.earlier.map(({ month: then, count, totalCents }) => ({
      name: monthName(locale, then),
      href: pathTo(`${place}/${then}`, own),
      count: formatNumber(locale, count),
      total: formatMoney(locale, totalCents / 100, 'BRL'),
    })),
    links: {
      list: pathTo(place, { month, ...own }),
      all: pathTo(place),
      problems: pathTo(place, { month, state: 'problems', ...own }),
      previous: pathTo(`${place}/${monthBefore(month, 1)}`, own),
      next: pathTo(`${place}/${monthBefore(month, -1)}`, own),
      zip: establishment ? undefined : `/api/boxe/v1/exports?${new URLSearchParams({ ...whole })}`,
    },
    branches,
    establishment,
    establishments:
      branches.length < 2
        ? []
        : [
            { text: t('allEstablishments'), href: here, isCurrent: !establishment },
            ...branches.map(({ cnpj, text }) => ({
              text,
              href: pathTo(`${place}/${month}`, { establishment: cnpj }),
              isCurrent: cnpj === establishment?.cnpj,
            })),
          ],
    mayCheck: !isReadOnly(actor) && !establishment,
  };
}

/** The establishment that the address names, if it has documents. */
const chosenIn = (url: URL, branches: readonly Branch[]): Branch | undefined =>
  branches.find(({ cnpj }) => cnpj === url.searchParams.get('establishment'));

/** The lines of the table of sums. */
function rowsOf({ sums }: Month, { locals: { lang } }: Page) {
  const t = translationsFor(lang, 'fiscal-documents');
  const locale = LANGUAGES[lang];
  return sums.map(({ kind, direction, state, count, totalCents }) => ({
    kind: kind === 'other' ? t('kindOther') : kind,
    direction: t(DIRECTION_TEXTS[direction]),
    state: kind === 'other' ? t('stateOther') : t(STATE_TEXTS[state]),
    count: formatNumber(locale, count),
    total: formatMoney(locale, totalCents / 100, 'BRL'),
  }));
}

/** All documents, and the value of those that are authorized, by direction. */
function totalOf({ sums }: Month, locale: string) {
  const valueOf = (direction: 'in' | 'out'): string =>
    formatMoney(
      locale,
      sums.reduce(
        (all, sum) => all + (sum.direction === direction && sum.state === 'authorized' ? sum.totalCents : 0),
        0,
      ) / 100,
      'BRL',
    );
  const count = sums.reduce((all, sum) => all + sum.count, 0);
  return { count, countText: formatNumber(locale, count), in: valueOf('in'), out: valueOf('out') };
}
