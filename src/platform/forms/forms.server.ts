import { fileFieldWords } from './file-words.server.ts';
import type { z } from 'zod';
import { mayHaveActed } from '../database/database.server.ts';
import { log } from '../monitoring/log.server.ts';
import { refusal, type ErrorCode, type PortalError } from '../runtime/errors.server.ts';
import { flashCookie } from '../http/flash.server.ts';
import { fileLimitOf, formOf } from './form.server.ts';
import { formatDate, formatNumber, formatSize } from '../text/formats.ts';
import {
  rowField,
  type Choice,
  type FieldView,
  type FormAnswer,
  type FormView,
  type Problem,
} from './forms.ts';
import type { DraftView, TextAttributes } from './forms.ts';
import { LANGUAGES, type Lang } from '../text/languages.ts';
import { addressIn } from '../inputs/address.ts';
import { addressFieldView, postedAddress } from '../inputs/address-fields.server.ts';
import { stateId } from '../inputs/countries.server.ts';
import { currencySymbol, dateFieldView } from '../inputs/field-views.server.ts';
import { dateOfParts, type DateParts } from '../inputs/dates.ts';
import { dateFromText } from '../inputs/typed-dates.ts';
import { hoursText, withDecimalSeparator } from '../inputs/numbers.ts';
import { isMask, withMask, withoutMask, type Mask } from '../inputs/masks.ts';
import { redirectTo, withCookies } from '../http/redirect.server.ts';
import { translationsFor, type KeysOf, type Namespace } from '../text/translations.server.ts';

/*
 * Forms are data: fields, a zod schema, and a message for every problem and every refusal. `useForm` handles the
 * form of a page from GET to redirect, `Form.astro` and `FormFields.tsx` render it, and `enhance.ts`
 * submits it without leaving the page (docs/decisions/0044).
 */

type Vars = Record<string, string | number>;
/** Values of a shared rule's message, formatted for the language of the page. */
type RuleVars = Record<string, string | number | Date>;
type Details = Record<string, unknown>;
export type Values = Record<string, unknown>;

interface Labels<K> {
  label: K;
  hint?: K;
  optional?: true;
  /** The messages for an empty value and for any other invalid one, where the rule of the schema has none. */
  missing?: K;
  wrong?: K;
  /** Values for the placeholders in its texts. */
  vars?: Vars;
  /** Not saved in drafts, like passwords and files. */
  isSecret?: true;
  /**
   * A text of the numbers or ids of clients, separated by spaces, commas or line breaks. Where scripts run, they are searched
   * by name and shown as chips.
   */
  choosesClients?: true;
}

/** How a field is displayed. The schema says which values are valid. */
export type Field<K extends string> =
  /** Always has the page's value, even after an error, or the reader's time zone, which a script fills in. */
  | ({ kind: 'hidden'; isTimeZone?: true } & Partial<Labels<K>>)
  | (Labels<K> &
      (
        | ({ kind: 'text' } & TextAttributes)
        | { kind: 'password'; autocomplete: 'current-password' | 'new-password'; maxlength?: number }
        | { kind: 'textarea'; rows: number; maxlength?: number }
        | {
            kind: 'select' | 'choices' | 'checkboxes';
            options?: readonly (readonly [value: string, label: K])[];
          }
        | { kind: 'checkbox' }
        | DateField
        | { kind: 'money'; currency: string }
        /** A postal address. */
        | { kind: 'address' }
        | { kind: 'file'; accept?: string; multiple?: boolean }
      ))
  | GroupField<K>;

/**
 * A date: the browser's date picker, a text of day, month and year, three selects, or what the language of the page is
 * used to, which is selects in the United States and text elsewhere.
 */
export interface DateField {
  kind: 'date';
  input?: 'picker' | 'text' | 'selects' | 'local';
  earliest?: string;
  latest?: string;
  /** The years that selects offer around this one, where nobody means 100 years ago or in 50 years. */
  years?: { before: number; after: number };
}

/** Of dates until which something is asked, and of days on which something arrived. */
export const UPCOMING_YEARS = { before: 1, after: 10 };
export const PAST_YEARS = { before: 10, after: 0 };

/**
 * Fields that repeat, at least once and at most `max` times: `steps[0].note`. The value is a list of objects.
 * Without scripts, the buttons `add` and `remove` render the page with one row more or less.
 */
interface GroupField<K extends string> extends Labels<K> {
  kind: 'group';
  max: number;
  fields: Record<string, Exclude<Field<K>, { kind: 'group' | 'file' | 'password' }>>;
  /** The buttons that add a row and remove one. */
  add: K;
  remove: K;
}

/** The message for a refused submission, beside a field or for the whole form; `vars` come from its details. */
type RefusalText<K, F> =
  | K
  | {
      field?: F | ((details: Details) => F);
      text: K | ((details: Details) => K | undefined);
      vars?: (details: Details) => Vars;
      /** The text of a link to the page that resolves it, whose address the page passes in `links`. */
      link?: K;
    };

export interface FormDefinition<
  N extends Namespace = Namespace,
  S extends z.ZodType = z.ZodType,
  K extends string = string,
> {
  /** Identifies the form in its page, in drafts and in the posted data. */
  id: string;
  namespace: N;
  schema: S;
  fields: Record<string, Field<K>>;
  title: K;
  problemTitle: K;
  submit: K;
  busy?: K;
  refusals?: Partial<Record<ErrorCode, RefusalText<K, string>>>;
}

/** Distinguishes our messages from zod's. */
const MESSAGE = 'message:';
/** Messages of rules that many forms share, in `inputs.json`. */
const SHARED_MESSAGE = 'inputs:';

/** The message of a shared rule, with values for its placeholders: the options of `refine`, or parts of an issue. */
export const sharedMessage = (key: KeysOf<'inputs'>, vars: RuleVars = {}) => ({
  error: SHARED_MESSAGE + key,
  params: { vars },
});

/**
 * Defines a form. Messages are keys of the namespace, so that every problem has a text in every language. A rule of
 * the schema gets its message from `message`; a rule of a shared contract, which has none, uses its field's `missing`
 * or `wrong`. The fields are exactly those of the schema, in the order in which the page shows them.
 */
export function defineForm<N extends Namespace, S extends z.ZodType<object, object>>(
  namespace: N,
  define: (message: (key: KeysOf<N>) => { error: string }) => Omit<
    FormDefinition<N, S, KeysOf<N>>,
    'namespace' | 'fields' | 'refusals'
  > & {
    fields: { [F in keyof z.input<S> & string]: Field<KeysOf<N>> };
    refusals?: Partial<Record<ErrorCode, RefusalText<KeysOf<N>, keyof z.input<S> & string>>>;
  },
): FormDefinition<N, S, KeysOf<N>> {
  return { namespace, ...define((key) => ({ error: MESSAGE + key })) };
}

type ReadableField = Pick<Field<string>, 'kind'> &
  Partial<Pick<GroupField<string>, 'max' | 'fields'>> & {
    mask?: TextAttributes['mask'];
  };

/** The posted values, each as its field's kind. Anything that is not a field is ignored. */
export const postedValues = (fields: Record<string, ReadableField>, form: FormData): Values =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, postedValue(field, name, form)] as const),
  );

function postedValue(field: ReadableField, name: string, form: FormData): unknown {
  switch (field.kind) {
    case 'checkbox':
      return form.has(name);
    case 'checkboxes':
      return form.getAll(name).filter((value) => typeof value === 'string');
    case 'file':
      return form.getAll(name).filter((value) => value instanceof File && value.size > 0);
    case 'group':
      // the number of rows is limited here, and never taken from a field's name
      return Array.from({ length: rowCount(form.get(`${name}.count`), field.max) }, (_, index) =>
        Object.fromEntries(
          Object.entries(field.fields ?? {}).map(([key, each]) => [
            key,
            postedValue(each, rowField(name, index, key), form),
          ]),
        ),
      );
    case 'date':
      return form.has(`${name}.year`)
        ? dateOfParts(postedParts(name, form))
        : dateFromText(textOf(name, form));
    case 'money':
      return withoutMask('decimal', textOf(name, form));
    case 'address':
      return postedAddress(name, (each) => textOf(each, form));
    default: {
      const text = textOf(name, form).replaceAll('\r\n', '\n');
      return field.mask === undefined ? text : withoutMask(field.mask, text);
    }
  }
}

function textOf(name: string, form: FormData): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

const postedParts = (name: string, form: FormData): DateParts => ({
  year: textOf(`${name}.year`, form),
  month: textOf(`${name}.month`, form),
  day: textOf(`${name}.day`, form),
});

const rowCount = (value: unknown, max = 1): number =>
  Math.min(max, Math.max(1, Math.trunc(Number(value)) || 1));

/** Where to go after a form, and the message to show there. */
export interface Destination {
  to: string;
  flash?: Parameters<typeof flashCookie>[0];
  cookies?: readonly string[];
}

/** The part of `Astro` that forms use. */
export interface Page {
  request: Request;
  response: { status?: number };
  locals: { lang: Lang };
}

/** Input of a form that has not been submitted. */
export interface Draft {
  values: Values;
  /** Changes with every save, so that two pages never overwrite each other. */
  version: number;
}

/** Stores the draft of one form and one person. */
export interface DraftStore {
  load: () => Promise<Draft | undefined>;
  /** Saves the values if `version` is current (0 for none); returns the new version, otherwise undefined. */
  save: (values: Values, version: number) => Promise<number | undefined>;
  discard: () => Promise<void>;
}

interface FormOptions<S extends z.ZodType> {
  /** Initial values. */
  values?: Values;
  /**
   * Choices that depend on the page, by field; those of a repeating group's field by `group.field`. For a text they are
   * suggestions.
   */
  choices?: Record<string, readonly Choice[]>;
  /** Values for placeholders in labels, hints and messages. */
  vars?: Vars;
  /**
   * Processes valid values. A refusal that the definition lists becomes its message; any other is thrown. `action` is
   * empty for the main button; other buttons are named `form` and have the value `<id>:<action>`. Returns nothing
   * when this page shows the result, which requires a native form (`isNative`).
   */
  submit: (value: z.output<S>, action: string) => Promise<Destination | undefined>;
  /** The addresses of the links that refusals have in the definition. */
  links?: Partial<Record<ErrorCode, string>>;
  /** Saves drafts of the input. */
  draft?: DraftStore | undefined;
  /** Redirects on a refusal instead of showing a message, for example to step-up authentication. */
  redirectRefusal?: (error: PortalError, typed: Values) => Destination | undefined;
}

/**
 * Handles a form of a page. A POST of this form is validated, submitted and answered with a redirect; errors render
 * the page with status 422 (412 and 429 stay) and the entered values. A request that accepts only JSON gets a
 * `FormAnswer`. Return a Response as it is; otherwise render the view.
 */
export async function useForm<N extends Namespace, S extends z.ZodType, K extends KeysOf<N>>(
  page: Page,
  definition: FormDefinition<N, S, K>,
  { values = {}, choices = {}, vars: given = {}, links = {}, draft, submit, redirectRefusal }: FormOptions<S>,
): Promise<FormView | Response> {
  const { lang } = page.locals;
  const maxFileBytes = fileLimitOf(page.request);
  // for the hints of fields for files, and for what is refused as too large
  const vars =
    maxFileBytes === undefined ? given : { ...given, size: formatSize(LANGUAGES[lang], maxFileBytes) };
  const view = (shown: Values, problems: readonly Problem[], shownDraft?: DraftView) =>
    viewOf(definition, lang, { values: shown, problems, choices, vars, draft: shownDraft });
  const posted = page.request.method === 'POST' ? await formOf(page.request) : undefined;
  const [id, action = ''] = String(posted?.getAll('form').at(-1) ?? '').split(':');
  if (!posted || id !== definition.id) {
    const stored = await draft?.load();
    const restored = stored && withoutUnknownChoices(definition.fields, stored.values, choices);
    return view({ ...values, ...restored }, [], draft && draftView(lang, stored?.version));
  }
  const typed = postedValues(definition.fields, posted);
  const shown = {
    ...values,
    ...withoutUnknownChoices(definition.fields, typed, choices),
    ...hiddenValues(definition.fields, values),
  };
  const version = Number(posted.get(DRAFT_VERSION)) || 0;
  const shownDraft = draft && draftView(lang, version, false);
  const wantsJson = page.request.headers.get('accept') === 'application/json';
  const redirect = (destination: Destination): Response => answerTo(destination, wantsJson);
  const refuse = (status: number, problems: readonly Problem[]): FormView | Response => {
    if (wantsJson) {
      const title = translationsFor(lang, definition.namespace)(definition.problemTitle, vars);
      const inlineOnly = soleField(definition.fields, problems);
      return Response.json({ title, problems, inlineOnly } satisfies FormAnswer, {
        status,
        headers: NOT_STORED,
      });
    }
    page.response.status = status;
    return view(shown, problems, shownDraft);
  };
  if (draft && action === 'discard-draft') {
    await draft.discard();
    return redirect({ to: addressOf(page.request) });
  }
  if (draft && action === 'save-draft') {
    const saved = await draft.save(restorable(definition.fields, typed), version);
    if (saved === undefined) return refuse(409, [{ text: translationsFor(lang, 'common')('draftConflict') }]);
    if (wantsJson) return Response.json({ version: saved } satisfies FormAnswer, { headers: NOT_STORED });
    const flash = { type: 'success', namespace: 'common', key: 'draftSaved' } as const;
    return redirect({ to: addressOf(page.request), flash });
  }
  const changed = withChangedRows(definition.fields, shown, action);
  if (changed) return { ...view(changed.values, [], shownDraft), focus: changed.focus };
  const withStates = withCountry(definition.fields, shown, action);
  if (withStates) return view(withStates, [], shownDraft);
  if (maxFileBytes === undefined && Object.values(definition.fields).some(({ kind }) => kind === 'file'))
    throw new Error(`The page of the form ${definition.id} needs \`takesFiles\` in src/routes.ts.`);
  const tooLarge = maxFileBytes === undefined ? [] : filesBeyond(typed, maxFileBytes);
  if (tooLarge.length > 0) {
    const text = translationsFor(lang, 'inputs')('fileTooLarge', vars);
    return refuse(
      422,
      tooLarge.map((field) => ({ field, text })),
    );
  }
  const parsed = definition.schema.safeParse(typed);
  if (!parsed.success) return refuse(422, problemsIn(definition, parsed.error, { typed, lang, vars }));
  try {
    const destination = await submit(parsed.data, action);
    await draft?.discard().catch((error: unknown) => log.warn({ event: 'draft.not-discarded', err: error }));
    return destination ? redirect(destination) : view(shown, []);
  } catch (error) {
    const refused = refusal(error);
    if (!refused || isOutcomeOpen(refused)) throw error;
    const destination = redirectRefusal?.(refused, typed);
    if (destination) return redirect(destination);
    const problem = problemOf(definition, refused, { lang, vars, href: links[refused.code] });
    if (!problem) throw error;
    return refuse([412, 429].includes(refused.status) ? refused.status : 422, [problem]);
  }
}

/** The fields with a file that is too large, which was not read to its end. */
const filesBeyond = (typed: Values, maxBytes: number): string[] =>
  Object.entries(typed).flatMap(([name, value]) =>
    Array.isArray(value) && value.some((each) => each instanceof File && each.size > maxBytes) ? [name] : [],
  );

/** The hidden field with the version of the draft that the page shows. */
const DRAFT_VERSION = 'draft-version';

function draftView(lang: Lang, version: number | undefined, isRestored = version !== undefined): DraftView {
  const t = translationsFor(lang, 'common');
  return {
    version: version ?? 0,
    save: t('draftSave'),
    saved: t('draftSaved'),
    ...(isRestored && { restored: t('draftRestored'), discard: t('draftDiscard') }),
  };
}

function addressOf({ url }: Request): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** The values that a draft saves: no secrets, no files, and nothing that the page sets itself. */
const restorable = (fields: Record<string, Field<string>>, typed: Values): Values =>
  Object.fromEntries(
    Object.entries(typed).filter(([name]) => {
      const field = fields[name];
      return field && !field.isSecret && !['password', 'file', 'hidden'].includes(field.kind);
    }),
  );

/**
 * The values with a row added or removed, if a button of a repeating group was pressed, and the first field of the row
 * that is new, or now in the place of the other.
 */
function withChangedRows(
  fields: Record<string, Field<string>>,
  values: Values,
  action: string,
): { values: Values; focus: string } | undefined {
  const [verb, name = '', index = ''] = action.split('-');
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field?.kind !== 'group' || (verb !== 'add' && verb !== 'remove')) return undefined;
  const rows = (values[name] ?? []) as Values[];
  const changed = verb === 'add' ? [...rows, {}] : rows.filter((_, at) => at !== Number(index));
  const kept = changed.slice(0, field.max);
  const last = Math.max(0, kept.length - 1);
  const at = verb === 'add' ? last : Math.min(Number(index), last);
  return {
    values: { ...values, [name]: kept },
    focus: rowField(name, at, Object.keys(field.fields)[0] ?? ''),
  };
}

/** The values with a state that the chosen country has, if the button that updates the fields was pressed. */
function withCountry(
  fields: Record<string, Field<string>>,
  values: Values,
  action: string,
): Values | undefined {
  const [verb, name = ''] = action.split('-');
  if (verb !== 'country' || !Object.hasOwn(fields, name) || fields[name]?.kind !== 'address')
    return undefined;
  const address = addressIn(values[name]);
  return { ...values, [name]: { ...address, state: stateId(address.country, address.state) ?? '' } };
}

/** Hidden fields keep the page's values, which may be newer than the posted ones. */
const hiddenValues = (fields: Record<string, Pick<Field<string>, 'kind'>>, values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => fields[name]?.kind === 'hidden'));

/** A select cannot show a value that it does not offer: the browser would select its first option. */
function withoutUnknownChoices(
  fields: Record<string, Field<string>>,
  typed: Values,
  choices: Record<string, readonly Choice[]>,
): Values {
  return Object.fromEntries(
    Object.entries(typed).filter(([name, value]) => {
      const field = fields[name];
      if (field?.kind !== 'select') return true;
      const known = choices[name]?.map((choice) => choice.value) ?? field.options?.map(([one]) => one) ?? [];
      return known.includes(String(value));
    }),
  );
}

const NOT_STORED = { 'Cache-Control': 'no-store', Vary: 'Accept' };

/** A redirect to the destination, or the same as JSON. */
export function answerTo({ to, flash, cookies = [] }: Destination, wantsJson = false): Response {
  const all = [...(flash ? [flashCookie(flash)] : []), ...cookies];
  const response = wantsJson
    ? withCookies(Response.json({ to } satisfies FormAnswer), all)
    : redirectTo(to, all);
  for (const [name, value] of Object.entries(NOT_STORED)) response.headers.set(name, value);
  return response;
}

/** The first problem of each field. */
function problemsIn<N extends Namespace, S extends z.ZodType, K extends KeysOf<N>>(
  { namespace, fields, problemTitle }: FormDefinition<N, S, K>,
  { issues }: z.ZodError,
  { typed, lang, vars }: { typed: Values; lang: Lang; vars: Vars },
): Problem[] {
  const t = translationsFor(lang, namespace);
  const first = new Map<string, Problem>();
  for (const { path, message, ...issue } of issues) {
    const { name, field, value } = fieldAt(fields, typed, path);
    if (first.has(name)) continue;
    const isEmpty = String(value ?? '').trim() === '';
    const key = message.startsWith(MESSAGE)
      ? (message.slice(MESSAGE.length) as K)
      : ((isEmpty ? field?.missing : undefined) ?? field?.wrong ?? field?.missing ?? problemTitle);
    const all = { ...vars, ...field?.vars, ...varsOf(issue, lang) };
    first.set(name, {
      ...(field && field.kind !== 'hidden' && { field: name }),
      text: sharedText(message, lang, all) ?? t(key, all),
    });
  }
  return [...first.values()];
}

/** The text of a shared rule's message. */
const sharedText = (message: string, lang: Lang, vars: Vars): string | undefined =>
  message.startsWith(SHARED_MESSAGE)
    ? translationsFor(lang, 'inputs')(message.slice(SHARED_MESSAGE.length) as KeysOf<'inputs'>, vars)
    : undefined;

/** The field of an issue: one of the form, or one in a row of a repeating group. */
function fieldAt<K extends string>(
  fields: Record<string, Field<K>>,
  typed: Values,
  [first = '', index, key]: readonly PropertyKey[],
) {
  const name = String(first);
  const field = fields[name];
  if (field?.kind === 'address' && typeof index === 'string')
    return { name: `${name}.${index}`, field, value: undefined };
  if (field?.kind !== 'group' || typeof index !== 'number' || key === undefined)
    return { name, field, value: typed[name] };
  return {
    name: rowField(name, index, String(key)),
    field: field.fields[String(key)],
    value: (typed[name] as Values[])[index]?.[String(key)],
  };
}

/** Values that a rule passes to its message (`params: { vars }` of a custom issue), with numbers and dates formatted. */
function varsOf(issue: object, lang: Lang): Vars {
  const vars = 'params' in issue ? (issue.params as { vars?: RuleVars } | undefined)?.vars : undefined;
  const locale = LANGUAGES[lang];
  return Object.fromEntries(
    Object.entries(vars ?? {}).map(([name, value]) => [
      name,
      typeof value === 'number'
        ? formatNumber(locale, value)
        : value instanceof Date
          ? formatDate(locale, value.getTime(), 'UTC')
          : value,
    ]),
  );
}

/**
 * Whether the database went away when a form may have been carried out already: it is no refusal then, and the next try, which
 * has the same key, finds out what was done. Others, such as a provider, are named by `away`.
 */
export const isOutcomeOpen = ({ code, details }: PortalError): boolean =>
  code === 'UNAVAILABLE' && !('away' in details) && mayHaveActed();

function problemOf<N extends Namespace, S extends z.ZodType, K extends KeysOf<N>>(
  { namespace, refusals }: FormDefinition<N, S, K>,
  { code, details }: PortalError,
  { lang, vars, href }: { lang: Lang; vars: Vars; href: string | undefined },
): Problem | undefined {
  const found = refusals?.[code];
  if (found === undefined) return undefined;
  const { field, text, vars: more, link } = typeof found === 'string' ? { text: found } : found;
  const key = typeof text === 'function' ? text(details) : text;
  if (key === undefined) return undefined;
  const t = translationsFor(lang, namespace);
  const at = typeof field === 'function' ? field(details) : field;
  return {
    ...(at !== undefined && { field: at }),
    text: t(key, { ...vars, ...more?.(details) }),
    ...(link !== undefined && href !== undefined && { link: { href, text: t(link, vars) } }),
  };
}

/** The kinds of fields with a single control. */
const SINGLE: ReadonlySet<string> = new Set([
  'text',
  'password',
  'textarea',
  'select',
  'checkbox',
  'date',
  'file',
]);

/**
 * The field of the only error of a form with one or two fields: everything is in sight, and a summary would say the same
 * twice.
 */
function soleField(
  fields: Readonly<Record<string, { kind: string }>>,
  [problem, ...others]: readonly Problem[],
): string | undefined {
  const shown = Object.values(fields).filter(({ kind }) => kind !== 'hidden' && kind !== 'note');
  const isShort = shown.length <= 2 && shown.every(({ kind }) => SINGLE.has(kind));
  return isShort &&
    others.length === 0 &&
    problem?.link === undefined &&
    SINGLE.has(fields[problem?.field ?? '']?.kind ?? '')
    ? problem?.field
    : undefined;
}

interface ViewOptions {
  values: Values;
  draft?: DraftView | undefined;
  problems?: readonly Problem[];
  choices?: Record<string, readonly Choice[]>;
  vars?: Vars;
}

/** The form as data for rendering, translated. */
export function viewOf<N extends Namespace, S extends z.ZodType, K extends KeysOf<N>>(
  { id, namespace, fields, title, problemTitle, submit, busy }: FormDefinition<N, S, K>,
  lang: Lang,
  { values, problems = [], choices = {}, vars = {}, draft }: ViewOptions,
): FormView {
  const texts = translationsFor(lang, namespace);
  const t = (key: K, more?: Vars): string => texts(key, { ...vars, ...more });
  const inlineOnly = soleField(fields, problems);
  return {
    id,
    title: t(title),
    problemTitle: t(problemTitle),
    submit: t(submit),
    busy: t(busy ?? submit),
    failed: translationsFor(lang, 'common')('formFailed'),
    problems,
    ...(inlineOnly !== undefined && { inlineOnly, focus: inlineOnly }),
    draft,
    fields: Object.entries(fields).map(([name, field]) =>
      fieldViewOf(name, field, {
        value: values[name],
        problemOf: (each) => problems.find((problem) => problem.field === each)?.text,
        choices: choices[name],
        rowChoices: choices,
        siblings: values,
        t,
        lang,
      }),
    ),
  };
}

interface FieldContext<K extends string> {
  value: unknown;
  problemOf?: (name: string) => string | undefined;
  choices: readonly Choice[] | undefined;
  /** The choices of selects in repeating groups, by `group.field`. */
  rowChoices?: Record<string, readonly Choice[]>;
  /** The other values of the form or row. */
  siblings?: Values;
  t: (key: K, vars?: Vars) => string;
  lang: Lang;
}

/** People who use the keyboard can skip a list with more controls. */
const LONG_LIST = 20;

/** The field as data for rendering, in the language of `t`. */
export function fieldViewOf<K extends string>(
  name: string,
  {
    label,
    hint,
    optional,
    missing: _missing,
    wrong: _wrong,
    isSecret: _secret,
    choosesClients,
    vars,
    ...field
  }: Field<K>,
  { value, problemOf, choices, rowChoices = {}, siblings = {}, t, lang }: FieldContext<K>,
): FieldView {
  const common = translationsFor(lang, 'common');
  const skipOver = (controls: number) => controls > LONG_LIST && { skip: common('skipList') };
  const problem = problemOf?.(name);
  const base = {
    name,
    label: label === undefined ? '' : t(label, vars),
    ...(hint !== undefined && { hint: t(hint, vars) }),
    ...(optional && { optional: common('optional') }),
    ...(problem !== undefined && { problem }),
    ...(choosesClients && { removeChosen: common('removeChosen', { name: '#' }) }),
  };
  const text = textOfValue(value, field.kind === 'text' ? field.mask : undefined);
  switch (field.kind) {
    case 'password':
      return { ...base, ...field, value: '', show: common('showPassword') };
    case 'file':
      return { ...base, ...field, value: '', ...fileFieldWords(lang, field.multiple) };
    case 'checkbox':
      return { ...base, ...field, value: value === true };
    case 'checkboxes': {
      const offered = choices ?? choicesOf(field.options, t);
      return {
        ...base,
        kind: field.kind,
        value: Array.isArray(value) ? value.map(String) : [],
        choices: offered,
        ...skipOver(offered.length),
      };
    }
    case 'select':
    case 'choices':
      return { ...base, kind: field.kind, value: text, choices: choices ?? choicesOf(field.options, t) };
    case 'text': {
      const { maskBy } = field;
      const mask = maskBy === undefined ? field.mask : maskNamed(siblings[maskBy]);
      return {
        ...base,
        ...field,
        ...(mask && { mask }),
        ...(maskBy !== undefined && { maskBy: name.replace(/\w+$/, maskBy) }),
        ...(choices && choices.length > 0 && { suggestions: choices.map((choice) => choice.value) }),
        value: mask ? withMask(mask, text) : text,
      };
    }
    case 'group': {
      const values = Array.isArray(value) && value.length > 0 ? (value as Values[]) : [{}];
      const rows = values.map((row, index) =>
        Object.entries(field.fields).map(([key, each]) =>
          fieldViewOf(rowField(name, index, key), each as Field<K>, {
            value: row[key],
            ...(problemOf && { problemOf }),
            choices: rowChoices[`${name}.${key}`],
            siblings: row,
            t,
            lang,
          }),
        ),
      );
      return {
        ...base,
        kind: 'group',
        value: '',
        max: field.max,
        add: t(field.add, vars),
        remove: t(field.remove, vars),
        rows,
        ...skipOver(rows.flat().length),
      };
    }
    case 'date':
      return dateFieldView(base, field, text, lang);
    case 'address':
      return addressFieldView(base, { value: addressIn(value), lang, ...(problemOf && { problemOf }) });
    case 'money':
      return {
        ...base,
        kind: 'text',
        inputmode: 'decimal',
        mask: 'decimal',
        unit: currencySymbol(field.currency, lang),
        // what was typed with separators of thousands stays
        value: /^\d+\.\d{1,2}$/.test(text) ? withDecimalSeparator(text, lang) : text,
      };
    default:
      return { ...base, ...field, value: text };
  }
}

/** The text of a value; a number as the field accepts it. */
function textOfValue(value: unknown, mask: Mask | undefined): string {
  if (typeof value === 'number') return mask === 'hours' ? hoursText(value) : String(value);
  return typeof value === 'string' ? value : '';
}

const maskNamed = (name: unknown): Mask | undefined =>
  typeof name === 'string' && isMask(name) ? name : undefined;

const choicesOf = <K extends string>(
  options: readonly (readonly [value: string, label: K])[] = [],
  t: (key: K) => string,
): Choice[] => options.map(([value, label]) => ({ value, text: t(label) }));

/** Languages as choices, each by its own name. */
export const languageChoices = (langs: readonly Lang[], valueOf: (lang: Lang) => string): Choice[] =>
  langs.map((lang) => ({
    value: valueOf(lang),
    text: translationsFor(lang, 'common')('languageName'),
    lang: LANGUAGES[lang],
  }));
