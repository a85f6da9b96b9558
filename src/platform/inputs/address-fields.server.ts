import type { Choice, FieldView } from '../forms/forms.ts';
import type { Lang } from '../text/languages.ts';
import { translationsFor } from '../text/translations.server.ts';
import {
  ADDRESS_PARTS,
  ALL_ADDRESS_LABELS,
  addressFromParts,
  addressLabels,
  type Address,
  type AddressPart,
} from './address.ts';
import { countries, states, type NamedPlace } from './countries.server.ts';

/* An address in a form: one field whose value is an object, with a fieldset of controls (`name.country`). */

/** The address that was posted. */
export const postedAddress = (name: string, textOf: (name: string) => string): Address =>
  addressFromParts((part) => textOf(`${name}.${part}`));

interface Context {
  value: Address;
  lang: Lang;
  problemOf?: (name: string) => string | undefined;
}

const REQUIRED: readonly AddressPart[] = ['country', 'address1', 'city'];

/** The field as data for rendering: every part, those that the country does not have hidden. */
export function addressFieldView(
  base: Pick<FieldView, 'name' | 'label' | 'hint' | 'optional' | 'problem'>,
  { value, lang, problemOf }: Context,
): FieldView {
  const t = translationsFor(lang, 'inputs');
  const labels = addressLabels(value.country);
  const parts = ADDRESS_PARTS.map((part): FieldView => {
    const name = `${base.name}.${part}`;
    const problem = problemOf?.(name);
    return {
      name,
      label: t(labels[part] ?? part),
      ...(!REQUIRED.includes(part) && { optional: translationsFor(lang, 'common')('optional') }),
      ...(problem !== undefined && { problem }),
      ...(labels[part] === undefined && { isHidden: true }),
      ...controlOf(part, value, lang),
    };
  });
  return {
    ...base,
    kind: 'address',
    value: '',
    parts,
    labels: Object.fromEntries(ALL_ADDRESS_LABELS.map((key) => [key, t(key)])),
    update: t('updateAddress'),
  };
}

const AUTOCOMPLETE: Readonly<Record<AddressPart, string>> = {
  country: 'country',
  address1: 'address-line1',
  address2: 'address-line2',
  city: 'address-level2',
  state: 'address-level1',
  zip: 'postal-code',
  county: 'address-level3',
};

function controlOf(part: AddressPart, value: Address, lang: Lang) {
  const autocomplete = AUTOCOMPLETE[part];
  const places = placesOf(part, value.country, lang);
  if (places.length > 0)
    return { kind: 'select' as const, value: value[part], choices: choicesOf(places), autocomplete };
  return { kind: 'text' as const, value: value[part], autocomplete, maxlength: MAX_ADDRESS_PART };
}

/** Longer texts are refused by the schema. */
export const MAX_ADDRESS_PART = 200;

function placesOf(part: AddressPart, country: string, lang: Lang): readonly NamedPlace[] {
  if (part === 'country') return countries(lang);
  return part === 'state' ? states(country, lang) : [];
}

const choicesOf = (places: readonly NamedPlace[]): Choice[] => [
  { value: '', text: '' },
  ...places.map(({ id, name }) => ({ value: id, text: name })),
];

/** The address as lines of text, the last one the country. */
export function addressLines(address: Address, lang: Lang): string[] {
  const nameOf = (places: readonly NamedPlace[], id: string): string =>
    places.find((place) => place.id === id)?.name ?? id;
  const { country, address1, address2, county, city, state, zip } = address;
  const place = [city, nameOf(states(country, lang), state), zip].filter((text) => text !== '').join(', ');
  return [address1, address2, county, place, nameOf(countries(lang), country)].filter((text) => text !== '');
}
