import { END_REASONS } from '#features/brazil/labor-rules/esocial-tables.ts';
import type { Text } from '#features/tasks/questionnaires/questionnaires.ts';
import {
  choice,
  choices,
  date,
  files,
  group,
  identifier,
  includes,
  is,
  moneyIn,
  number,
  paragraph,
  section,
  text,
  when,
  whenAny,
  yesNo,
} from '#features/tasks/starter-questionnaires/build.ts';
import {
  baseMonth,
  coded,
  employee,
  formOf,
  more,
  must,
  ofTable,
  once,
  otherSources,
  t,
  tag,
  type Section,
} from './build.ts';
import { keyOf } from './codes.ts';

/* The notice of the end of a contract, and its calculation, which changes nothing. */

const event = (path: string) => tag(`S-2299:infoDeslig.${path}`);
const money = moneyIn('BRL');
const reasonIs = (code: string) => is('reason', keyOf(code));

/** Reasons why an employee is protected from dismissal. */
const PROTECTED = [
  includes('stability', 'pregnancy'),
  includes('stability', 'safety'),
  includes('stability', 'accident'),
  includes('stability', 'union'),
  includes('stability', 'retirement'),
  includes('stability', 'other'),
] as const;

const termination = (): Section =>
  section('request', t('Desligamento', 'End of the contract', 'Desvinculación', 'Fin d’emploi'), [
    employee(),
    ofTable('reason', t('Motivo', 'Reason', 'Motivo', 'Motif'), END_REASONS, {
      ...must,
      ...event('mtvDeslig'),
    }),
    choice('notice', t('Aviso prévio', 'Notice', 'Preaviso', 'Préavis'), {
      ...must,
      ...event('indPagtoAPI'),
      choices: [
        { key: 'worked', code: 'N', label: t('Trabalhado', 'Worked', 'Trabajado', 'Travaillé') },
        {
          key: 'paid',
          code: 'S',
          label: t(
            'Indenizado pela empresa',
            'Paid by the company',
            'Indemnizado por la empresa',
            'Payé par l’entreprise',
          ),
        },
        {
          key: 'not-worked',
          code: 'N',
          label: t(
            'Não cumprido pelo empregado',
            'Not worked by the employee',
            'No cumplido por el empleado',
            'Non travaillé par l’employé',
          ),
        },
        {
          key: 'released',
          code: 'N',
          label: t(
            'Empregado dispensado do cumprimento',
            'Employee released from it',
            'Empleado dispensado',
            'Employé dispensé',
          ),
        },
        {
          key: 'none',
          code: 'N',
          label: t('Não se aplica', 'Does not apply', 'No corresponde', 'Sans objet'),
        },
      ],
    }),
    date('notice-on', t('Data do aviso', 'Date of the notice', 'Fecha del preaviso', 'Date du préavis'), {
      ...must,
      ...event('dtAvPrv'),
      ...whenAny(is('notice', 'worked'), is('notice', 'paid')),
    }),
    choice(
      'reduction',
      t(
        'Redução durante o aviso',
        'Shorter hours during notice',
        'Reducción durante el preaviso',
        'Réduction pendant le préavis',
      ),
      {
        ...must,
        ...when(is('notice', 'worked'), reasonIs('02')),
        choices: [
          {
            key: 'hours',
            label: t('2 horas por dia', '2 hours a day', '2 horas por día', '2 heures par jour'),
          },
          {
            key: 'days',
            label: t('7 dias corridos', '7 days in a row', '7 días corridos', '7 jours consécutifs'),
          },
        ],
      },
    ),
    date(
      'last-day',
      t(
        'Último dia do contrato',
        'Last day of the contract',
        'Último día del contrato',
        'Dernier jour du contrat',
      ),
      {
        ...must,
        ...event('dtDeslig'),
      },
    ),
    yesNo(
      'clause',
      t(
        'O contrato a termo tem cláusula de rescisão antecipada?',
        'Does the fixed term have a clause of early ending?',
        '¿El contrato a plazo tiene cláusula de rescisión anticipada?',
        'Le contrat à durée déterminée a-t-il une clause de résiliation anticipée?',
      ),
      {
        ...once,
        ...whenAny(reasonIs('03'), reasonIs('04')),
      },
    ),
    choices(
      'stability',
      t(
        'Há estabilidade?',
        'Is the employee protected from dismissal?',
        '¿Hay estabilidad?',
        'Y a-t-il une protection contre le congédiement?',
      ),
      {
        ...must,
        choices: [
          { key: 'pregnancy', label: t('Gestante', 'Pregnancy', 'Embarazo', 'Grossesse') },
          {
            key: 'safety',
            label: t(
              'CIPA',
              'Safety committee (CIPA)',
              'Comité de seguridad (CIPA)',
              'Comité de sécurité (CIPA)',
            ),
          },
          {
            key: 'accident',
            label: t(
              'Acidente de trabalho',
              'Accident at work',
              'Accidente de trabajo',
              'Accident du travail',
            ),
          },
          {
            key: 'union',
            label: t('Dirigente sindical', 'Union officer', 'Dirigente sindical', 'Dirigeant syndical'),
          },
          {
            key: 'retirement',
            label: t(
              'Pré-aposentadoria (CCT)',
              'Close to retirement',
              'Cerca de la jubilación',
              'Préretraite',
            ),
          },
          { key: 'other', label: t('Outra', 'Other', 'Otra', 'Autre') },
          { key: 'none', label: t('Nenhuma', 'None', 'Ninguna', 'Aucune'), exclusive: true },
        ],
      },
    ),
    paragraph(
      'stability-reason',
      t(
        'Por que o desligamento é possível, com a estabilidade?',
        'Why is the contract ended despite the protection?',
        '¿Por qué es posible la desvinculación, con la estabilidad?',
        'Pourquoi la fin d’emploi est-elle possible malgré la protection?',
      ),
      {
        ...once,
        max: 2000,
        ...whenAny(...PROTECTED),
      },
    ),
    baseMonth(),
    number(
      'dependants',
      t(
        'Dependentes para o imposto de renda',
        'Dependents for income tax',
        'Dependientes para el impuesto',
        'Personnes à charge pour l’impôt',
      ),
      {
        ...once,
        min: 0,
        max: 20,
      },
    ),
    money(
      'fgts-balance',
      t(
        'Saldo do FGTS, para a estimativa da multa',
        'FGTS balance, to estimate the penalty',
        'Saldo del FGTS, para estimar la multa',
        'Solde du FGTS, pour estimer la pénalité',
      ),
      once,
    ),
    number(
      'absences',
      t(
        'Faltas injustificadas no período aquisitivo atual',
        'Days of unjustified absence in the current acquisitive period',
        'Ausencias injustificadas en el período de adquisición actual',
        'Jours d’absence injustifiée dans la période d’acquisition en cours',
      ),
      { ...once, min: 0, max: 366 },
    ),
    group(
      'open-vacation',
      t(
        'Períodos aquisitivos com férias a gozar',
        'Acquisitive periods with vacation left',
        'Períodos de adquisición con vacaciones pendientes',
        'Périodes d’acquisition avec des vacances à prendre',
      ),
      {
        one: t('Período', 'Period', 'Período', 'Période'),
        addLabel: t('Incluir período', 'Add a period', 'Agregar período', 'Ajouter une période'),
        max: 5,
        lastYear: 'off',
        items: [
          date('start', t('Primeiro dia', 'First day', 'Primer día', 'Premier jour'), must),
          number('left', t('Dias a gozar', 'Days left', 'Días pendientes', 'Jours à prendre'), {
            ...must,
            min: 0,
            max: 30,
          }),
        ],
      },
    ),
    yesNo(
      'other-job',
      t(
        'Tem outro emprego com desconto de INSS?',
        'Has another job with INSS deducted?',
        '¿Tiene otro empleo con descuento de INSS?',
        'A un autre emploi avec retenue d’INSS?',
      ),
      once,
    ),
    otherSources(when(is('other-job'))),
    group(
      'debts',
      t('Débitos do empregado', 'What the employee owes', 'Deudas del empleado', 'Dettes de l’employé'),
      {
        one: t('Débito', 'Debt', 'Deuda', 'Dette'),
        addLabel: t('Incluir débito', 'Add a debt', 'Agregar deuda', 'Ajouter une dette'),
        max: 20,
        lastYear: 'off',
        items: [
          text('description', t('Descrição', 'Description', 'Descripción', 'Description'), {
            ...must,
            max: 200,
          }),
          money('amount', t('Valor', 'Amount', 'Importe', 'Montant'), must),
        ],
      },
    ),
    choice('alimony', t('Pensão alimentícia', 'Alimony', 'Cuota alimentaria', 'Pension alimentaire'), {
      ...must,
      ...event('pensAlim'),
      choices: [
        coded('0', t('Não', 'No', 'No', 'Non')),
        coded('1', t('Percentual', 'A percentage', 'Porcentaje', 'Un pourcentage')),
        coded('2', t('Valor', 'An amount', 'Importe', 'Un montant')),
        coded(
          '3',
          t(
            'Percentual e valor',
            'A percentage and an amount',
            'Porcentaje e importe',
            'Un pourcentage et un montant',
          ),
        ),
      ],
    }),
    number(
      'alimony-percent',
      t(
        'Percentual da pensão',
        'Percentage of the alimony',
        'Porcentaje de la cuota',
        'Pourcentage de la pension',
      ),
      {
        ...must,
        ...event('percAliment'),
        min: 0,
        max: 100,
        decimals: 2,
        ...whenAny(is('alimony', keyOf('1')), is('alimony', keyOf('3'))),
      },
    ),
    money(
      'alimony-amount',
      t('Valor da pensão', 'Amount of the alimony', 'Importe de la cuota', 'Montant de la pension'),
      {
        ...must,
        ...event('vrAlim'),
        ...whenAny(is('alimony', keyOf('2')), is('alimony', keyOf('3'))),
      },
    ),
    yesNo(
      'consigned',
      t(
        'Há empréstimo consignado?',
        'Is there a payroll loan?',
        '¿Hay préstamo con descuento en nómina?',
        'Y a-t-il un prêt retenu sur la paie?',
      ),
      once,
    ),
    text(
      'process',
      t(
        'Número do processo judicial',
        'Number of the court case',
        'Número del proceso judicial',
        'Numéro du dossier judiciaire',
      ),
      {
        ...must,
        ...event('nrProcTrab'),
        max: 30,
        ...when(reasonIs('17')),
      },
    ),
    date('death-on', t('Data do falecimento', 'Date of death', 'Fecha de fallecimiento', 'Date du décès'), {
      ...must,
      ...when(reasonIs('10')),
    }),
    group(
      'heirs',
      t(
        'Herdeiros ou dependentes',
        'Heirs or dependents',
        'Herederos o dependientes',
        'Héritiers ou personnes à charge',
      ),
      {
        one: t('Pessoa', 'Person', 'Persona', 'Personne'),
        addLabel: t('Incluir pessoa', 'Add a person', 'Agregar persona', 'Ajouter une personne'),
        max: 20,
        lastYear: 'off',
        ...when(reasonIs('10')),
        items: [
          text('name', t('Nome', 'Name', 'Nombre', 'Nom'), { ...must, format: 'name', max: 70 }),
          identifier('cpf', t('CPF', 'CPF', 'CPF', 'CPF'), { ...must, scheme: 'cpf', isShown: true }),
          text('relation', t('Parentesco', 'Relation', 'Parentesco', 'Lien'), { ...must, max: 60 }),
        ],
      },
    ),
    paragraph(
      'assets',
      t(
        'Devolução de bens da empresa',
        'Return of company property',
        'Devolución de bienes de la empresa',
        'Restitution des biens de l’entreprise',
      ),
      {
        ...once,
        max: 999,
      },
    ),
  ]);

const form = (key: string, label: Text) =>
  formOf(key, label, [
    termination(),
    more([
      files(
        'letter',
        t(
          'Carta de aviso ou de pedido',
          'Letter of notice or resignation',
          'Carta de preaviso o de renuncia',
          'Lettre de préavis ou de démission',
        ),
        once,
      ),
      files(
        'exam',
        t(
          'ASO demissional',
          'Certificate of the final exam (ASO)',
          'Certificado del examen de egreso (ASO)',
          'Certificat de l’examen de départ (ASO)',
        ),
        once,
      ),
      files(
        'statements',
        t(
          'Extratos (FGTS, consignado)',
          'Statements (FGTS, payroll loan)',
          'Extractos (FGTS, préstamo)',
          'Relevés (FGTS, prêt retenu sur la paie)',
        ),
        { ...once, notYet: false },
      ),
    ]),
  ]);

export const terminationNotice = form(
  'termination-notice',
  t('Aviso de desligamento', 'Termination notice', 'Preaviso de desvinculación', 'Avis de fin d’emploi'),
);

export const terminationCalculation = form(
  'termination-calculation',
  t(
    'Cálculo de rescisão',
    'Termination calculation',
    'Cálculo de la liquidación final',
    'Calcul de fin d’emploi',
  ),
);
