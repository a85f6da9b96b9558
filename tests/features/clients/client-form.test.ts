import { expect, test } from 'vitest';
import type { ClientRecord } from '#features/clients/clients/client-records.ts';
import { formValuesOf, inputOf } from '#features/clients/clients/edit-page.server.ts';
import { clientForm } from '#features/clients/clients/forms.server.ts';

const EMPTY = { country: '', address1: '', address2: '', city: '', state: '', zip: '', county: '' };
const form = (address: Partial<typeof EMPTY>) =>
  clientForm.schema.safeParse({
    version: '1',
    name: 'Juniper Bakery',
    kind: 'business',
    code: '',
    doingBusinessAs: '',
    tags: '',
    responsible: [],
    taxIds: [],
    yearEndMonth: '',
    yearEndDay: '',
    language: '',
    address: { ...EMPTY, ...address },
  });
const saved = (address: Partial<typeof EMPTY>, before: ClientRecord['address'] = null) => {
  const { data, error } = form(address);
  if (!data) throw error;
  return inputOf(data, before).address;
};
const record = (address: ClientRecord['address']): ClientRecord => ({
  id: 'client_1',
  name: 'Juniper Bakery',
  code: '',
  kind: 'business',
  doingBusinessAs: '',
  language: '',
  yearEnd: '',
  tags: [],
  taxIds: [],
  responsible: [],
  address,
  version: 1,
  createdDate: '',
  modifiedDate: '',
  archivedDate: null,
  mergedInto: null,
});

test('an address may be empty or incomplete, but not without its country', () => {
  expect(saved({})).toBeNull();
  expect(saved({ country: 'FR' })).toEqual({ ...EMPTY, country: 'FR' });
  expect(form({ city: 'Paris' }).error?.issues).toMatchObject([{ path: ['address', 'country'] }]);
  expect(form({ country: 'US', state: 'Nowhere' }).error?.issues).toMatchObject([
    { path: ['address', 'state'] },
  ]);
});

test('another country drops the parts that it does not have', () => {
  const before = { ...EMPTY, country: 'US', state: 'US-IL', zip: '60614', county: 'Cook' };
  expect(saved({ country: 'GB', city: 'Leeds', state: '', zip: 'LS1 4AP', county: 'Cook' }, before)).toEqual({
    ...EMPTY,
    country: 'GB',
    city: 'Leeds',
    zip: 'LS1 4AP',
    county: 'Cook',
  });
});

test('a state that was stored as text is chosen in the form, and an unknown one is kept', () => {
  const stored = { ...EMPTY, country: 'US', city: 'Chicago', state: 'il' };
  expect(formValuesOf(record(stored)).address).toEqual({ ...stored, state: 'US-IL' });
  expect(formValuesOf(record(null))).not.toHaveProperty('address');
  const unknown = { ...stored, state: 'Ilinois' };
  expect(saved({ ...unknown, state: '' }, unknown)).toEqual(unknown);
  expect(saved({ ...unknown, state: 'US-IN' }, unknown)).toMatchObject({ state: 'US-IN' });
  expect(saved({ ...stored, state: '' }, stored)).toMatchObject({ state: '' });
});

test('a stored part that the country does not show is kept when something else is changed', () => {
  const stored = { ...EMPTY, country: 'BR', city: 'Santos', state: 'BR-SP', zip: '11010-000' };
  expect(saved({ ...stored, zip: '', city: 'São Paulo' }, stored)).toEqual({ ...stored, city: 'São Paulo' });
});
