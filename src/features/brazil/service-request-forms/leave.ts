import { LEAVE_REASONS } from '#features/brazil/labor-rules/esocial-tables.ts';
import {
  atLeast,
  choice,
  date,
  files,
  identifier,
  is,
  number,
  paragraph,
  section,
  text,
  when,
  whenAny,
  yesNo,
} from '#features/tasks/starter-questionnaires/build.ts';
import { clock, coded, employee, formOf, more, must, ofTable, once, t, tag, type Item } from './build.ts';
import { keyOf } from './codes.ts';

/* A leave of an employee. The diagnosis is never asked for. */

const event = (path: string) => tag(`S-2230:infoAfastamento.${path}`);
const reasonIs = (code: string) => is('reason', keyOf(code));

/** A vacation has a request of its own. */
const REASONS = Object.fromEntries(Object.entries(LEAVE_REASONS).filter(([code]) => code !== '15'));

/** What a question about a leave that begins is shown for. */
const begins = when(is('what', 'leave'));

const leave: Item[] = [
  employee(),
  choice('what', t('O que você informa?', 'What do you report?', '¿Qué informa?', 'Que déclarez-vous?'), {
    ...must,
    choices: [
      {
        key: 'leave',
        label: t('Um afastamento', 'A leave', 'Una licencia', 'Une absence'),
      },
      {
        key: 'return',
        label: t(
          'O retorno de um afastamento',
          'The return from a leave',
          'El regreso de una licencia',
          'Le retour d’une absence',
        ),
      },
    ],
  }),
  date(
    'returned-on',
    t(
      'Primeiro dia de volta ao trabalho',
      'First day back at work',
      'Primer día de vuelta al trabajo',
      'Premier jour de retour au travail',
    ),
    { ...must, ...when(is('what', 'return')) },
  ),
  ofTable('reason', t('Motivo', 'Reason', 'Motivo', 'Motif'), REASONS, {
    ...must,
    ...begins,
    ...event('iniAfastamento.codMotAfast'),
  }),
  date('start', t('Primeiro dia', 'First day', 'Primer día', 'Premier jour'), {
    ...must,
    ...begins,
    ...event('iniAfastamento.dtIniAfast'),
  }),
  choice('until', t('Até quando?', 'Until when?', '¿Hasta cuándo?', 'Jusqu’à quand?'), {
    ...must,
    ...begins,
    choices: [
      { key: 'date', label: t('Até uma data', 'Until a date', 'Hasta una fecha', 'Jusqu’à une date') },
      {
        key: 'days',
        label: t('Por alguns dias', 'For some days', 'Por unos días', 'Pendant quelques jours'),
      },
      { key: 'open', label: t('Sem previsão', 'Not known yet', 'Sin previsión', 'Inconnu pour l’instant') },
    ],
  }),
  date('end', t('Último dia', 'Last day', 'Último día', 'Dernier jour'), {
    ...must,
    ...event('fimAfastamento.dtTermAfast'),
    ...when(is('until', 'date')),
  }),
  number('days', t('Dias', 'Days', 'Días', 'Jours'), {
    ...must,
    min: 1,
    max: 3650,
    ...when(is('until', 'days')),
  }),
  yesNo(
    'same-reason',
    t(
      'É o mesmo motivo de um afastamento nos últimos 60 dias?',
      'Is it the same reason as a leave in the last 60 days?',
      '¿Es el mismo motivo de una licencia de los últimos 60 días?',
      'Est-ce le même motif qu’une absence des 60 derniers jours?',
    ),
    {
      ...must,
      ...event('iniAfastamento.infoMesmoMtv'),
      ...whenAny(reasonIs('01'), reasonIs('03')),
    },
  ),
  choice(
    'traffic',
    t(
      'Foi acidente de trânsito?',
      'Was it a traffic accident?',
      '¿Fue un accidente de tránsito?',
      'Était-ce un accident de la route?',
    ),
    {
      ...must,
      ...event('iniAfastamento.tpAcidTransito'),
      ...whenAny(reasonIs('01'), reasonIs('03')),
      choices: [
        { key: 'no', label: t('Não', 'No', 'No', 'Non') },
        coded('1', t('Atropelamento', 'Pedestrian hit', 'Atropello', 'Piéton heurté')),
        coded('2', t('Colisão', 'Collision', 'Colisión', 'Collision')),
        coded('3', t('Outros', 'Other', 'Otros', 'Autres')),
      ],
    },
  ),
  date(
    'accident-on',
    t(
      'Data do acidente de trabalho',
      'Date of the accident at work',
      'Fecha del accidente de trabajo',
      'Date de l’accident du travail',
    ),
    {
      ...must,
      ...when(reasonIs('01')),
    },
  ),
  clock(
    'accident-at',
    t('Hora do acidente', 'Time of the accident', 'Hora del accidente', 'Heure de l’accident'),
    {
      ...once,
      ...when(reasonIs('01')),
    },
  ),
  text(
    'accident-place',
    t('Local do acidente', 'Place of the accident', 'Lugar del accidente', 'Lieu de l’accident'),
    {
      ...must,
      max: 200,
      ...when(reasonIs('01')),
    },
  ),
  yesNo(
    'reported',
    t(
      'A CAT já foi emitida?',
      'Has the CAT been issued?',
      '¿Ya se emitió la CAT?',
      'La CAT a-t-elle été émise?',
    ),
    {
      ...must,
      ...when(reasonIs('01')),
    },
  ),
  text('report-number', t('Número da CAT', 'Number of the CAT', 'Número de la CAT', 'Numéro de la CAT'), {
    ...once,
    max: 40,
    ...when(is('reported')),
  }),
  yesNo(
    'benefit',
    t(
      'Já há benefício do INSS?',
      'Is there a benefit of the INSS already?',
      '¿Ya hay beneficio del INSS?',
      'Y a-t-il déjà une prestation de l’INSS?',
    ),
    {
      ...once,
      ...whenAny(reasonIs('01'), reasonIs('03')),
    },
  ),
  text(
    'benefit-number',
    t('Número do benefício', 'Number of the benefit', 'Número del beneficio', 'Numéro de la prestation'),
    {
      ...once,
      max: 20,
      ...when(is('benefit')),
    },
  ),
  identifier('union', t('Sindicato (CNPJ)', 'Union (CNPJ)', 'Sindicato (CNPJ)', 'Syndicat (CNPJ)'), {
    ...must,
    ...event('iniAfastamento.infoMandSind.cnpjSind'),
    scheme: 'cnpj',
    isShown: true,
    ...when(reasonIs('24')),
  }),
  choice(
    'union-pays',
    t('Quem paga o empregado?', 'Who pays the employee?', '¿Quién paga al empleado?', 'Qui paie l’employé?'),
    {
      ...must,
      ...event('iniAfastamento.infoMandSind.infOnusRemun'),
      ...when(reasonIs('24')),
      choices: [
        coded('1', t('A empresa', 'The company', 'La empresa', 'L’entreprise')),
        coded('2', t('O sindicato', 'The union', 'El sindicato', 'Le syndicat')),
        coded('3', t('Os dois', 'Both', 'Ambos', 'Les deux')),
      ],
    },
  ),
  paragraph(
    'text',
    t(
      'Observação exigida pelo eSocial',
      'Remark that eSocial requires',
      'Observación exigida por eSocial',
      'Remarque exigée par eSocial',
    ),
    {
      ...must,
      ...event('iniAfastamento.observacao'),
      max: 255,
      ...when(reasonIs('21')),
    },
  ),
  date(
    'birth-on',
    t('Data do parto', 'Date of birth of the child', 'Fecha del parto', 'Date de l’accouchement'),
    {
      ...once,
      ...whenAny(reasonIs('16'), reasonIs('17'), reasonIs('35')),
    },
  ),
  date(
    'discharged-on',
    t(
      'Alta do hospital, se a internação passou de duas semanas',
      'Discharge from hospital, after a stay of more than two weeks',
      'Alta del hospital, si la internación pasó de dos semanas',
      'Sortie de l’hôpital, après un séjour de plus de deux semaines',
    ),
    {
      ...once,
      ...whenAny(reasonIs('17'), reasonIs('35')),
    },
  ),
];

export const employeeLeave = formOf(
  'employee-leave',
  t('Afastamento', 'Employee leave', 'Licencia de empleado', 'Absence d’un employé'),
  [
    section('request', t('Afastamento', 'Leave', 'Licencia', 'Absence'), leave, {
      lead: t(
        'Não informe o diagnóstico (CID): ele não é necessário.',
        'Do not give the diagnosis (CID): it is not needed.',
        'No informe el diagnóstico (CID): no es necesario.',
        'N’indiquez pas le diagnostic (CID) : il n’est pas nécessaire.',
      ),
    }),
    more([
      files('certificate', t('Atestado', 'Certificate', 'Certificado', 'Certificat'), {
        ...once,
        hint: t(
          'Envie o atestado só se o prazo e o motivo não bastarem; o CID não é necessário.',
          'Send the certificate only if the dates and the reason are not enough; the CID is not needed.',
          'Envíe el certificado solo si las fechas y el motivo no alcanzan; el CID no es necesario.',
          'N’envoyez le certificat que si les dates et le motif ne suffisent pas; le CID n’est pas nécessaire.',
        ),
      }),
      files(
        'return-exam',
        t(
          'ASO de retorno',
          'Certificate of the exam on return (ASO)',
          'Certificado del examen de reintegro (ASO)',
          'Certificat de l’examen de retour (ASO)',
        ),
        {
          ...once,
          hint: t(
            'Depois de 30 dias ou mais de afastamento, o exame é feito antes de voltar ao trabalho.',
            'After a leave of 30 days or more, the exam comes before the return to work.',
            'Después de 30 días o más de licencia, el examen se hace antes de volver al trabajo.',
            'Après une absence de 30 jours ou plus, l’examen précède le retour au travail.',
          ),
          ...whenAny(
            atLeast('request.days', 30),
            is('request.until', 'date'),
            is('request.until', 'open'),
            is('request.what', 'return'),
          ),
        },
      ),
    ]),
  ],
);
