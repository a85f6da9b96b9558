import { clientsByCode } from '#features/clients/clients/bulk.server.ts';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import {
  establishmentsWithCnpj,
  hasEstablishments,
} from '#features/brazil/establishments/establishments.server.ts';
import { db, fold } from '#platform/database/database.server.ts';
import { withMask, withoutMask } from '#platform/inputs/masks.ts';
import { isTaxId, withLostZeros } from '#platform/inputs/tax-ids.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { z } from 'zod';
import { assertKeeps } from './access.server.ts';
import { problemsOf } from './bulk.server.ts';
import { addEmployee, assertFits, changedFields, changeEmployee } from './changes.server.ts';
import {
  employeeChange,
  employeeInput,
  problemList,
  type EmployeeFields,
  type EmployeeInput,
  type EmployeeProblem,
} from './employees.ts';
import { columnOf, fieldsIn, PERIOD_COLUMNS, periodsWith } from './import-values.ts';
import { cpfKey, employeesOf, fieldsOf, type EmployeeRow } from './internal/store.server.ts';
import { undoChange } from './undo.server.ts';

/* Employees from a spreadsheet. A row of a contract that exists updates it; nobody is removed. */

type Kind = Contributions['importKinds'][string];
type Values = Parameters<Kind['labelOf']>[0];
type Verdict = Awaited<ReturnType<Kind['check']>>[number];
type Problems = Extract<Verdict, { action: 'problem' }>['problems'];
type Applied = Awaited<ReturnType<Kind['apply']>>[number];

const field = (name: string, headers: readonly string[], isRequired?: true): Kind['fields'][number] => ({
  name,
  label: text('employees', `field_${name}` as 'field_company'),
  headers,
  ...(isRequired && { isRequired }),
});

const FIELDS = [
  field('company', ['empresa', 'cliente', 'codigo da empresa', 'cnpj da empresa', 'client', 'company'], true),
  field(
    'employeeName',
    ['nome', 'nome completo', 'empregado', 'funcionario', 'colaborador', 'name', 'employee'],
    true,
  ),
  field('cpf', ['cpf', 'cpf do empregado'], true),
  field('registration', ['matricula', 'registro', 'codigo', 'chapa', 'registration']),
  field('hiredOn', ['admissao', 'data de admissao', 'data admissao', 'hired', 'hire date'], true),
  field('category', ['categoria', 'categoria esocial', 'category']),
  field('position', ['cargo', 'funcao', 'position', 'job title']),
  field('cbo', ['cbo', 'ocupacao']),
  field('salary', ['salario', 'salario base', 'salary']),
  field('salaryUnit', ['unidade', 'unidade do salario', 'tipo de salario']),
  field('weeklyHours', ['horas semanais', 'carga horaria semanal', 'weekly hours']),
  field('bornOn', ['nascimento', 'data de nascimento', 'date of birth']),
  field('establishment', ['estabelecimento', 'cnpj do estabelecimento', 'filial', 'establishment']),
  field('endedOn', [
    'desligamento',
    'data de desligamento',
    'demissao',
    'data de demissao',
    'termination date',
  ]),
  field('endReason', ['motivo do desligamento', 'motivo da rescisao']),
  field('periodStart', ['periodo aquisitivo inicio', 'inicio do periodo aquisitivo', 'periodo aquisitivo']),
  field('absences', ['faltas no periodo', 'faltas']),
  field('takenDays', ['dias gozados']),
  field('soldDays', ['dias vendidos', 'abono']),
];

export const employeeRows: Kind = {
  kind: 'employees',
  title: text('employees', 'title'),
  order: 40,
  fields: FIELDS,
  keyOf: ({ company, cpf, registration = '', periodStart = '' }) =>
    company === undefined || cpf === undefined
      ? undefined
      : [fold(company), withoutMask('cpf', cpf), fold(registration), periodStart].join('\n'),
  labelOf: ({ employeeName, registration, company }) =>
    [employeeName, registration, company].filter(Boolean).join(' · '),
  assertMay: assertKeeps,
  isOffered: hasEstablishments,
  check,
  apply,
  undo,
  list,
};

/** What rows are compared with: clients by what names them, and establishments by CNPJ. */
interface Known {
  clients: ReadonlyMap<string, string>;
  establishments: readonly { id: string; clientId: string; cnpj: string }[];
}

async function knownTo(actor: Actor, rows: readonly Values[]): Promise<Known> {
  const companies = rows.flatMap(({ company }) => company ?? []);
  const cnpjs = [...companies, ...rows.flatMap(({ establishment }) => establishment ?? [])]
    .map((each) => withoutMask('cnpj', each))
    .filter((each) => isTaxId('cnpj', each));
  const own = new Set((await clientIdsOf(actor).execute()).map((row) => row.client_id));
  const establishments = (
    cnpjs.length === 0 ? [] : await establishmentsWithCnpj(actor.companyId, [...new Set(cnpjs)])
  ).filter(({ clientId }) => own.has(clientId));
  return { clients: await clientsByCode(actor, companies), establishments };
}

/** The client of a row, by its number or a CNPJ that one client alone has. */
function clientOf({ company = '' }: Values, { clients, establishments }: Known): string | undefined {
  const byCode = clients.get(fold(company));
  if (byCode !== undefined) return byCode;
  const cnpj = withoutMask('cnpj', company);
  const ids = new Set(establishments.filter((each) => each.cnpj === cnpj).map(({ clientId }) => clientId));
  return ids.size === 1 ? [...ids][0] : undefined;
}

async function check(actor: Actor, rows: readonly Values[]): Promise<Verdict[]> {
  const known = await knownTo(actor, rows);
  const verdicts: Verdict[] = [];
  for (const values of rows) verdicts.push(await verdictOn(actor, values, known));
  return verdicts;
}

async function verdictOn(actor: Actor, values: Values, known: Known): Promise<Verdict> {
  const row = await readRow(actor, values, known);
  if ('problems' in row) return { action: 'problem', problems: row.problems };
  const { stored, clientId, input, before } = row;
  const parsed = (stored ? employeeChange : employeeInput).safeParse(input);
  if (!parsed.success) return { action: 'problem', problems: inColumns(problemsOf(parsed.error.issues)) };
  const after = employeeInput.parse({ ...before, ...parsed.data });
  const changes = before ? changedFields(before, after) : [];
  if (before && stored && changes.length === 0)
    return { action: 'none', target: stored.employee_id, changes: [] };
  const employeeId = stored?.employee_id ?? '';
  const problems = await refusedBecause(() => assertFits(actor, { clientId, employeeId }, after));
  if (problems.length > 0) return { action: 'problem', problems: inColumns(problems) };
  return stored
    ? { action: 'update', target: stored.employee_id, changes: changes.map(columnOf) }
    : { action: 'create' };
}

async function refusedBecause(work: () => Promise<void>): Promise<EmployeeProblem[]> {
  try {
    await work();
    return [];
  } catch (error) {
    const reason = refusal(error);
    if (reason?.code !== 'INVALID') throw error;
    return problemList.parse(reason.details['problems']);
  }
}

const inColumns = (problems: readonly EmployeeProblem[]): Problems =>
  problems.map(({ field: name, problem }) => ({
    code: problem === 'missing' ? 'MISSING' : 'INVALID',
    field: columnOf(name),
  }));

interface ReadRow {
  clientId: string;
  stored: EmployeeRow | undefined;
  before: EmployeeFields | undefined;
  input: Record<string, unknown>;
}

/** What a row says, or why it cannot be read. */
async function readRow(
  actor: Actor,
  values: Values,
  known: Known,
): Promise<ReadRow | { problems: Problems }> {
  const problem = (code: Problems[number]['code'], name: string) => ({ problems: [{ code, field: name }] });
  const { cpf = '', establishment } = values;
  if (values['company'] === undefined) return problem('MISSING', 'company');
  const clientId = clientOf(values, known);
  if (clientId === undefined) return problem('CLIENT_UNKNOWN', 'company');
  if (cpf === '') return problem('MISSING', 'cpf');
  if (!isTaxId('cpf', cpf))
    return problem(withLostZeros('cpf', cpf) === undefined ? 'TAX_ID' : 'ZERO_LOST', 'cpf');
  const cnpj = withoutMask('cnpj', establishment ?? '');
  const place = known.establishments.find((each) => each.cnpj === cnpj && each.clientId === clientId);
  if (establishment !== undefined && !place) return problem('INVALID', 'establishment');
  const stored = await contractOf(actor, clientId, values);
  const before = stored && (await fieldsOf([stored])).get(stored.employee_id);
  const vacationPeriods = periodsWith(before?.vacationPeriods ?? [], values);
  if (vacationPeriods && 'problem' in vacationPeriods) return problem('INVALID', vacationPeriods.problem);
  const given = {
    ...fieldsIn(values),
    ...(place && { establishmentId: place.id }),
    ...(vacationPeriods && { vacationPeriods }),
  };
  return { clientId, stored, before, input: given };
}

/** The contract that a row is about: without a registration the only one of this CPF. */
async function contractOf(
  actor: Actor,
  clientId: string,
  { cpf = '', registration }: Values,
): Promise<EmployeeRow | undefined> {
  const rows = await employeesOf(actor)
    .selectAll('employees')
    .where('client_id', '=', clientId)
    .where('cpf_key', '=', await cpfKey(withoutMask('cpf', cpf)))
    .$if(registration !== undefined, (all) => all.where('registration_key', '=', fold(registration ?? '')))
    .limit(2)
    .execute();
  return rows.length === 1 ? rows[0] : undefined;
}

async function apply(actor: Actor, rows: Parameters<Kind['apply']>[1]): Promise<Applied[]> {
  const known = await knownTo(
    actor,
    rows.map(({ values }) => values),
  );
  const applied: Applied[] = [];
  for (const { values, step } of rows) {
    const row = await readRow(actor, values, known);
    if ('problems' in row) throw new PortalError('INVALID');
    // an earlier row of the file may have added the contract, with another year of vacation
    const { stored } = row;
    if (step.action !== 'create' && stored?.employee_id !== step.target) throw new PortalError('CHANGED');
    const made = { source: 'import' } as const;
    const after = stored
      ? await changeEmployee(actor, stored.employee_id, employeeChange.parse(row.input), made)
      : await addEmployee(actor, row.clientId, row.input as EmployeeInput, made);
    applied.push({
      target: after.id,
      before: { version: after.version === stored?.version ? null : after.version },
    });
  }
  return applied;
}

/** The version that a row made; null if it changed nothing. */
const madeVersion = z.strictObject({ version: z.int().nullable() });

async function undo(
  actor: Actor,
  _: Values,
  { target, before }: Applied,
): Promise<Awaited<ReturnType<Kind['undo']>>> {
  const { version } = madeVersion.parse(before);
  if (version === null) return undefined;
  const [row] = await employeesOf(actor).select('employee_id').where('employee_id', '=', target).execute();
  if (!row) return 'GONE';
  const change = await db()
    .selectFrom('employee_changes')
    .select('change_id')
    .where('employee_id', '=', target)
    .where('version', '=', version)
    .executeTakeFirstOrThrow();
  try {
    await undoChange(actor, change.change_id);
    return undefined;
  } catch (error) {
    if (refusal(error)?.code === 'CHANGED') return 'CHANGED_SINCE';
    throw error;
  }
}

/** A row for each year of vacation, so that the file can be imported again. */
async function list(actor: Actor): Promise<string[][]> {
  const rows = await employeesOf(actor)
    .innerJoin('clients', 'clients.client_id', 'employees.client_id')
    .leftJoin('establishments', 'establishments.establishment_id', 'employees.establishment_id')
    .selectAll('employees')
    .select(['clients.code', 'establishments.cnpj as place'])
    .orderBy('clients.name_key')
    .orderBy('employees.name_key')
    .orderBy('employees.employee_id')
    .execute();
  const fields = await fieldsOf(rows);
  return rows.flatMap((row) => {
    const own = fields.get(row.employee_id);
    if (!own) return [];
    const cells = [
      row.code,
      own.name,
      withMask('cpf', own.cpf),
      own.registration,
      own.hiredOn,
      own.category,
      own.position,
      own.cbo,
      own.salaryCents === null ? '' : (own.salaryCents / 100).toFixed(2),
      own.salaryUnit,
      own.weeklyMinutes === null ? '' : hoursOf(own.weeklyMinutes),
      own.bornOn,
      row.place === null ? '' : withMask('cnpj', row.place),
      own.endedOn,
      own.endReason,
    ];
    if (own.vacationPeriods.length === 0) return [[...cells, ...PERIOD_COLUMNS.map(() => '')]];
    return own.vacationPeriods.map(({ startsOn, absences, takenDays, soldDays }) => [
      ...cells,
      startsOn,
      String(absences),
      String(takenDays),
      String(soldDays),
    ]);
  });
}

const hoursOf = (minutes: number): string =>
  `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
