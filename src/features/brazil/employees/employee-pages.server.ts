import { CATEGORIES, END_REASONS, LEAVE_REASONS } from '#features/brazil/labor-rules/esocial-tables.ts';
import { listEstablishments } from '#features/brazil/establishments/establishments.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { useForm, type Page } from '#platform/forms/forms.server.ts';
import { useList } from '#platform/forms/lists.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { withMask } from '#platform/inputs/masks.ts';
import { hoursText } from '#platform/inputs/numbers.ts';
import { formatDate, formatMoney } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Column } from '#ui/table/table.ts';
import { addEmployee, changeEmployee } from './changes.server.ts';
import { employeeOf, listEmployees } from './employees.server.ts';
import { PAGE, shownPeriodOf, type Employee, type FieldName, type ListedEmployee } from './employees.ts';
import { employeeForm, formChoices, formValuesOf, inputOf } from './forms.server.ts';
import { employeeList } from './lists.server.ts';
import { occupationText } from './occupations.server.ts';
import { changesOf, undoChange, type Change } from './undo.server.ts';

interface EmployeePage extends Page {
  url: URL;
  locals: Page['locals'] & { session: { actor: Actor }; pathTo: PathTo };
}

const NONE = '-';

/** A list of the employees of a client; `pageOf` is the address of each. */
export async function employeesPage(page: EmployeePage, clientId: string, pageOf: (id: string) => string) {
  const { lang, session } = page.locals;
  const { query, pager, filter } = useList(page, employeeList);
  const { items, totalItems } = await listEmployees(session.actor, clientId, {
    filter: query.show,
    searchTerm: query.q,
    startIndex: query.from,
    itemsPerPage: PAGE,
  });
  return {
    rows: items.map((row) => ({ ...row, href: pageOf(row.id) })),
    columns: listColumns(lang),
    filter: filter({ count: totalItems }),
    pager: pager(totalItems, PAGE),
    isFiltered: query.q !== '' || query.show !== 'all',
    /** Nobody was looked for, and nobody is there. */
    isEmpty: totalItems === 0 && query.q === '',
  };
}

export type EmployeeInList = ListedEmployee & { href: string };

const dateOf = (lang: Lang, day: string): string =>
  day === '' ? NONE : formatDate(LANGUAGES[lang], `${day}T00:00:00Z`, 'UTC');

/** After the name, which is a component of the pages. */
function listColumns(lang: Lang): Column<EmployeeInList>[] {
  const t = translationsFor(lang, 'employees');
  return [
    { key: 'position', label: t('field_position'), text: ({ position }) => position || NONE },
    {
      key: 'registration',
      label: t('field_registration'),
      text: ({ registration }) => registration || NONE,
      textStyle: 'meta',
      isLabelled: true,
    },
    {
      key: 'hiredOn',
      label: t('field_hiredOn'),
      text: ({ hiredOn }) => dateOf(lang, hiredOn),
      textStyle: 'meta',
      isLabelled: true,
    },
    { key: 'state', label: t('state'), text: ({ state }) => t(`state_${state}`), isShort: true },
  ];
}

/** The form of a new employee. */
export async function newEmployeeForm(page: EmployeePage, clientId: string) {
  const { lang, session, pathTo } = page.locals;
  const establishments = await listEstablishments(session.actor, clientId);
  return useForm(page, employeeForm, {
    values: {
      version: '0',
      category: '101',
      salaryUnit: '5',
      establishmentId: establishments[0]?.id ?? '',
    },
    choices: formChoices(lang, establishments),
    submit: async (value) => {
      const { id, name } = await addEmployee(session.actor, clientId, inputOf(value));
      return {
        to: pathTo(`staff/clients/${clientId}/employees/${id}`),
        flash: { type: 'success', namespace: 'employees', key: 'added', vars: { name } },
      };
    },
  });
}

/** The page of an employee for staff: their data, what was changed, and with `edit` the form. */
export async function employeePage(page: EmployeePage, clientId: string, employeeId: string) {
  const { session, pathTo } = page.locals;
  const { actor } = session;
  const employee = await employeeOf(actor, employeeId);
  const here = pathTo(`staff/clients/${employee.clientId}/employees/${employeeId}`);
  const response = await useActions(
    page,
    {
      undo: async (changeId) => {
        await undoChange(actor, changeId);
        const isGone = employee.version === 1;
        return {
          to: isGone ? pathTo(`staff/clients/${employee.clientId}/employees`) : here,
          flash: { type: 'success', namespace: 'employees', key: 'undone', vars: { name: employee.name } },
        };
      },
    },
    ({ code }) =>
      code === 'CHANGED' || code === 'INVALID'
        ? {
            to: here,
            flash: {
              type: 'danger',
              namespace: 'employees',
              key: code === 'CHANGED' ? 'undoChanged' : 'undoInvalid',
            },
          }
        : undefined,
  );
  if (response) return response;
  const establishments = await listEstablishments(actor, employee.clientId);
  const isEditing = page.url.searchParams.has('edit');
  const form = isEditing ? await editForm(page, employee, establishments) : undefined;
  if (form instanceof Response) return form;
  return { employee, clientId, here, establishments, form, changes: await changesOf(actor, employeeId) };
}

function editForm(
  page: EmployeePage,
  employee: Employee,
  establishments: readonly { id: string; name: string }[],
) {
  const { lang, session, pathTo } = page.locals;
  return useForm(page, employeeForm, {
    values: formValuesOf(employee),
    choices: formChoices(lang, establishments),
    submit: async (value) => {
      const { version } = value;
      const { name } = await changeEmployee(session.actor, employee.id, { ...inputOf(value), version });
      return {
        to: pathTo(`staff/clients/${employee.clientId}/employees/${employee.id}`),
        flash: { type: 'success', namespace: 'employees', key: 'saved', vars: { name } },
      };
    },
  });
}

/** The data of an employee as labels and values; what is empty is '-'. */
export function factsOf(
  lang: Lang,
  employee: Employee,
  establishments: readonly { id: string; name: string }[],
): [label: string, value: string][] {
  const t = translationsFor(lang, 'employees');
  const locale = LANGUAGES[lang];
  const { salaryCents, weeklyMinutes, endReason } = employee;
  const salary =
    salaryCents === null
      ? NONE
      : t('salaryPer', {
          amount: formatMoney(locale, salaryCents / 100, 'BRL'),
          unit: t(`unit_${employee.salaryUnit}`),
        });
  return [
    [t('state'), t(`state_${employee.state}`)],
    [t('field_cpf'), withMask('cpf', employee.cpf)],
    [t('field_registration'), employee.registration || NONE],
    [t('field_category'), `${employee.category} · ${CATEGORIES[employee.category] ?? ''}`],
    [t('field_hiredOn'), dateOf(lang, employee.hiredOn)],
    [t('field_position'), employee.position || NONE],
    [t('field_cbo'), employee.cbo === '' ? NONE : occupationText(employee.cbo)],
    [t('field_salary'), salary],
    [t('field_weeklyHours'), weeklyMinutes === null ? NONE : hoursText(weeklyMinutes)],
    [t('field_bornOn'), dateOf(lang, employee.bornOn)],
    [
      t('field_establishment'),
      establishments.find(({ id }) => id === employee.establishmentId)?.name ?? NONE,
    ],
    ...(employee.contractEndsOn === ''
      ? []
      : [[t('contractEndsOn'), dateOf(lang, employee.contractEndsOn)] as [string, string]]),
    ...(employee.trialEndsOn === ''
      ? []
      : [[t('trialEndsOn'), dateOf(lang, employee.trialEndsOn)] as [string, string]]),
    ...(employee.endedOn === ''
      ? []
      : [[t('field_endedOn'), dateOf(lang, employee.endedOn)] as [string, string]]),
    ...(endReason === ''
      ? []
      : [[t('field_endReason'), `${endReason} · ${END_REASONS[endReason] ?? ''}`] as [string, string]]),
  ];
}

type Period = ReturnType<typeof shownPeriodOf>;

export const periodsOf = ({ vacationPeriods }: Employee): Period[] => vacationPeriods.map(shownPeriodOf);

export function periodColumns(lang: Lang): Column<Period>[] {
  const t = translationsFor(lang, 'employees');
  return [
    {
      key: 'period',
      label: t('period'),
      text: ({ startsOn, endsOn }) => t('fromTo', { from: dateOf(lang, startsOn), to: dateOf(lang, endsOn) }),
      isRowHeader: true,
    },
    { key: 'left', label: t('leftDays'), text: ({ leftDays }) => String(leftDays), isLabelled: true },
    { key: 'useBy', label: t('useBy'), text: ({ useBy }) => dateOf(lang, useBy), isLabelled: true },
    {
      key: 'taken',
      label: t('field_takenDays'),
      text: ({ takenDays }) => String(takenDays),
      isLabelled: true,
    },
    { key: 'sold', label: t('field_soldDays'), text: ({ soldDays }) => String(soldDays), isLabelled: true },
    {
      key: 'absences',
      label: t('field_absences'),
      text: ({ absences }) => String(absences),
      isLabelled: true,
    },
  ];
}

export function leaveColumns(lang: Lang): Column<Employee['leaves'][number]>[] {
  const t = translationsFor(lang, 'employees');
  return [
    {
      key: 'reason',
      label: t('leaveReason'),
      text: ({ reason }) => LEAVE_REASONS[reason] ?? reason,
      isRowHeader: true,
    },
    { key: 'from', label: t('firstDay'), text: ({ startsOn }) => dateOf(lang, startsOn), isLabelled: true },
    {
      key: 'to',
      label: t('lastDay'),
      text: ({ endsOn }) => (endsOn === '' ? t('open') : dateOf(lang, endsOn)),
      isLabelled: true,
    },
  ];
}

/** The labels of fields, by their names. */
const LABELS = {
  name: 'field_employeeName',
  cpf: 'field_cpf',
  registration: 'field_registration',
  category: 'field_category',
  hiredOn: 'field_hiredOn',
  position: 'field_position',
  cbo: 'field_cbo',
  salaryCents: 'field_salary',
  salaryUnit: 'field_salaryUnit',
  weeklyMinutes: 'field_weeklyHours',
  bornOn: 'field_bornOn',
  establishmentId: 'field_establishment',
  contractEndsOn: 'contractEndsOn',
  trialEndsOn: 'trialEndsOn',
  vacationPeriods: 'vacationPeriods',
  leaves: 'leaves',
  endedOn: 'field_endedOn',
  endReason: 'field_endReason',
} as const satisfies Record<FieldName, string>;

export function changeColumns(lang: Lang): Column<Change>[] {
  const t = translationsFor(lang, 'employees');
  const list = new Intl.ListFormat(LANGUAGES[lang], { style: 'narrow', type: 'unit' });
  return [
    {
      key: 'fields',
      label: t('columnFields'),
      text: ({ fields, version }) =>
        fields.length === 0
          ? t(version === 1 ? 'changeAdded' : 'changeRemoved')
          : list.format(fields.map((name) => t(LABELS[name]))),
      isRowHeader: true,
    },
    { key: 'source', label: t('columnSource'), text: ({ source }) => t(`source_${source}`) },
    { key: 'by', label: t('columnBy'), text: ({ by }) => by, textStyle: 'person' },
    { key: 'at', label: t('columnAt'), at: ({ at }) => at, textStyle: 'meta' },
  ];
}
