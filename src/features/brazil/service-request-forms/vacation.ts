import {
  date,
  group,
  is,
  number,
  section,
  when,
  yesNo,
} from '#features/tasks/starter-questionnaires/build.ts';
import type { Text } from '#features/tasks/questionnaires/questionnaires.ts';
import { employee, formOf, more, must, once, t, tag, type Section } from './build.ts';

/* The notice of a vacation, and the calculation of one, which changes nothing. */

const vacation = (): Section =>
  section('request', t('Férias', 'Vacation', 'Vacaciones', 'Vacances'), [
    employee(),
    date(
      'period-start',
      t(
        'Período aquisitivo: primeiro dia',
        'Acquisitive period: first day',
        'Período de adquisición: primer día',
        'Période d’acquisition : premier jour',
      ),
      {
        ...must,
        ...tag('S-2230:infoAfastamento.perAquis.dtInicio'),
        hint: t(
          'O primeiro dia do ano de trabalho que deu direito às férias.',
          'The first day of the year of work that earned the vacation.',
          'El primer día del año de trabajo que dio derecho a las vacaciones.',
          'Le premier jour de l’année de travail qui donne droit aux vacances.',
        ),
      },
    ),
    number(
      'absences',
      t(
        'Faltas injustificadas no período',
        'Days of unjustified absence in the period',
        'Ausencias injustificadas en el período',
        'Jours d’absence injustifiée dans la période',
      ),
      { ...must, min: 0, max: 366 },
    ),
    group(
      'parts',
      t('Períodos de férias', 'Parts of the vacation', 'Períodos de vacaciones', 'Parties des vacances'),
      {
        one: t('Período', 'Part', 'Período', 'Partie'),
        addLabel: t('Incluir período', 'Add a part', 'Agregar período', 'Ajouter une partie'),
        min: 1,
        max: 3,
        lastYear: 'off',
        items: [
          date('start', t('Início', 'First day', 'Inicio', 'Premier jour'), {
            ...must,
            ...tag('S-2230:infoAfastamento.iniAfastamento.dtIniAfast'),
          }),
          number('days', t('Dias', 'Days', 'Días', 'Jours'), { ...must, min: 1, max: 30 }),
        ],
      },
    ),
    yesNo(
      'agree',
      t(
        'Com mais de um período: o empregado concorda com a divisão?',
        'With several parts: does the employee agree?',
        'Con más de un período: ¿el empleado está de acuerdo?',
        'Avec plusieurs parties : l’employé est-il d’accord?',
      ),
      once,
    ),
    yesNo(
      'sell',
      t(
        'O empregado vende dias (abono)?',
        'Does the employee sell days?',
        '¿El empleado vende días?',
        'L’employé vend-il des jours?',
      ),
      must,
    ),
    number('sold-days', t('Dias vendidos', 'Days sold', 'Días vendidos', 'Jours vendus'), {
      ...must,
      min: 1,
      max: 10,
      ...when(is('sell')),
    }),
    date(
      'asked-on',
      t(
        'Quando o empregado pediu a venda',
        'When the employee asked to sell',
        'Cuándo pidió el empleado la venta',
        'Quand l’employé l’a demandé',
      ),
      {
        ...once,
        ...when(is('sell')),
      },
    ),
    yesNo(
      'thirteenth',
      t(
        'Adiantar a 1ª parcela do 13º?',
        'Advance the first half of the 13th salary?',
        '¿Adelantar la primera mitad del 13.º salario?',
        'Avancer la première moitié du 13e salaire?',
      ),
      must,
    ),
    date(
      'notice-on',
      t(
        'Data do aviso ao empregado',
        'Date of the notice to the employee',
        'Fecha del aviso al empleado',
        'Date de l’avis à l’employé',
      ),
      {
        ...once,
        hint: t('Em branco: hoje.', 'Empty: today.', 'Vacío: hoy.', 'Vide : aujourd’hui.'),
      },
    ),
    yesNo(
      'collective',
      t(
        'São férias coletivas?',
        'Is it a collective vacation?',
        '¿Son vacaciones colectivas?',
        'S’agit-il de vacances collectives?',
      ),
      once,
    ),
  ]);

const form = (key: string, label: Text) => formOf(key, label, [vacation(), more()]);

export const vacationNotice = form(
  'vacation-notice',
  t('Aviso de férias', 'Vacation notice', 'Notificación de vacaciones', 'Avis de vacances'),
);

export const vacationCalculation = form(
  'vacation-calculation',
  t('Cálculo de férias', 'Vacation calculation', 'Cálculo de vacaciones', 'Calcul des vacances'),
);
