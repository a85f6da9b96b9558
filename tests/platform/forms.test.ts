import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { PortalError } from '#platform/runtime/errors.server.ts';
import {
  defineForm,
  fieldViewOf,
  postedValues,
  useForm,
  type Draft,
  type Values,
} from '#platform/forms/forms.server.ts';
import type { FormAnswer, FormView } from '#platform/forms/forms.ts';

const form = defineForm('shell', (message) => ({
  id: 'sample',
  title: 'profileTitle',
  problemTitle: 'profileErrorTitle',
  submit: 'save',
  schema: z
    .object({
      firstName: z.string().trim().min(1),
      lastName: z.string().trim().min(1, message('lastNameMissing')),
      isSent: z.boolean(),
    })
    .strict(),
  fields: {
    firstName: { kind: 'text', label: 'firstName', missing: 'firstNameMissing', wrong: 'nameWrong' },
    lastName: { kind: 'text', label: 'lastName' },
    isSent: { kind: 'checkbox', label: 'language' },
  },
  refusals: { TOO_MANY: { field: 'lastName', text: 'nameWrong' }, INVALID: 'languageWrong' },
}));

const posted = (values: Record<string, string>, accept?: string) => ({
  request: new Request('http://localhost/page', {
    method: 'POST',
    body: new URLSearchParams({ form: 'sample', ...values }),
    headers: accept === undefined ? {} : { Accept: accept },
  }),
  response: {} as { status?: number },
  locals: { lang: 'en-us' as const },
});
const submit = () => Promise.resolve({ to: '/done' });
const refuse = (code: 'TOO_MANY' | 'INVALID' | 'QUOTA') => () => Promise.reject(new PortalError(code));

describe('submitted values', () => {
  test('submitted values are read field by field with their types, and unknown fields are ignored', () => {
    const data = new FormData();
    for (const [name, value] of [
      ['text', 'two\r\nlines'],
      ['many', 'a'],
      ['many', 'b'],
      ['on', ''],
      ['__proto__', 'x'],
      ['other', 'x'],
    ] as const)
      data.append(name, value);
    data.append('file', new File([], ''));
    data.append('upload', new File(['x'], 'x.txt'));
    const values = postedValues(
      {
        text: { kind: 'text' },
        empty: { kind: 'textarea' },
        many: { kind: 'checkboxes' },
        on: { kind: 'checkbox' },
        off: { kind: 'checkbox' },
        file: { kind: 'file' },
        upload: { kind: 'file' },
      },
      data,
    );
    expect(values).toMatchObject({
      text: 'two\nlines',
      empty: '',
      many: ['a', 'b'],
      on: true,
      off: false,
      file: [],
    });
    expect((values['upload'] as File[])[0]?.name).toBe('x.txt');
    expect(Object.keys(values)).toHaveLength(7);
  });
});

describe('a form', () => {
  test('a valid form is submitted and then redirects, or answers a script with JSON', async () => {
    const right = { firstName: ' Ada ', lastName: 'Amber' };
    let value: unknown;
    const keep = (given: unknown) => {
      value = given;
      return submit();
    };
    const plain = (await useForm(posted(right), form, { submit: keep })) as Response;
    expect([plain.status, plain.headers.get('location')]).toEqual([303, '/done']);
    expect(value).toEqual({ firstName: 'Ada', lastName: 'Amber', isSent: false });
    const byScript = (await useForm(posted(right, 'application/json'), form, { submit })) as Response;
    expect([byScript.status, await byScript.json()]).toEqual([200, { to: '/done' }]);
  });

  test('an invalid form comes back with 422, the submitted values, and a message for each field', async () => {
    const page = posted({ firstName: ' ', lastName: '', isSent: 'on' });
    const view = await useForm(page, form, { submit });
    expect(page.response.status).toBe(422);
    if (view instanceof Response) throw new Error('It is a page.');
    expect(view.problems).toEqual([
      { field: 'firstName', text: 'Enter your first name.' },
      { field: 'lastName', text: 'Enter your last name.' },
    ]);
    expect(view.fields.map(({ name, value, problem }) => [name, value, problem])).toEqual([
      ['firstName', ' ', 'Enter your first name.'],
      ['lastName', '', 'Enter your last name.'],
      ['isSent', true, undefined],
    ]);
  });

  test('a refused form shows the reason at the field or for the whole form, and keeps status 429', async () => {
    const right = { firstName: 'Ada', lastName: 'Amber' };
    const page = posted(right, 'application/json');
    const tooMany = (await useForm(page, form, { submit: refuse('TOO_MANY') })) as Response;
    expect(tooMany.status).toBe(429);
    const { problems } = (await tooMany.json()) as FormAnswer & { problems: object[] };
    expect(problems).toEqual([{ field: 'lastName', text: expect.any(String) as string }]);
    const invalid = await useForm(posted(right), form, { submit: refuse('INVALID') });
    expect(invalid).toMatchObject({ problems: [{ text: expect.any(String) as string }] });
    const response = await useForm(posted(right), form, {
      submit: refuse('INVALID'),
      redirectRefusal: ({ code }, typed) => ({ to: `/${code}?${String(typed['firstName'])}` }),
    });
    expect((response as Response).headers.get('location')).toBe('/INVALID?Ada');
  });

  test('a form whose page shows the result itself comes back with its values and without errors', async () => {
    const page = posted({ firstName: 'Ada', lastName: 'Amber' });
    const view = await useForm(page, form, { submit: () => Promise.resolve(undefined) });
    expect(page.response.status).toBeUndefined();
    expect(view).toMatchObject({ problems: [], fields: [{ value: 'Ada' }, { value: 'Amber' }, {}] });
  });

  test('the page sets hidden fields of a form that comes back, not the submitted data', async () => {
    const versioned = defineForm('shell', () => ({
      id: 'sample',
      title: 'profileTitle',
      problemTitle: 'profileErrorTitle',
      submit: 'save',
      schema: z.object({ version: z.string().min(1), zone: z.string() }),
      fields: {
        version: { kind: 'hidden' },
        zone: { kind: 'hidden', isTimeZone: true },
      },
      refusals: { INVALID: 'languageWrong' },
    }));
    const page = posted({ version: '1', zone: 'Asia/Tokyo' });
    const view = await useForm(page, versioned, { values: { version: '2' }, submit: refuse('INVALID') });
    expect(view).toMatchObject({
      fields: [{ value: '2' }, { value: 'Asia/Tokyo', isTimeZone: true }],
      problems: [{}],
    });
    const broken = await useForm(posted({ version: '' }), versioned, { submit });
    expect(broken, 'what is wrong with a hidden field is about the form').toMatchObject({
      problems: [{ text: expect.any(String) as string }],
    });
    expect(broken).not.toHaveProperty('problems.0.field');
  });

  test('the only error of a form with two fields stands beside its field, without a summary', async () => {
    const short = defineForm('shell', () => ({
      id: 'sample',
      title: 'profileTitle',
      problemTitle: 'profileErrorTitle',
      submit: 'save',
      schema: z.object({ version: z.string(), firstName: z.string().min(1), lastName: z.string().min(1) }),
      fields: {
        version: { kind: 'hidden' },
        firstName: { kind: 'text', label: 'firstName', missing: 'firstNameMissing' },
        lastName: { kind: 'text', label: 'lastName', missing: 'lastNameMissing' },
      },
      refusals: { INVALID: 'languageWrong' },
    }));
    const answered = async (given: Record<string, string>) =>
      (await ((await useForm(posted(given, 'application/json'), short, { submit })) as Response).json()) as {
        inlineOnly?: string;
      };
    const one = { version: '', firstName: '', lastName: 'Amber' };
    expect(await useForm(posted(one), short, { submit })).toMatchObject({
      inlineOnly: 'firstName',
      focus: 'firstName',
    });
    expect((await answered(one)).inlineOnly).toBe('firstName');
    expect((await answered({ ...one, lastName: '' })).inlineOnly, 'two errors').toBeUndefined();
    const ofAll = await useForm(posted({ ...one, firstName: 'Ada' }), short, { submit: refuse('INVALID') });
    expect(ofAll, 'an error of the whole form').not.toHaveProperty('inlineOnly');
    const long = await useForm(posted({ firstName: '', lastName: 'Amber' }), form, { submit });
    expect(long, 'three fields').not.toHaveProperty('inlineOnly');
  });

  test('a form rethrows an error without a message for it', async () => {
    const right = { firstName: 'Ada', lastName: 'Amber' };
    await expect(useForm(posted(right), form, { submit: refuse('QUOTA') })).rejects.toThrow('QUOTA');
  });

  test('a select with an invalid submitted value shows its previous value', async () => {
    const list = defineForm('shell', () => ({
      id: 'sample',
      title: 'profileTitle',
      problemTitle: 'profileErrorTitle',
      submit: 'save',
      schema: z.object({ language: z.enum(['en', 'fr']) }),
      fields: { language: { kind: 'select', label: 'language', wrong: 'languageWrong' } },
    }));
    const choices = { language: ['en', 'fr'].map((value) => ({ value, text: value })) };
    const view = await useForm(posted({ language: 'tlh' }), list, {
      values: { language: 'fr' },
      choices,
      submit,
    });
    expect(view).toMatchObject({ problems: [{ field: 'language' }], fields: [{ value: 'fr' }] });
  });

  test('a form ignores what another form of the page submitted', async () => {
    const other = posted({ form: 'other', firstName: 'Eve' });
    const view = await useForm(other, form, { values: { firstName: 'Ada' }, submit });
    expect(view).toMatchObject({ problems: [], fields: [{ value: 'Ada' }, {}, {}] });
  });
});

describe('repeating groups', () => {
  const steps = defineForm('shell', () => ({
    id: 'steps',
    title: 'profileTitle',
    problemTitle: 'profileErrorTitle',
    submit: 'save',
    schema: z.object({
      steps: z.array(z.object({ note: z.string().trim().min(1), cpf: z.string().regex(/^\d{11}$/) })),
    }),
    fields: {
      steps: {
        kind: 'group',
        label: 'profileTitle',
        max: 3,
        add: 'save',
        remove: 'save',
        fields: {
          note: { kind: 'text', label: 'firstName', missing: 'firstNameMissing' },
          cpf: { kind: 'text', label: 'lastName', mask: 'cpf', wrong: 'nameWrong' },
        },
      },
    },
  }));
  const post = async (values: Record<string, string>) => {
    const page = posted({ form: 'steps', ...values });
    let value: unknown;
    const view = await useForm(page, steps, { submit: (given) => ((value = given), submit()) });
    return { view, value, status: page.response.status };
  };
  const row = (index: number) => ({
    [`steps[${index}].note`]: `note ${index}`,
    [`steps[${index}].cpf`]: '529.982.247-25',
  });

  test('a repeating group is parsed into a list of objects, with masked values without their punctuation', async () => {
    const { value } = await post({ 'steps.count': '2', ...row(0), ...row(1) });
    expect(value).toEqual({
      steps: [
        { note: 'note 0', cpf: '52998224725' },
        { note: 'note 1', cpf: '52998224725' },
      ],
    });
  });

  test('a repeating group never has more rows than its maximum, whatever was submitted', async () => {
    const { value } = await post({
      'steps.count': '999',
      ...row(0),
      ...row(1),
      ...row(2),
      ...row(99_999_999),
    });
    expect((value as { steps: unknown[] }).steps).toHaveLength(3);
  });

  test('a repeating group shows the error of a field in its row', async () => {
    const { view, status } = await post({ 'steps.count': '2', ...row(0), 'steps[1].cpf': '1' });
    expect(status).toBe(422);
    expect((view as FormView).problems).toEqual([
      { field: 'steps[1].note', text: 'Enter your first name.' },
      { field: 'steps[1].cpf', text: expect.any(String) as string },
    ]);
  });

  test('a repeating group adds and removes rows by its buttons, and keeps the typed values', async () => {
    const rowsOf = ({ view }: Awaited<ReturnType<typeof post>>) => {
      const [field] = (view as FormView).fields;
      return field?.kind === 'group' ? field.rows.map(([note]) => note?.value) : [];
    };
    const both = { 'steps.count': '2', ...row(0), ...row(1) };
    const added = await post({ ...both, form: 'steps:add-steps' });
    expect(rowsOf(added)).toEqual(['note 0', 'note 1', '']);
    expect(added.status).toBeUndefined();
    expect(rowsOf(await post({ ...both, form: 'steps:remove-steps-0' }))).toEqual(['note 1']);
    const full = { 'steps.count': '3', ...row(0), ...row(1), ...row(2) };
    expect(rowsOf(await post({ ...full, form: 'steps:add-steps' }))).toHaveLength(3);
  });

  test('the focus goes to the row that was added, or is now in the place of the removed one', async () => {
    const both = { 'steps.count': '2', ...row(0), ...row(1) };
    const focusAfter = async (action: string) =>
      ((await post({ ...both, form: `steps:${action}` })).view as FormView).focus;
    expect(await focusAfter('add-steps')).toBe('steps[2].note');
    expect(await focusAfter('remove-steps-0')).toBe('steps[0].note');
    expect(await focusAfter('remove-steps-1')).toBe('steps[0].note');
  });
});

test('a list with many controls can be skipped', () => {
  const options = (count: number) => Array.from({ length: count }, (_, at) => [`${at}`, 'save'] as const);
  const many = (count: number) =>
    fieldViewOf(
      'many',
      { kind: 'checkboxes', label: 'save', options: options(count) },
      { value: [], choices: undefined, t: String, lang: 'en-us' },
    );
  expect(many(20)).not.toHaveProperty('skip');
  expect(many(21)).toHaveProperty('skip', 'Skip this list');
});

describe('drafts of a form', () => {
  function memoryDraft() {
    let stored: Draft | undefined;
    return {
      load: () => Promise.resolve(stored),
      save: (values: Values, version: number) => {
        if ((stored?.version ?? 0) !== version) return Promise.resolve(undefined);
        stored = { values, version: version + 1 };
        return Promise.resolve(stored.version);
      },
      discard: () => Promise.resolve(void (stored = undefined)),
    };
  }
  const get = () => ({ ...posted({}), request: new Request('http://localhost/page') });
  const typed = { firstName: 'Ada', lastName: '' };

  test('a draft saves the typed values, valid or not, and shows them with a note when the page is opened again', async () => {
    const draft = memoryDraft();
    const saved = (await useForm(posted({ ...typed, form: 'sample:save-draft' }, 'application/json'), form, {
      draft,
      submit,
    })) as Response;
    expect([saved.status, await saved.json()]).toEqual([200, { version: 1 }]);
    const view = (await useForm(get(), form, { draft, submit, values: { firstName: 'Stored' } })) as FormView;
    expect(view.fields[0]?.value).toBe('Ada');
    expect(view.draft).toMatchObject({ version: 1, restored: 'We restored what you had typed.' });
  });

  test('without scripts a draft is saved by a button, which leads back to the page', async () => {
    const draft = memoryDraft();
    const saved = (await useForm(posted({ ...typed, form: 'sample:save-draft' }), form, {
      draft,
      submit,
    })) as Response;
    expect([saved.status, saved.headers.get('location')]).toEqual([303, '/page']);
    expect((await draft.load())?.values).toMatchObject({ firstName: 'Ada' });
  });

  test('saving a draft answers 409 with an explanation when another page has saved since', async () => {
    const draft = memoryDraft();
    await draft.save({}, 0);
    const late = { ...typed, form: 'sample:save-draft', 'draft-version': '0' };
    const byScript = (await useForm(posted(late, 'application/json'), form, { draft, submit })) as Response;
    expect(byScript.status).toBe(409);
    expect(JSON.stringify(await byScript.json())).toContain('another tab');
    const page = posted(late);
    const view = (await useForm(page, form, { draft, submit })) as FormView;
    expect(page.response.status).toBe(409);
    expect(view.fields[0]?.value, 'what was typed stays').toBe('Ada');
  });

  test('a draft is removed when the form is submitted or discarded, and kept when it has errors', async () => {
    const draft = memoryDraft();
    await draft.save({ firstName: 'Ada' }, 0);
    await useForm(posted({ firstName: '', lastName: '', 'draft-version': '1' }), form, { draft, submit });
    expect(await draft.load()).toBeDefined();
    await useForm(posted({ firstName: 'Ada', lastName: 'Amber' }), form, { draft, submit });
    expect(await draft.load()).toBeUndefined();
    await draft.save({ firstName: 'Ada' }, 0);
    await useForm(posted({ form: 'sample:discard-draft' }), form, { draft, submit });
    expect(await draft.load()).toBeUndefined();
  });

  test('a draft never contains passwords, secrets or files', async () => {
    const secrets = defineForm('shell', () => ({
      id: 'sample',
      title: 'profileTitle',
      problemTitle: 'profileErrorTitle',
      submit: 'save',
      schema: z.object({ name: z.string(), pin: z.string(), code: z.string(), file: z.any() }),
      fields: {
        name: { kind: 'text', label: 'firstName' },
        pin: { kind: 'password', label: 'firstName', autocomplete: 'new-password' },
        code: { kind: 'text', label: 'firstName', isSecret: true },
        file: { kind: 'file', label: 'firstName' },
      },
    }));
    const draft = memoryDraft();
    const values = { name: 'Ada', pin: '1', code: '2', form: 'sample:save-draft' };
    await useForm(posted(values), secrets, { draft, submit });
    expect((await draft.load())?.values).toEqual({ name: 'Ada' });
  });
});
