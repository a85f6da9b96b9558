import type { Actor } from '#features/base/people/people.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { useForm, type Page } from '#platform/forms/forms.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { withMask, withoutMask } from '#platform/inputs/masks.ts';
import { isTaxId } from '#platform/inputs/tax-ids.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Column } from '#ui/table/table.ts';
import { cityName } from './cities.server.ts';
import {
  addEstablishment,
  changeEstablishment,
  establishmentOf,
  listEstablishments,
  removeEstablishment,
} from './establishments.server.ts';
import type { Establishment } from './establishments.ts';
import { establishmentForm } from './forms.server.ts';
import { weekdayChoices, weekdaysText } from './weekdays.server.ts';

interface StaffPage extends Page {
  url: URL;
  locals: Page['locals'] & { session: { actor: Actor }; pathTo: PathTo };
}

const formValues = ({ cnpj, city, restDays, version, ...fields }: Establishment) => ({
  ...fields,
  cnpj: withMask('cnpj', cnpj),
  city: cityName(city),
  restDays: restDays.map(String),
  version: String(version),
});

/** The CNPJ that a link to the form names; empty without one. */
function cnpjIn({ searchParams }: URL): string {
  const cnpj = withoutMask('cnpj', searchParams.get('cnpj') ?? '');
  return isTaxId('cnpj', cnpj) ? withMask('cnpj', cnpj) : '';
}

/** The establishments of a client for its staff, and the form for a new one or the one of the address. */
export async function establishmentsPage(page: StaffPage, clientId: string) {
  const { pathTo, session, lang } = page.locals;
  const { actor } = session;
  const here = pathTo(`staff/clients/${clientId}/establishments`);
  const done = (key: 'added' | 'saved' | 'removed', name: string) => ({
    to: here,
    flash: { type: 'success', namespace: 'establishments', key, vars: { name } } as const,
  });
  const response = await useActions(page, {
    remove: async (id) => {
      const { name } = await establishmentOf(actor, id);
      await removeEstablishment(actor, id);
      return done('removed', name);
    },
  });
  if (response) return response;
  const establishments = await listEstablishments(actor, clientId);
  const id = page.url.searchParams.get('edit');
  const edited = establishments.find((each) => each.id === id);
  if (id !== null && !edited) throw notFound();
  const form = await useForm(page, establishmentForm, {
    values: edited ? formValues(edited) : { version: '0', restDays: ['7'], cnpj: cnpjIn(page.url) },
    choices: { restDays: weekdayChoices(lang) },
    submit: async ({ version, ...fields }) => {
      const { name } = edited
        ? await changeEstablishment(actor, edited.id, { ...fields, version })
        : await addEstablishment(actor, clientId, fields);
      return done(edited ? 'saved' : 'added', name);
    },
  });
  return form instanceof Response ? form : { establishments, edited, form };
}

/** The columns of a list of establishments, for staff and contacts. */
export function establishmentColumns(lang: Lang): Column<Establishment>[] {
  const t = translationsFor(lang, 'establishments');
  return [
    {
      key: 'name',
      label: t('name'),
      text: ({ name }) => name,
      note: ({ isHeadOffice }) => (isHeadOffice ? t('headOffice') : undefined),
      isRowHeader: true,
    },
    { key: 'cnpj', label: t('cnpj'), text: ({ cnpj }) => withMask('cnpj', cnpj), textStyle: 'phrase' },
    { key: 'city', label: t('city'), text: ({ city }) => cityName(city) || '-' },
    {
      key: 'stateRegistration',
      label: t('stateRegistration'),
      text: ({ stateRegistration }) => stateRegistration || '-',
      isLabelled: true,
    },
    {
      key: 'restDays',
      label: t('restDays'),
      text: ({ restDays }) => weekdaysText(lang, restDays),
      isLabelled: true,
    },
  ];
}
