import { cityName, isCity } from '#features/brazil/establishments/cities.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { Choice } from '#platform/forms/forms.ts';
import type { NamesOf } from '#platform/runtime/names.server.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { agencyOf, NATIONAL, stateAgency, STATES } from './agencies.ts';

/** Whether there is such an agency. */
export function isAgency(id: string): boolean {
  const agency = agencyOf(id);
  return agency !== undefined && (agency.kind !== 'city' || isCity(agency.place));
}

/** The name of an agency: `Receita Federal e PGFN (tributos federais)`, `Fazenda de São Paulo`. */
export function agencyName(lang: Lang, id: string): string {
  const t = translationsFor(lang, 'clearance-certificates');
  const agency = agencyOf(id);
  if (!agency) return id;
  switch (agency.kind) {
    case 'state':
      return t('agency_state', { state: STATES[agency.place] ?? '' });
    case 'city':
      return t('agency_city', { city: cityName(agency.place) });
    default:
      return t(`agency_${agency.kind}`);
  }
}

/** What people may choose to follow: the agencies of the Union, those of the states, and a city hall, whose city is typed. */
export function agencyChoices(lang: Lang): Choice[] {
  const t = translationsFor(lang, 'clearance-certificates');
  const { compare } = new Intl.Collator(LANGUAGES[lang]);
  const states = Object.keys(STATES)
    .map((state) => ({ value: stateAgency(state), text: agencyName(lang, stateAgency(state)) }))
    .toSorted((a, b) => compare(a.text, b.text));
  return [
    ...NATIONAL.map((id) => ({ value: id, text: agencyName(lang, id) })),
    { value: 'city', text: t('anyCity') },
    ...states,
  ];
}

/** The agencies of what is followed, for the audit log. */
export const agencyNames: NamesOf = async (ids, { lang }) => {
  const rows = await db()
    .selectFrom('cnd_client_agencies')
    .select(['client_agency_id', 'agency_id'])
    .where('client_agency_id', 'in', ids)
    .execute();
  return rows.map((row) => ({ id: row.client_agency_id, name: agencyName(lang, row.agency_id) }));
};
