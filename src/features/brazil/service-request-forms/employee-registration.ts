import {
  choice,
  date,
  files,
  group,
  identifier,
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
  clock,
  coded,
  formOf,
  hours,
  lookup,
  more,
  must,
  occupation,
  once,
  otherSources,
  pis,
  t,
  tag,
  type Item,
} from './build.ts';
import { keyOf } from './codes.ts';
import { about, contactSection, dependentsSection, identity, quota } from './person.ts';

/* The registration of an employee: what S-2190 needs first, then S-2200. */

const EVENT = 'S-2200';
const job = (path: string) => tag(`${EVENT}:${path}`);
const money = moneyIn('BRL');

const start: Item[] = [
  ...identity(EVENT),
  date(
    'start',
    t('Primeiro dia de trabalho', 'First day of work', 'Primer día de trabajo', 'Premier jour de travail'),
    {
      ...must,
      ...job('infoCeletista.dtAdm'),
    },
  ),
  choice('category', t('Tipo de contrato', 'Kind of contract', 'Tipo de contrato', 'Type de contrat'), {
    ...must,
    ...job('infoContrato.codCateg'),
    choices: [
      coded('101', t('CLT', 'Employee (CLT)', 'Empleado (CLT)', 'Employé (CLT)')),
      coded('103', t('Aprendiz', 'Apprentice', 'Aprendiz', 'Apprenti')),
      coded(
        '105',
        t(
          'Prazo determinado (Lei 9.601)',
          'Fixed term (Lei 9.601)',
          'Plazo fijo (Lei 9.601)',
          'Durée déterminée (Lei 9.601)',
        ),
      ),
      coded('106', t('Temporário', 'Temporary worker', 'Temporario', 'Travailleur temporaire')),
      coded('111', t('Intermitente', 'Intermittent', 'Intermitente', 'Intermittent')),
    ],
  }),
  choice('nature', t('Trabalho', 'Work', 'Trabajo', 'Travail'), {
    ...must,
    ...job('infoCeletista.natAtividade'),
    choices: [
      coded('1', t('Urbano', 'Urban', 'Urbano', 'Urbain')),
      coded('2', t('Rural', 'Rural', 'Rural', 'Rural')),
    ],
  }),
  text('position', t('Cargo', 'Job title', 'Puesto', 'Poste'), {
    ...must,
    ...job('infoContrato.nmCargo'),
    max: 100,
  }),
  occupation({ ...must, ...job('infoContrato.CBOCargo') }),
  money(
    'salary',
    t('Salário contratual', 'Contractual salary', 'Salario contractual', 'Salaire contractuel'),
    {
      ...must,
      ...job('remuneracao.vrSalFx'),
    },
  ),
  choice('unit', t('Salário por', 'Salary per', 'Salario por', 'Salaire par'), {
    ...must,
    ...job('remuneracao.undSalFixo'),
    look: 'select',
    choices: [
      coded('1', t('Hora', 'Hour', 'Hora', 'Heure')),
      coded('2', t('Dia', 'Day', 'Día', 'Jour')),
      coded('3', t('Semana', 'Week', 'Semana', 'Semaine')),
      coded('4', t('Quinzena', 'Half-month', 'Quincena', 'Quinzaine')),
      coded('5', t('Mês', 'Month', 'Mes', 'Mois')),
      coded('6', t('Tarefa', 'Task', 'Tarea', 'Tâche')),
      coded(
        '7',
        t('Só parte variável', 'Variable part only', 'Solo parte variable', 'Partie variable seulement'),
      ),
    ],
  }),
  paragraph(
    'variable',
    t(
      'Como é a parte variável?',
      'How is the variable part made up?',
      '¿Cómo es la parte variable?',
      'Comment est composée la partie variable?',
    ),
    {
      ...must,
      ...job('remuneracao.dscSalVar'),
      max: 999,
      ...whenAny(is('unit', keyOf('6')), is('unit', keyOf('7'))),
    },
  ),
  choice('term', t('Prazo', 'Term', 'Plazo', 'Durée'), {
    ...must,
    ...job('duracao.tpContr'),
    choices: [
      coded('1', t('Indeterminado', 'Indefinite', 'Indeterminado', 'Indéterminée')),
      coded(
        '2',
        t(
          'Determinado em dias',
          'Fixed, to a date',
          'Determinado, hasta una fecha',
          'Déterminée, jusqu’à une date',
        ),
      ),
      coded('3', t('Até um fato', 'Until an event', 'Hasta un hecho', 'Jusqu’à un événement')),
    ],
  }),
  date(
    'term-end',
    t(
      'Último dia do contrato',
      'Last day of the contract',
      'Último día del contrato',
      'Dernier jour du contrat',
    ),
    {
      ...must,
      ...job('duracao.dtTerm'),
      ...when(is('term', keyOf('2'))),
    },
  ),
  text(
    'term-fact',
    t(
      'Fato que encerra o contrato',
      'Event that ends the contract',
      'Hecho que termina el contrato',
      'Événement qui met fin au contrat',
    ),
    {
      ...must,
      ...job('duracao.objDet'),
      max: 255,
      ...when(is('term', keyOf('3'))),
    },
  ),
  yesNo(
    'term-clause',
    t(
      'Há cláusula de rescisão antecipada?',
      'Is there a clause of early ending?',
      '¿Hay cláusula de rescisión anticipada?',
      'Y a-t-il une clause de résiliation anticipée?',
    ),
    {
      ...must,
      ...job('duracao.clauAssec'),
      ...whenAny(is('term', keyOf('2')), is('term', keyOf('3'))),
    },
  ),
  lookup('place', t('Estabelecimento', 'Establishment', 'Establecimiento', 'Établissement'), {
    ...must,
    ...job('localTrabalho.localTrabGeral.nrInsc'),
    list: 'client-establishments',
  }),
];

const WEEKDAYS = [
  { key: 'day1', label: t('Segunda-feira', 'Monday', 'Lunes', 'Lundi') },
  { key: 'day2', label: t('Terça-feira', 'Tuesday', 'Martes', 'Mardi') },
  { key: 'day3', label: t('Quarta-feira', 'Wednesday', 'Miércoles', 'Mercredi') },
  { key: 'day4', label: t('Quinta-feira', 'Thursday', 'Jueves', 'Jeudi') },
  { key: 'day5', label: t('Sexta-feira', 'Friday', 'Viernes', 'Vendredi') },
  { key: 'day6', label: t('Sábado', 'Saturday', 'Sábado', 'Samedi') },
  { key: 'day7', label: t('Domingo', 'Sunday', 'Domingo', 'Dimanche') },
];

const working: Item[] = [
  yesNo(
    'trial',
    t('Contrato de experiência?', 'Trial period?', '¿Período de prueba?', 'Période d’essai?'),
    must,
  ),
  number('trial-days', t('Dias de experiência', 'Days of the trial', 'Días de prueba', 'Jours d’essai'), {
    ...must,
    min: 1,
    max: 365,
    ...when(is('trial')),
  }),
  number(
    'trial-extension',
    t('Dias de prorrogação', 'Days of its extension', 'Días de prórroga', 'Jours de prolongation'),
    {
      ...once,
      min: 0,
      max: 365,
      ...when(is('trial')),
    },
  ),
  hours('week', t('Horas semanais', 'Hours per week', 'Horas semanales', 'Heures par semaine'), {
    ...must,
    ...job('horContratual.qtdHrsSem'),
    max: 80 * 60,
  }),
  choice('shift', t('Jornada', 'Shifts', 'Jornada', 'Horaire'), {
    ...must,
    ...job('horContratual.tpJornada'),
    look: 'select',
    choices: [
      coded('2', t('12 × 36', '12 × 36', '12 × 36', '12 × 36')),
      coded('3', t('Folga variável', 'Variable day off', 'Franco variable', 'Congé variable')),
      coded('4', t('Folga no domingo', 'Sundays off', 'Franco el domingo', 'Congé le dimanche')),
      coded('5', t('Folga em outro dia', 'Another day off', 'Franco otro día', 'Congé un autre jour')),
      coded(
        '6',
        t(
          'Outro dia e um domingo periódico',
          'Another day and some Sundays',
          'Otro día y un domingo periódico',
          'Un autre jour et certains dimanches',
        ),
      ),
      coded(
        '7',
        t('Turno ininterrupto de revezamento', 'Rotating shifts', 'Turno rotativo', 'Quarts rotatifs'),
      ),
      coded('9', t('Outras', 'Other', 'Otras', 'Autres')),
    ],
  }),
  choice('part-time', t('Tempo parcial?', 'Part-time?', '¿Tiempo parcial?', 'Temps partiel?'), {
    ...must,
    ...job('horContratual.tmpParc'),
    look: 'select',
    choices: [
      coded('0', t('Não', 'No', 'No', 'Non')),
      coded('1', t('Até 25 horas', 'Up to 25 hours', 'Hasta 25 horas', 'Jusqu’à 25 heures')),
      coded('2', t('Até 30 horas', 'Up to 30 hours', 'Hasta 30 horas', 'Jusqu’à 30 heures')),
      coded('3', t('Até 26 horas', 'Up to 26 hours', 'Hasta 26 horas', 'Jusqu’à 26 heures')),
    ],
  }),
  group(
    'schedule',
    t('Horário de cada dia', 'Schedule of each day', 'Horario de cada día', 'Horaire de chaque jour'),
    {
      one: t('Dia', 'Day', 'Día', 'Jour'),
      addLabel: t('Incluir dia', 'Add a day', 'Agregar día', 'Ajouter un jour'),
      max: 7,
      lastYear: 'off',
      title: 'day',
      items: [
        choice('day', t('Dia', 'Day', 'Día', 'Jour'), { ...must, look: 'select', choices: WEEKDAYS }),
        clock('from', t('Entrada', 'Start', 'Entrada', 'Début'), must),
        clock(
          'pause-from',
          t('Saída para o intervalo', 'Break begins', 'Salida al descanso', 'Début de la pause'),
          once,
        ),
        clock(
          'pause-to',
          t('Volta do intervalo', 'Break ends', 'Regreso del descanso', 'Fin de la pause'),
          once,
        ),
        clock('to', t('Saída', 'End', 'Salida', 'Fin'), must),
      ],
    },
  ),
  yesNo(
    'night',
    t(
      'Trabalha entre 22h e 5h?',
      'Works between 10 p.m. and 5 a.m.?',
      '¿Trabaja entre las 22 y las 5?',
      'Travaille entre 22 h et 5 h?',
    ),
    {
      ...must,
      ...job('horContratual.horNoturno'),
    },
  ),
  choice(
    'regime',
    t('Controle da jornada', 'Control of hours', 'Control de la jornada', 'Contrôle des heures'),
    {
      ...must,
      ...job('infoCeletista.tpRegJor'),
      choices: [
        coded('1', t('Horário', 'Schedule', 'Horario', 'Horaire')),
        coded('2', t('Atividade externa', 'Work outside', 'Actividad externa', 'Travail à l’extérieur')),
        coded('3', t('Cargo de confiança', 'Position of trust', 'Cargo de confianza', 'Poste de confiance')),
        coded('4', t('Teletrabalho', 'Remote work', 'Teletrabajo', 'Télétravail')),
      ],
    },
  ),
];

const paying: Item[] = [
  yesNo(
    'transport',
    t(
      'Quer vale-transporte?',
      'Wants the transport voucher?',
      '¿Quiere el vale de transporte?',
      'Souhaite le titre de transport?',
    ),
    {
      ...must,
      hint: t(
        'A recusa é assinada pelo empregado.',
        'The employee signs a refusal.',
        'El empleado firma el rechazo.',
        'L’employé signe un refus.',
      ),
    },
  ),
  group('lines', t('Linhas', 'Lines', 'Líneas', 'Lignes'), {
    one: t('Linha', 'Line', 'Línea', 'Ligne'),
    addLabel: t('Incluir linha', 'Add a line', 'Agregar línea', 'Ajouter une ligne'),
    max: 6,
    lastYear: 'off',
    ...when(is('transport')),
    items: [
      text('line', t('Linha', 'Line', 'Línea', 'Ligne'), { ...must, max: 100 }),
      money('fare', t('Tarifa', 'Fare', 'Tarifa', 'Tarif'), must),
      number('trips', t('Viagens por dia', 'Trips per day', 'Viajes por día', 'Trajets par jour'), {
        ...must,
        min: 1,
        max: 10,
      }),
    ],
  }),
  choice('pay-by', t('Receber por', 'Paid by', 'Cobrar por', 'Payé par'), {
    ...once,
    choices: [
      { key: 'pix', label: t('Pix', 'Pix', 'Pix', 'Pix') },
      { key: 'bank', label: t('Conta bancária', 'Bank account', 'Cuenta bancaria', 'Compte bancaire') },
      { key: 'other', label: t('Outro', 'Other', 'Otro', 'Autre') },
    ],
  }),
  identifier('pix', t('Chave Pix', 'Pix key', 'Clave Pix', 'Clé Pix'), {
    ...must,
    scheme: 'pix',
    isShown: true,
    ...when(is('pay-by', 'pix')),
  }),
  text('bank', t('Banco', 'Bank', 'Banco', 'Banque'), {
    ...must,
    max: 120,
    ...when(is('pay-by', 'bank')),
  }),
  text('branch', t('Agência', 'Branch', 'Agencia', 'Succursale'), {
    ...must,
    max: 20,
    ...when(is('pay-by', 'bank')),
  }),
  identifier(
    'account',
    t('Conta, com dígito', 'Account, with its check digit', 'Cuenta, con dígito', 'Compte, avec la clé'),
    {
      ...must,
      scheme: 'account',
      isShown: true,
      ...when(is('pay-by', 'bank')),
    },
  ),
  pis(),
  text('ctps', t('CTPS', 'Work card (CTPS)', 'CTPS', 'Carte de travail (CTPS)'), { ...once, max: 30 }),
  identifier('union', t('Sindicato (CNPJ)', 'Union (CNPJ)', 'Sindicato (CNPJ)', 'Syndicat (CNPJ)'), {
    ...once,
    ...job('infoCeletista.cnpjSindCategProf'),
    scheme: 'cnpj',
    isShown: true,
  }),
  baseMonth(job('infoCeletista.dtBase')),
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
];

const apprenticeship = section(
  'apprentice',
  t('Aprendizagem', 'Apprenticeship', 'Aprendizaje', 'Apprentissage'),
  [
    identifier(
      'entity',
      t(
        'Entidade qualificadora (CNPJ)',
        'Training entity (CNPJ)',
        'Entidad formadora (CNPJ)',
        'Entité de formation (CNPJ)',
      ),
      {
        ...must,
        ...job('aprend.cnpjEntQual'),
        scheme: 'cnpj',
        isShown: true,
      },
    ),
    choice('hiring', t('Contratação', 'Hiring', 'Contratación', 'Embauche'), {
      ...must,
      ...job('aprend.indAprend'),
      choices: [
        coded(
          '1',
          t(
            'Direta, pela empresa',
            'Direct, by the company',
            'Directa, por la empresa',
            'Directe, par l’entreprise',
          ),
        ),
        coded(
          '2',
          t(
            'Indireta, pela entidade',
            'Indirect, by the entity',
            'Indirecta, por la entidad',
            'Indirecte, par l’entité',
          ),
        ),
      ],
    }),
    identifier(
      'practice',
      t(
        'Onde é a prática (CNPJ), se em outra empresa',
        'Where the practice takes place (CNPJ), if at another company',
        'Dónde es la práctica (CNPJ), si es en otra empresa',
        'Lieu de la pratique (CNPJ), si c’est une autre entreprise',
      ),
      {
        ...once,
        ...job('aprend.cnpjPrat'),
        scheme: 'cnpj',
        isShown: true,
      },
    ),
    date(
      'until',
      t(
        'Último dia da aprendizagem',
        'Last day of the apprenticeship',
        'Último día del aprendizaje',
        'Dernier jour de l’apprentissage',
      ),
      must,
    ),
    yesNo(
      'school',
      t(
        'Já concluiu o ensino fundamental?',
        'Has finished elementary school?',
        '¿Ya terminó la primaria?',
        'A terminé le primaire?',
      ),
      must,
    ),
  ],
  when(is('request.category', keyOf('103'))),
);

const temporary = section(
  'temporary',
  t('Trabalho temporário', 'Temporary work', 'Trabajo temporario', 'Travail temporaire'),
  [
    choice('reason', t('Hipótese', 'Reason', 'Hipótesis', 'Motif'), {
      ...must,
      ...job('trabTemporario.hipLeg'),
      choices: [
        coded(
          '1',
          t(
            'Substituição de pessoal',
            'Replacement of staff',
            'Reemplazo de personal',
            'Remplacement de personnel',
          ),
        ),
        coded(
          '2',
          t(
            'Demanda complementar de serviços',
            'Additional demand',
            'Demanda complementaria',
            'Demande supplémentaire',
          ),
        ),
      ],
    }),
    paragraph('why', t('Justificativa', 'Justification', 'Justificación', 'Justification'), {
      ...must,
      ...job('trabTemporario.justContr'),
      max: 999,
    }),
    identifier(
      'contractor',
      t(
        'Tomador do serviço (CNPJ)',
        'Company that takes the worker (CNPJ)',
        'Empresa usuaria (CNPJ)',
        'Entreprise utilisatrice (CNPJ)',
      ),
      {
        ...must,
        ...job('trabTemporario.ideEstabVinc.nrInsc'),
        scheme: 'cnpj',
        isShown: true,
      },
    ),
    identifier(
      'replaced',
      t(
        'CPF de quem é substituído',
        'CPF of the person replaced',
        'CPF de la persona reemplazada',
        'CPF de la personne remplacée',
      ),
      {
        ...must,
        ...job('trabTemporario.cpfTrabSubst'),
        scheme: 'cpf',
        isShown: true,
        ...when(is('reason', keyOf('1'))),
      },
    ),
  ],
  when(is('request.category', keyOf('106'))),
);

const papers: Item[] = [
  date(
    'exam-on',
    t(
      'Data do exame admissional',
      'Date of the admission exam',
      'Fecha del examen de ingreso',
      'Date de l’examen d’embauche',
    ),
    {
      ...once,
      hint: t(
        'Antes do primeiro dia de trabalho. Deixe em branco se ainda não foi marcado.',
        'Before the first day of work. Leave it empty if there is no date yet.',
        'Antes del primer día de trabajo. Déjelo vacío si aún no tiene fecha.',
        'Avant le premier jour de travail. Laissez vide si aucune date n’est fixée.',
      ),
    },
  ),
  files(
    'id',
    t(
      'Documento de identidade (RG ou CNH)',
      'Identity document (RG or CNH)',
      'Documento de identidad (RG o CNH)',
      'Pièce d’identité (RG ou CNH)',
    ),
    once,
  ),
  files(
    'exam',
    t(
      'ASO admissional',
      'Certificate of the admission exam (ASO)',
      'Certificado del examen de ingreso (ASO)',
      'Certificat de l’examen d’embauche (ASO)',
    ),
    once,
  ),
  files(
    'proof',
    t('Comprovante de endereço', 'Proof of address', 'Comprobante de domicilio', 'Preuve d’adresse'),
    once,
  ),
  files('photo', t('Foto', 'Photo', 'Foto', 'Photo'), { ...once, max: 5 }),
  files(
    'certificates',
    t(
      'Certidões (casamento, nascimento dos filhos)',
      'Certificates (marriage, birth of children)',
      'Partidas (matrimonio, nacimiento de los hijos)',
      'Certificats (mariage, naissance des enfants)',
    ),
    once,
  ),
  files(
    'voucher',
    t(
      'Termo do vale-transporte, assinado',
      'Signed declaration on the transport voucher',
      'Declaración firmada del vale de transporte',
      'Déclaration signée sur le titre de transport',
    ),
    once,
  ),
];

export const employeeRegistration = formOf(
  'employee-registration',
  t('Admissão de empregado', 'Register an employee', 'Alta de empleado', 'Inscrire un employé'),
  [
    section('request', t('Para começar', 'To begin', 'Para empezar', 'Pour commencer'), start, {
      lead: t(
        'O mínimo que o eSocial precisa antes do primeiro dia de trabalho (S-2190).',
        'What eSocial needs before the first day of work (S-2190).',
        'Lo mínimo que eSocial necesita antes del primer día de trabajo (S-2190).',
        'Ce qu’eSocial exige avant le premier jour de travail (S-2190).',
      ),
    }),
    apprenticeship,
    temporary,
    section(
      'hours',
      t('Experiência e jornada', 'Trial and hours', 'Prueba y jornada', 'Essai et heures'),
      working,
    ),
    section(
      'person',
      t('Dados pessoais', 'About the person', 'Datos personales', 'Renseignements personnels'),
      [...about(EVENT), quota(EVENT)],
    ),
    contactSection(EVENT),
    dependentsSection(EVENT),
    section(
      'pay',
      t(
        'Vale-transporte e pagamento',
        'Transport voucher and payment',
        'Transporte y pago',
        'Transport et paiement',
      ),
      paying,
    ),
    more(papers),
  ],
);
