import {
  choice,
  date,
  files,
  group,
  moneyIn,
  paragraph,
  section,
  text,
} from '#features/tasks/starter-questionnaires/build.ts';
import { employee, formOf, hours, more, must, once, t } from './build.ts';

/* Requests of any kind, and what happened in a month of payroll. */

export const generalRequests = formOf(
  'general-requests',
  t('Solicitação geral', 'General request', 'Solicitud general', 'Demande générale'),
  [
    section('request', t('Solicitação', 'Request', 'Solicitud', 'Demande'), [
      text('subject', t('Assunto', 'Subject', 'Asunto', 'Objet'), { ...must, max: 120 }),
      choice('department', t('Departamento', 'Department', 'Departamento', 'Service'), {
        ...must,
        look: 'select',
        choices: [
          { key: 'payroll', label: t('Pessoal', 'Payroll', 'Personal', 'Paie') },
          { key: 'tax', label: t('Fiscal', 'Tax', 'Impuestos', 'Fiscalité') },
          { key: 'accounting', label: t('Contábil', 'Accounting', 'Contabilidad', 'Comptabilité') },
          { key: 'corporate', label: t('Societário', 'Corporate', 'Societario', 'Affaires corporatives') },
          { key: 'finance', label: t('Financeiro', 'Finance', 'Finanzas', 'Finances') },
          { key: 'other', label: t('Outro', 'Other', 'Otro', 'Autre') },
        ],
      }),
      paragraph(
        'text',
        t('O que você precisa?', 'What do you need?', '¿Qué necesita?', 'De quoi avez-vous besoin?'),
        {
          ...must,
          max: 10_000,
        },
      ),
      date('wanted-on', t('Para quando?', 'By when?', '¿Para cuándo?', 'Pour quand?'), once),
      employee(once),
      files('files', t('Anexos', 'Files', 'Archivos', 'Fichiers'), { ...once, notYet: false }),
    ]),
  ],
);

export const payrollEntries = formOf(
  'payroll-entries',
  t('Lançamentos da folha', 'Payroll entries', 'Novedades de sueldos', 'Écritures de paie'),
  [
    section('request', t('Lançamentos', 'Entries', 'Novedades', 'Écritures'), [
      date('month', t('Competência', 'Month', 'Mes', 'Mois'), { ...must, part: 'month' }),
      group('entries', t('Lançamentos', 'Entries', 'Novedades', 'Écritures'), {
        one: t('Lançamento', 'Entry', 'Novedad', 'Écriture'),
        addLabel: t('Incluir lançamento', 'Add an entry', 'Agregar novedad', 'Ajouter une écriture'),
        max: 100,
        lastYear: 'off',
        items: [
          employee(),
          text('what', t('O que lançar', 'What to enter', 'Qué registrar', 'Quoi inscrire'), {
            ...must,
            max: 120,
            hint: t(
              'Por exemplo: horas extras 50%, faltas, comissão.',
              'For example: overtime 50%, absences, commission.',
              'Por ejemplo: horas extras 50%, ausencias, comisión.',
              'Par exemple : heures supplémentaires 50 %, absences, commission.',
            ),
          }),
          hours('hours', t('Horas', 'Hours', 'Horas', 'Heures'), once),
          moneyIn('BRL')('amount', t('Valor', 'Amount', 'Importe', 'Montant'), once),
        ],
      }),
    ]),
    more(),
  ],
);
