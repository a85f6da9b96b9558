import type { Actor } from '#features/base/people/people.ts';
import { addEmployee, changeEmployee } from '#features/brazil/employees/changes.server.ts';
import type { EmployeeInput } from '#features/brazil/employees/employees.ts';
import {
  addEstablishment,
  changeEstablishment,
  listEstablishments,
} from '#features/brazil/establishments/establishments.server.ts';

/*
 * The employees of the Brazilian bakery: one on leave and one on vacation, an apprentice, an intern, a partner, somebody in
 * the trial period, somebody whose vacation is urgent, and one who left. Nobody of them exists.
 */

const SAO_PAULO = '3550308';

/** Adds the branch of the bakery, and what the firm knows of its head office; returns both ids. */
export async function bakeryEstablishments(firm: Actor, clientId: string): Promise<[string, string]> {
  const [head] = await listEstablishments(firm, clientId);
  await changeEstablishment(firm, head?.id ?? '', {
    version: head?.version ?? 0,
    city: SAO_PAULO,
    stateRegistration: '110.042.490.114',
  });
  const { id } = await addEstablishment(firm, clientId, {
    cnpj: '99304518000267',
    name: 'Loja Vila Mariana',
    city: SAO_PAULO,
    stateRegistration: '110.042.490.225',
    restDays: [1],
  });
  return [head?.id ?? '', id];
}

/** Adds them; the salary of one was raised since. */
export async function bakeryEmployees(
  firm: Actor,
  clientId: string,
  [head, branch]: readonly [string, string],
): Promise<void> {
  const full = { establishmentId: head, weeklyMinutes: 44 * 60 };
  let mariana = '';
  for (const [index, employee] of EMPLOYEES.entries()) {
    const { id } = await addEmployee(firm, clientId, {
      ...full,
      ...(index % 4 === 3 && { establishmentId: branch }),
      registration: String(index + 1).padStart(4, '0'),
      ...employee,
    });
    if (index === 0) mariana = id;
  }
  await changeEmployee(firm, mariana, { salaryCents: 350_000 }, { source: 'api' });
}

const EMPLOYEES: readonly EmployeeInput[] = [
  {
    name: 'Mariana Alves Ferreira',
    cpf: '094.482.246-05',
    hiredOn: '2021-03-10',
    position: 'Padeira',
    cbo: '848305',
    salaryCents: 330_000,
    bornOn: '1990-06-21',
    vacationPeriods: [{ startsOn: '2024-03-10', takenDays: 20, soldDays: 10 }, { startsOn: '2025-03-10' }],
    leaves: [{ startsOn: '2025-07-07', endsOn: '2025-07-26', reason: '15' }],
  },
  {
    name: 'João Pedro Nunes',
    cpf: '341.270.230-74',
    hiredOn: '2024-02-01',
    position: 'Atendente',
    cbo: '521110',
    salaryCents: 210_000,
    vacationPeriods: [{ startsOn: '2025-02-01', absences: 7 }],
  },
  {
    name: 'Cláudia Regina Batista',
    cpf: '972.007.898-79',
    hiredOn: '2016-08-01',
    position: 'Gerente',
    cbo: '141415',
    salaryCents: 780_000,
    vacationPeriods: [{ startsOn: '2025-08-01' }],
  },
  {
    name: 'Rafael Moreira Lima',
    cpf: '470.807.382-88',
    hiredOn: '2022-01-17',
    position: 'Confeiteiro',
    cbo: '848310',
    salaryCents: 295_000,
    leaves: [{ startsOn: '2026-11-10', reason: '03' }],
  },
  {
    name: 'Bruna Castilho',
    cpf: '642.468.273-20',
    hiredOn: '2022-05-02',
    position: 'Balconista',
    salaryCents: 205_000,
  },
  {
    name: 'Severino José da Silva',
    cpf: '488.141.251-55',
    hiredOn: '2015-04-13',
    position: 'Forneiro',
    salaryCents: 320_000,
  },
  {
    name: 'Luana Prado Teixeira',
    cpf: '729.110.904-38',
    hiredOn: '2026-02-02',
    category: '103',
    position: 'Aprendiz de padaria',
    salaryCents: 98_000,
    weeklyMinutes: 30 * 60,
    bornOn: '2009-09-14',
    contractEndsOn: '2027-12-31',
  },
  {
    name: 'Tiago Henrique Rocha',
    cpf: '345.794.301-07',
    hiredOn: '2026-09-22',
    position: 'Auxiliar de padaria',
    salaryCents: 190_000,
    trialEndsOn: '2026-12-20',
  },
  {
    name: 'Fernanda Okada',
    cpf: '951.788.742-69',
    hiredOn: '2023-01-14',
    position: 'Caixa',
    salaryCents: 230_000,
    vacationPeriods: [{ startsOn: '2025-01-14' }],
  },
  {
    name: 'Antônio Marcos Pires',
    cpf: '634.115.094-65',
    hiredOn: '2012-10-01',
    category: '723',
    position: 'Sócio administrador',
    salaryCents: 500_000,
    weeklyMinutes: null,
  },
  {
    name: 'Isabela Duarte',
    cpf: '091.208.391-38',
    hiredOn: '2026-03-02',
    category: '901',
    position: 'Estagiária de nutrição',
    salaryCents: 120_000,
    weeklyMinutes: 30 * 60,
    contractEndsOn: '2027-03-01',
  },
  {
    name: 'Wesley Barbosa',
    cpf: '464.070.449-60',
    hiredOn: '2020-06-15',
    position: 'Entregador',
    salaryCents: 215_000,
  },
  {
    name: 'Patrícia Gomes Leal',
    cpf: '266.418.479-26',
    hiredOn: '2019-09-09',
    position: 'Padeira',
    salaryCents: 310_000,
    vacationPeriods: [{ startsOn: '2025-09-09', takenDays: 20 }],
    leaves: [{ startsOn: '2026-11-16', endsOn: '2026-12-05', reason: '15' }],
  },
  {
    name: 'Edson Carvalho',
    cpf: '061.252.952-57',
    hiredOn: '2021-03-10',
    position: 'Motorista',
    salaryCents: 260_000,
    endedOn: '2026-09-05',
    endReason: '02',
  },
];
