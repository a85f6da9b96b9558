import type { TemplateInput, Text } from '#features/tasks/questionnaires/questionnaires.ts';
import {
  choice,
  files,
  group,
  identifier,
  moneyIn,
  paragraph,
  required,
  section,
  text,
} from '#features/tasks/starter-questionnaires/build.ts';
import { languagesFrom } from '#features/tasks/starter-questionnaires/texts.ts';
import { ENGLISH, respelled } from '#platform/text/english.ts';
import { keyOf } from './codes.ts';

/* Short forms for the questions of requests. */

export type Section = TemplateInput['sections'][number];
export type Item = Section['items'][number];
type Lookup = Extract<Item, { kind: 'lookup' }>;
type Hours = Extract<Item, { kind: 'hours' }>;
type Clock = Extract<Item, { kind: 'clock' }>;
type Choice = Extract<Item, { kind: 'choice' }>['choices'][number];

/** A text as it is written: Portuguese, English of the United States, Spanish, French. */
type Written = readonly [pt: string, en: string, es: string, fr: string];

/** A text in every language. */
export const t = (...[pt, en, es, fr]: Written): Text => ({
  ...Object.fromEntries(ENGLISH.map((lang) => [lang, respelled(en, 'en-us', lang)])),
  pt,
  es,
  fr,
});

/** Nothing of a request is offered again another year. */
export const once = { lastYear: 'off' } as const;
export const must = { ...required, ...once } as const;

/** The answer in a group or field of an event of eSocial, such as `S-2200:infoCeletista.dtAdm`. */
export const tag = (path: string) => ({ tag: path });

type Rest<Of> = Partial<Omit<Of, 'kind' | 'key' | 'label'>>;

export const lookup = (key: string, label: Text, rest: Rest<Lookup> & { list: string }): Lookup => ({
  kind: 'lookup',
  key,
  label,
  ...rest,
});
export const hours = (key: string, label: Text, rest: Rest<Hours> = {}): Hours => ({
  kind: 'hours',
  key,
  label,
  ...rest,
});
export const clock = (key: string, label: Text, rest: Rest<Clock> = {}): Clock => ({
  kind: 'clock',
  key,
  label,
  ...rest,
});

/** A choice by the code that eSocial has for it; keys begin with a letter. */
export const coded = (code: string, label: Text): Choice => ({ key: keyOf(code), label, code });
/** A choice among the codes of a list of eSocial, whose names are those of the law. */
export const ofTable = (
  key: string,
  label: Text,
  table: Readonly<Record<string, string>>,
  rest: Rest<Extract<Item, { kind: 'choice' }>> = {},
): Extract<Item, { kind: 'choice' }> =>
  choice(key, label, {
    ...rest,
    look: 'select',
    choices: Object.entries(table).map(([code, name]) => coded(code, t(name, name, name, name))),
  });

/** Shown if the answer to a choice, number or list is another one. */
export const isNot = (of: string, value: string) => ({ op: 'isNot', of, value }) as const;

/** Employers with social security deducted, besides this one. */
export const otherSources = (rest: Pick<Extract<Item, { kind: 'group' }>, 'when'> = {}): Item =>
  group(
    'other-sources',
    t(
      'Outras fontes com desconto de INSS',
      'Other sources with INSS deducted',
      'Otras fuentes con descuento de INSS',
      'Autres sources avec retenue d’INSS',
    ),
    {
      one: t('Fonte', 'Source', 'Fuente', 'Source'),
      addLabel: t('Incluir fonte', 'Add a source', 'Agregar fuente', 'Ajouter une source'),
      max: 10,
      lastYear: 'off',
      ...rest,
      items: [
        identifier('cnpj', t('CNPJ', 'CNPJ', 'CNPJ', 'CNPJ'), { ...must, scheme: 'cnpj', isShown: true }),
        moneyIn('BRL')(
          'pay',
          t('Remuneração por mês', 'Pay per month', 'Remuneración por mes', 'Rémunération par mois'),
          must,
        ),
      ],
    },
  );

/** The month of the collective agreement. */
export const baseMonth = (rest: { tag?: string } = {}): Item =>
  choice(
    'base-month',
    t(
      'Mês da data-base',
      'Month of the union agreement',
      'Mes del convenio',
      'Mois de la convention collective',
    ),
    {
      ...once,
      ...rest,
      look: 'select',
      choices: MONTHS.map((label, at) => ({ key: `m${at + 1}`, code: String(at + 1), label })),
    },
  );

const MONTHS: readonly Text[] = [
  t('Janeiro', 'January', 'Enero', 'Janvier'),
  t('Fevereiro', 'February', 'Febrero', 'Février'),
  t('Março', 'March', 'Marzo', 'Mars'),
  t('Abril', 'April', 'Abril', 'Avril'),
  t('Maio', 'May', 'Mayo', 'Mai'),
  t('Junho', 'June', 'Junio', 'Juin'),
  t('Julho', 'July', 'Julio', 'Juillet'),
  t('Agosto', 'August', 'Agosto', 'Août'),
  t('Setembro', 'September', 'Septiembre', 'Septembre'),
  t('Outubro', 'October', 'Octubre', 'Octobre'),
  t('Novembro', 'November', 'Noviembre', 'Novembre'),
  t('Dezembro', 'December', 'Diciembre', 'Décembre'),
];

/** The number of the worker at social security, which payroll programs may ask for. */
export const pis = (): Item =>
  text('pis', t('PIS/NIS', 'PIS/NIS', 'PIS/NIS', 'PIS/NIS'), { ...once, max: 14 });

/** The occupation in CBO 2002, looked up by its title or code. */
export const occupation = (rest: Rest<Lookup>): Lookup =>
  lookup('cbo', t('Ocupação (CBO)', 'Occupation (CBO)', 'Ocupación (CBO)', 'Profession (CBO)'), {
    ...rest,
    list: 'occupations',
    hint: t(
      'Digite parte do nome da ocupação, como “padeiro”, ou os seis dígitos.',
      'Type part of the name of the occupation in Portuguese, such as “padeiro”, or its six digits.',
      'Escriba parte del nombre de la ocupación en portugués, como “padeiro”, o los seis dígitos.',
      'Saisissez une partie du nom de la profession en portugais, comme « padeiro », ou ses six chiffres.',
    ),
  });

/** Whom a request is about. */
export const employee = (rest: Rest<Lookup> = must): Lookup =>
  lookup('employee', t('Empregado', 'Employee', 'Empleado', 'Employé'), {
    ...once,
    ...rest,
    list: 'client-employees',
    hint: t(
      'Digite parte do nome ou a matrícula.',
      'Type part of the name or the registration.',
      'Escriba parte del nombre o el legajo.',
      'Saisissez une partie du nom ou le matricule.',
    ),
  });

/** What every request ends with. */
export const more = (own: readonly Item[] = []): Section =>
  section(
    'more',
    t('Observações e anexos', 'Notes and files', 'Observaciones y archivos', 'Notes et fichiers'),
    [
      ...own,
      paragraph('notes', t('Observações', 'Notes', 'Observaciones', 'Notes'), { ...once, max: 5000 }),
      files('files', t('Anexos', 'Files', 'Archivos', 'Fichiers'), { ...once, notYet: false }),
    ],
  );

/** A form for requests of a kind. */
export const formOf = (key: string, label: Text, sections: Section[]): TemplateInput => ({
  format: 1,
  key,
  country: 'BR',
  languages: languagesFrom('pt'),
  label,
  sections,
});
