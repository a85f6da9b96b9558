/*
 * The parts of a postal address, and what each country calls them (spec 2, section 9), for the server and the browser.
 */

export const ADDRESS_PARTS = ['country', 'address1', 'address2', 'city', 'state', 'zip', 'county'] as const;
export type AddressPart = (typeof ADDRESS_PARTS)[number];

/** The country is an ISO 3166-1 code, the state an ISO 3166-2 code where the country has a list of them. */
export type Address = Record<AddressPart, string>;

/** What parts are called: keys of `inputs.json`. */
export const ALL_ADDRESS_LABELS = [
  'country',
  'address1',
  'address2',
  'city',
  'suburb',
  'town',
  'state',
  'province',
  'foreignState',
  'zip',
  'postalCode',
  'postCode',
  'pinCode',
  'county',
  'neighborhood',
  'district',
] as const;
type AddressLabel = (typeof ALL_ADDRESS_LABELS)[number];

const DEFAULT_LABELS: Readonly<Record<AddressPart, AddressLabel>> = {
  country: 'country',
  address1: 'address1',
  address2: 'address2',
  city: 'city',
  state: 'foreignState',
  zip: 'postalCode',
  county: 'county',
};

/** What differs by country; a part that is `undefined` is hidden. */
const COUNTRY_LABELS: Readonly<Record<string, Partial<Record<AddressPart, AddressLabel | undefined>>>> = {
  '': { state: undefined, county: undefined }, // no country is chosen yet
  AR: { state: 'province', county: undefined },
  AU: { city: 'suburb', state: 'state', zip: 'postCode', county: undefined },
  BR: { state: 'state', zip: undefined, county: 'neighborhood' },
  CA: { state: 'province', county: undefined },
  GB: { city: 'town', state: undefined, zip: 'postCode' },
  IN: { state: 'state', zip: 'pinCode', county: 'district' },
  NL: { county: undefined },
  US: { state: 'state', zip: 'zip' },
};

/** What the parts of an address in this country are called; hidden parts are `undefined`. */
export const addressLabels = (country: string): Readonly<Record<AddressPart, AddressLabel | undefined>> => ({
  ...DEFAULT_LABELS,
  ...(Object.hasOwn(COUNTRY_LABELS, country) && COUNTRY_LABELS[country]),
});

/** The address of a value; its parts are empty where it has none. */
export function addressIn(value: unknown): Address {
  const parts = new Map(Object.entries(value ?? {}));
  return addressFromParts((part) => {
    const text: unknown = parts.get(part);
    return typeof text === 'string' ? text : '';
  });
}

export const addressFromParts = (textOf: (part: AddressPart) => string): Address => ({
  country: textOf('country'),
  address1: textOf('address1'),
  address2: textOf('address2'),
  city: textOf('city'),
  state: textOf('state'),
  zip: textOf('zip'),
  county: textOf('county'),
});
