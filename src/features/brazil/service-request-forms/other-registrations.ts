import {
  choice,
  date,
  files,
  identifier,
  is,
  moneyIn,
  number,
  section,
  text,
  when,
  yesNo,
} from '#features/tasks/starter-questionnaires/build.ts';
import {
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
import { about, contactSection, dependentsSection, identity } from './person.ts';

/* The registration of interns and of partners (S-2300). */

const EVENT = 'S-2300';
const job = (path: string) => tag(`${EVENT}:${path}`);
const money = moneyIn('BRL');

const start: Item = date('start', t('Início', 'First day', 'Inicio', 'Premier jour'), {
  ...must,
  ...job('infoTSVInicio.dtInicio'),
});

const internship: Item[] = [
  lookup('place', t('Estabelecimento', 'Establishment', 'Establecimiento', 'Établissement'), {
    ...must,
    list: 'client-establishments',
  }),
  text(
    'school',
    t('Instituição de ensino', 'School', 'Institución educativa', 'Établissement d’enseignement'),
    {
      ...must,
      max: 100,
    },
  ),
  identifier(
    'school-cnpj',
    t('CNPJ da instituição', 'CNPJ of the school', 'CNPJ de la institución', 'CNPJ de l’établissement'),
    {
      ...must,
      ...job('infoEstagiario.instEnsino.cnpjInstEnsino'),
      scheme: 'cnpj',
      isShown: true,
    },
  ),
  text('course', t('Curso e período', 'Course and year', 'Carrera y período', 'Programme et année'), {
    ...once,
    max: 100,
  }),
  choice('level', t('Nível', 'Level', 'Nivel', 'Niveau'), {
    ...must,
    ...job('infoEstagiario.nivEstagio'),
    choices: [
      coded('1', t('Fundamental', 'Elementary school', 'Primario', 'Primaire')),
      coded('2', t('Médio', 'High school', 'Secundario', 'Secondaire')),
      coded(
        '3',
        t(
          'Formação profissional',
          'Professional training',
          'Formación profesional',
          'Formation professionnelle',
        ),
      ),
      coded('4', t('Superior', 'Higher education', 'Superior', 'Supérieur')),
      coded('8', t('Especial', 'Special education', 'Especial', 'Adaptation scolaire')),
      coded(
        '9',
        t(
          'Mãe social (Lei 7.644)',
          'Foster mother (Lei 7.644)',
          'Madre social (Lei 7.644)',
          'Mère sociale (Lei 7.644)',
        ),
      ),
    ],
  }),
  choice(
    'mandatory',
    t(
      'O estágio é obrigatório no curso?',
      'Is the internship mandatory for the course?',
      '¿La pasantía es obligatoria en la carrera?',
      'Le stage est-il obligatoire dans le programme?',
    ),
    {
      ...must,
      ...job('infoEstagiario.natEstagio'),
      choices: [
        { key: 'yes', code: 'O', label: t('Sim', 'Yes', 'Sí', 'Oui') },
        { key: 'no', code: 'N', label: t('Não', 'No', 'No', 'Non') },
      ],
    },
  ),
  text('area', t('Área de atuação', 'Area of work', 'Área de trabajo', 'Domaine de travail'), {
    ...once,
    ...job('infoEstagiario.areaAtuacao'),
    max: 100,
  }),
  hours('day-hours', t('Horas por dia', 'Hours per day', 'Horas por día', 'Heures par jour'), {
    ...must,
    min: 1,
    max: 16 * 60,
  }),
  hours('week-hours', t('Horas por semana', 'Hours per week', 'Horas por semana', 'Heures par semaine'), {
    ...must,
    min: 1,
    max: 80 * 60,
  }),
  date(
    'term-end',
    t(
      'Último dia do estágio',
      'Last day of the internship',
      'Último día de la pasantía',
      'Dernier jour du stage',
    ),
    {
      ...must,
      ...job('infoEstagiario.dtPrevTerm'),
    },
  ),
  money('grant', t('Bolsa por mês', 'Grant per month', 'Asignación por mes', 'Allocation par mois'), {
    ...must,
    ...job('remuneracao.vrSalFx'),
  }),
  money(
    'transport',
    t(
      'Auxílio-transporte por mês',
      'Transport allowance per month',
      'Ayuda de transporte por mes',
      'Aide au transport par mois',
    ),
    must,
  ),
  text(
    'policy',
    t(
      'Seguro de acidentes: número da apólice',
      'Accident insurance: number of the policy',
      'Seguro de accidentes: número de póliza',
      'Assurance accidents : numéro de police',
    ),
    {
      ...once,
      ...job('infoEstagiario.nrApol'),
      max: 30,
    },
  ),
  text('insurer', t('Seguradora', 'Insurer', 'Aseguradora', 'Assureur'), { ...once, max: 100 }),
  identifier(
    'agent',
    t(
      'Agente de integração (CNPJ)',
      'Integration agent (CNPJ)',
      'Agente de integración (CNPJ)',
      'Agent d’intégration (CNPJ)',
    ),
    {
      ...once,
      ...job('infoEstagiario.ageIntegracao.cnpjAgntInteg'),
      scheme: 'cnpj',
      isShown: true,
    },
  ),
  text('supervisor', t('Supervisor', 'Supervisor', 'Supervisor', 'Superviseur'), {
    ...must,
    format: 'name',
    max: 70,
  }),
  identifier(
    'supervisor-cpf',
    t('CPF do supervisor', 'CPF of the supervisor', 'CPF del supervisor', 'CPF du superviseur'),
    {
      ...must,
      ...job('infoEstagiario.supervisorEstagio.cpfSupervisor'),
      scheme: 'cpf',
      isShown: true,
    },
  ),
  number(
    'supervised',
    t(
      'Quantos estagiários o supervisor terá, com este?',
      'How many interns will the supervisor have, with this one?',
      '¿Cuántos pasantes tendrá el supervisor, con este?',
      'Combien de stagiaires le superviseur aura-t-il, avec celui-ci?',
    ),
    {
      ...once,
      min: 1,
      max: 999,
    },
  ),
];

export const internRegistration = formOf(
  'intern-registration',
  t('Cadastro de estagiário', 'Register an intern', 'Alta de pasante', 'Inscrire un stagiaire'),
  [
    section('request', t('O estagiário', 'The intern', 'El pasante', 'Le stagiaire'), [
      ...identity(EVENT),
      start,
    ]),
    section('internship', t('O estágio', 'The internship', 'La pasantía', 'Le stage'), internship),
    section(
      'person',
      t('Dados pessoais', 'About the person', 'Datos personales', 'Renseignements personnels'),
      about(EVENT),
    ),
    contactSection(EVENT),
    more([
      files(
        'agreement',
        t('Termo de compromisso', 'Internship agreement', 'Convenio de pasantía', 'Convention de stage'),
        once,
      ),
      files(
        'plan',
        t('Plano de atividades', 'Plan of activities', 'Plan de actividades', 'Plan d’activités'),
        once,
      ),
      files(
        'enrollment',
        t(
          'Comprovante de matrícula',
          'Proof of enrollment',
          'Constancia de inscripción',
          'Preuve d’inscription',
        ),
        once,
      ),
    ]),
  ],
);

const partnership: Item[] = [
  text('role', t('Cargo ou função', 'Role', 'Cargo o función', 'Fonction'), {
    ...must,
    ...job('cargoFuncao.nmCargo'),
    max: 100,
  }),
  choice('category', t('Categoria', 'Category', 'Categoría', 'Catégorie'), {
    ...must,
    ...job('infoTSVInicio.codCateg'),
    choices: [
      coded(
        '721',
        t(
          'Diretor não empregado, com FGTS',
          'Director who is no employee, with FGTS',
          'Director no empleado, con FGTS',
          'Dirigeant non salarié, avec FGTS',
        ),
      ),
      coded(
        '722',
        t(
          'Diretor não empregado, sem FGTS',
          'Director who is no employee, without FGTS',
          'Director no empleado, sin FGTS',
          'Dirigeant non salarié, sans FGTS',
        ),
      ),
      coded(
        '723',
        t(
          'Sócio ou membro de conselho',
          'Partner or board member',
          'Socio o miembro de consejo',
          'Associé ou membre d’un conseil',
        ),
      ),
    ],
  }),
  yesNo(
    'administrator',
    t('É administrador?', 'Is an administrator?', '¿Es administrador?', 'Est administrateur?'),
    must,
  ),
  yesNo(
    'pro-labore',
    t('Recebe pró-labore?', 'Gets a pro-labore?', '¿Cobra pro-labore?', 'Reçoit un pro-labore?'),
    must,
  ),
  money('value', t('Valor por mês', 'Amount per month', 'Importe por mes', 'Montant par mois'), {
    ...must,
    ...job('remuneracao.vrSalFx'),
    ...when(is('pro-labore')),
  }),
  number(
    'share',
    t(
      'Participação no capital (%)',
      'Share of the capital (%)',
      'Participación en el capital (%)',
      'Part du capital (%)',
    ),
    {
      ...once,
      min: 0,
      max: 100,
      decimals: 2,
    },
  ),
  occupation({ ...once, ...job('cargoFuncao.CBOCargo') }),
  choice(
    'signs',
    t(
      'Como assina pela empresa?',
      'How do they sign for the company?',
      '¿Cómo firma por la empresa?',
      'Comment signe cette personne pour l’entreprise?',
    ),
    {
      ...once,
      choices: [
        { key: 'alone', label: t('Isoladamente', 'Alone', 'Individualmente', 'Seule') },
        { key: 'jointly', label: t('Em conjunto', 'Jointly', 'En conjunto', 'Conjointement') },
        { key: 'no', label: t('Não assina', 'Does not sign', 'No firma', 'Ne signe pas') },
      ],
    },
  ),
  pis(),
  otherSources(),
];

export const partnerRegistration = formOf(
  'partner-registration',
  t('Cadastro de sócio', 'Register a partner', 'Alta de socio', 'Inscrire un associé'),
  [
    section('request', t('O sócio', 'The partner', 'El socio', 'L’associé'), [...identity(EVENT), start]),
    section(
      'partnership',
      t('Na empresa', 'In the company', 'En la empresa', 'Dans l’entreprise'),
      partnership,
    ),
    section(
      'person',
      t('Dados pessoais', 'About the person', 'Datos personales', 'Renseignements personnels'),
      about(EVENT),
    ),
    contactSection(EVENT),
    dependentsSection(EVENT),
    more([
      files(
        'contract',
        t(
          'Contrato social ou alteração',
          'Articles of association or amendment',
          'Contrato social o modificación',
          'Statuts ou modification',
        ),
        once,
      ),
      files(
        'id',
        t('Documento de identidade', 'Identity document', 'Documento de identidad', 'Pièce d’identité'),
        once,
      ),
    ]),
  ],
);
