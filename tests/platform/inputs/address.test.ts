import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineForm, useForm } from '#platform/forms/forms.server.ts';
import type { FormAnswer } from '#platform/forms/forms.ts';
import { addressLabels, type Address } from '#platform/inputs/address.ts';
import { address } from '#platform/inputs/schemas.server.ts';

const EMPTY: Address = { country: '', address1: '', address2: '', city: '', state: '', zip: '', county: '' };
const FRESNO = {
  ...EMPTY,
  country: 'US',
  address1: '1 Main St',
  city: 'Fresno',
  state: 'US-CA',
  zip: '93650',
};

test.each([
  ['US', { city: 'city', state: 'state', zip: 'zip', county: 'county' }],
  ['GB', { city: 'town', state: undefined, zip: 'postCode', county: 'county' }],
  ['BR', { city: 'city', state: 'state', zip: undefined, county: 'neighborhood' }],
  ['AU', { city: 'suburb', state: 'state', zip: 'postCode', county: undefined }],
  ['AR', { state: 'province', county: undefined }],
  ['CA', { state: 'province', zip: 'postalCode', county: undefined }],
  ['NL', { state: 'foreignState', county: undefined }],
  ['IN', { state: 'state', zip: 'pinCode', county: 'district' }],
  ['FR', { city: 'city', state: 'foreignState', zip: 'postalCode', county: 'county' }],
  ['', { city: 'city', state: undefined, zip: 'postalCode', county: undefined }],
  ['__proto__', { state: 'foreignState' }],
])('an address in %s has the fields and labels of its country', (country, labels) => {
  expect(addressLabels(country)).toMatchObject(labels);
});

describe('the rule of an address', () => {
  const problems = (value: Partial<Address>, isRequired = false) =>
    address({ isRequired })
      .safeParse({ ...EMPTY, ...value })
      .error?.issues.map(({ path }) => path.join('.'));

  test('an address may be empty unless it is required, and is complete otherwise', () => {
    expect(problems({})).toBeUndefined();
    expect(problems({}, true)).toEqual(['country', 'address1', 'city']);
    expect(problems({ city: 'Fresno' })).toEqual(['country', 'address1']);
    expect(problems(FRESNO)).toBeUndefined();
    expect(problems({ ...FRESNO, address2: 'x'.repeat(201) })).toEqual(['address2']);
  });

  test('a state of another country is refused, and the code or the name of a state is read as the state', () => {
    expect(problems({ ...FRESNO, country: 'BR' })).toEqual(['state']);
    expect(problems({ ...FRESNO, country: 'XX' })).toEqual(['country']);
    for (const state of ['CA', 'california', 'US-CA'])
      expect(address().parse({ ...FRESNO, state }).state).toBe('US-CA');
    expect(address().parse({ ...FRESNO, country: 'AQ', state: 'Base' }).state).toBe('Base');
  });

  test('parts that the country does not have are emptied', () => {
    const british = { ...FRESNO, country: 'GB', state: 'US-CA', county: 'Kent' };
    expect(address().parse(british)).toMatchObject({ state: '', zip: '93650', county: 'Kent' });
    expect(address().parse({ ...FRESNO, county: 'Fresno', country: 'CA', state: 'ON' })).toMatchObject({
      state: 'CA-ON',
      county: '',
    });
  });
});

describe('an address in a form', () => {
  const form = defineForm('kit', () => ({
    id: 'sample',
    title: 'fields',
    problemTitle: 'summaryTitle',
    submit: 'primary',
    schema: z.object({ address: address({ isRequired: true }) }),
    fields: { address: { kind: 'address', label: 'fieldAddress' } },
  }));
  const page = (posted: Record<string, string>, accept = 'text/html') => ({
    request: new Request('http://localhost/page', {
      method: 'POST',
      body: new URLSearchParams({ form: 'sample', ...posted }),
      headers: { Accept: accept },
    }),
    response: {},
    locals: { lang: 'en-us' as const },
  });
  const submitted: unknown[] = [];
  const submit = (value: unknown) => {
    submitted.push(value);
    return Promise.resolve({ to: '/done' });
  };

  test('an address is posted part by part, and a part with an error is named', async () => {
    const posted = Object.fromEntries(
      Object.entries(FRESNO).map(([part, text]) => [`address.${part}`, ` ${text} `]),
    );
    await useForm(page(posted), form, { submit });
    expect(submitted).toEqual([{ address: FRESNO }]);
    const answer = await useForm(page({ ...posted, 'address.city': '' }, 'application/json'), form, {
      submit,
    });
    expect((await (answer instanceof Response ? answer.json() : undefined)) as FormAnswer).toMatchObject({
      problems: [{ field: 'address.city', text: 'Enter a city.' }],
    });
  });

  test('without scripts a button shows the fields of the chosen country and drops a state of another', async () => {
    const view = await useForm(
      page({ form: 'sample:country-address', 'address.country': 'BR', 'address.state': 'US-CA' }),
      form,
      { submit },
    );
    const [shown] = view instanceof Response ? [] : view.fields;
    const parts = shown?.kind === 'address' ? shown.parts : [];
    expect(parts.find(({ name }) => name === 'address.state')).toMatchObject({ kind: 'select', value: '' });
    expect(parts.filter(({ isHidden }) => isHidden).map(({ name }) => name)).toEqual(['address.zip']);
    expect(parts.find(({ name }) => name === 'address.county')).toMatchObject({ label: 'Neighborhood' });
    expect(view).toMatchObject({ problems: [] });
  });
});
