import { clientRecord } from '#features/clients/clients/client-records.server.ts';
import { holdClient, listHolds, releaseClient } from '#features/documents/trash/legal-holds.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { confirmPath } from '#platform/http/addresses.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { formatDate, formatNumber } from '#platform/text/formats.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { retentionForm } from './forms.server.ts';
import { CATEGORIES, MIN_YEARS_OF_XML, PERIODS, retentionRules, type RetentionRules } from './retention.ts';
import { changeRetention, previewRetention, retentionOf } from './retention.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'locale' | 'pathTo' | 'session' | 'timeZone'>;
}

/**
 * The page of the retention periods: the rules, what the ones in the address would do, and the clients under a legal
 * hold; `id` names a client to put under one.
 */
export async function retentionPage(page: Page) {
  const { lang, locale, pathTo, session, timeZone } = page.locals;
  const { actor } = session;
  const t = translationsFor(lang, 'retention');
  const saved = await retentionOf(actor);
  const proposed = rulesIn(page.url.searchParams);
  const here = pathTo('staff/retention', { ...proposed });
  const done = (key: 'saved' | 'held' | 'released') =>
    ({ to: pathTo('staff/retention'), flash: { type: 'success', namespace: 'retention', key } }) as const;
  const response = await useActions(
    page,
    {
      apply: async () => {
        await changeRetention(session, proposed ?? saved.rules);
        return done('saved');
      },
      hold: async (clientId, form) => {
        await holdClient(actor, clientId, String(form.get('reason') ?? ''));
        return done('held');
      },
      release: async (clientId) => {
        await releaseClient(actor, clientId);
        return done('released');
      },
    },
    ({ code }) =>
      code === 'STEP_UP'
        ? { to: confirmPath(lang, here) }
        : code === 'INVALID'
          ? {
              to: page.url.pathname + page.url.search,
              flash: { type: 'danger', namespace: 'retention', key: 'reasonMissing' },
            }
          : undefined,
  );
  if (response) return response;
  const options = PERIODS.map((value) => ({
    value,
    text: value === '0' ? t('keep') : t('years', { count: Number(value) }),
  }));
  const form = await useForm(page, retentionForm, {
    values: proposed ?? saved.rules,
    choices: {
      ...Object.fromEntries(CATEGORIES.map((category) => [category, options])),
      xml: options.filter(({ value }) => value === '0' || Number(value) >= MIN_YEARS_OF_XML),
    },
    submit: (rules) => Promise.resolve({ to: `${pathTo('staff/retention', { ...rules })}#preview` }),
  });
  if (form instanceof Response) return form;
  const id = page.url.searchParams.get('id');
  return {
    form,
    status:
      saved.startsAt === 0
        ? t('keepsAll')
        : t(saved.startsAt > now() ? 'appliesFrom' : 'appliesSince', {
            date: formatDate(locale, saved.startsAt, timeZone),
          }),
    preview: proposed && (await previewRetention(actor, proposed)),
    number: (value: number) => formatNumber(locale, value),
    client: id === null ? undefined : await clientRecord(actor, id),
    holds: await listHolds(actor),
  };
}

/** The rules that the address names; undefined unless it names all of them. */
function rulesIn(query: URLSearchParams): RetentionRules | undefined {
  const named = Object.fromEntries(CATEGORIES.map((category) => [category, query.get(category)]));
  return retentionRules.safeParse(named).data;
}
