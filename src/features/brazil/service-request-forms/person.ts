import {
  address,
  choice,
  choices,
  date,
  group,
  identifier,
  is,
  phone,
  section,
  text,
  when,
  yesNo,
} from '#features/tasks/starter-questionnaires/build.ts';
import { coded, isNot, lookup, must, once, t, tag, type Item, type Section } from './build.ts';
import { keyOf } from './codes.ts';

/* Questions about a person that several registrations ask. */

/** Who it is: `event` is that of eSocial. */
export const identity = (event: string): Item[] => [
  identifier('cpf', t('CPF', 'CPF', 'CPF', 'CPF'), {
    ...must,
    ...tag(`${event}:trabalhador.cpfTrab`),
    scheme: 'cpf',
    isShown: true,
  }),
  text(
    'name',
    t(
      'Nome completo, como no CPF',
      'Full name, as in the CPF',
      'Nombre completo, como en el CPF',
      'Nom complet, comme au CPF',
    ),
    { ...must, ...tag(`${event}:trabalhador.nmTrab`), format: 'name', max: 70 },
  ),
  date('birth', t('Data de nascimento', 'Date of birth', 'Fecha de nacimiento', 'Date de naissance'), {
    ...must,
    ...tag(`${event}:trabalhador.nascimento.dtNascto`),
    earliest: '1900-01-01',
  }),
];

const EDUCATION: readonly (readonly [string, Parameters<typeof t>])[] = [
  ['01', ['Analfabeto', 'No schooling', 'Sin estudios', 'Aucune scolarité']],
  [
    '02',
    [
      'Até o 5º ano, incompleto',
      'Up to 5th grade, not completed',
      'Hasta 5.º año, incompleto',
      'Jusqu’à la 5e année, non terminée',
    ],
  ],
  ['03', ['5º ano completo', '5th grade completed', '5.º año completo', '5e année terminée']],
  [
    '04',
    [
      '6º ao 9º ano, incompleto',
      '6th to 9th grade, not completed',
      '6.º a 9.º año, incompleto',
      '6e à 9e année, non terminée',
    ],
  ],
  ['05', ['Fundamental completo', 'Elementary school', 'Primaria completa', 'Études primaires terminées']],
  [
    '06',
    [
      'Médio incompleto',
      'High school, not completed',
      'Secundaria incompleta',
      'Études secondaires non terminées',
    ],
  ],
  ['07', ['Médio completo', 'High school', 'Secundaria completa', 'Études secondaires terminées']],
  [
    '08',
    [
      'Superior incompleto',
      'Higher education, not completed',
      'Superior incompleto',
      'Études supérieures non terminées',
    ],
  ],
  ['09', ['Superior completo', 'Higher education', 'Superior completo', 'Études supérieures terminées']],
  ['10', ['Pós-graduação', 'Postgraduate certificate', 'Posgrado', 'Diplôme de troisième cycle']],
  ['11', ['Mestrado', 'Master’s degree', 'Maestría', 'Maîtrise']],
  ['12', ['Doutorado', 'Doctorate', 'Doctorado', 'Doctorat']],
];

/** Why an immigrant may live in Brazil, in the order of the codes of eSocial (condIng). */
const CONDITIONS: readonly Parameters<typeof t>[] = [
  ['Refugiado', 'Refugee', 'Refugiado', 'Réfugié'],
  ['Solicitante de refúgio', 'Asylum seeker', 'Solicitante de refugio', 'Demandeur d’asile'],
  ['Reunião familiar', 'Family reunification', 'Reunión familiar', 'Regroupement familial'],
  ['Acordo do Mercosul', 'Mercosur agreement', 'Acuerdo del Mercosur', 'Accord du Mercosur'],
  [
    'Dependente de agente diplomático ou consular',
    'Dependent of a diplomat or consular officer',
    'Dependiente de agente diplomático o consular',
    'Personne à charge d’un agent diplomatique ou consulaire',
  ],
  [
    'Tratado de amizade entre Brasil e Portugal',
    'Treaty of friendship between Brazil and Portugal',
    'Tratado de amistad entre Brasil y Portugal',
    'Traité d’amitié entre le Brésil et le Portugal',
  ],
  ['Outra condição', 'Another ground', 'Otra condición', 'Autre motif'],
];

/** Whether the person counts for the quota of people with disabilities; eSocial asks it of employees alone. */
export const quota = (event: string): Item =>
  yesNo(
    'quota',
    t(
      'Conta para a cota de pessoas com deficiência?',
      'Counts for the quota of people with disabilities?',
      '¿Cuenta para el cupo de personas con discapacidad?',
      'Compte pour le quota de personnes handicapées?',
    ),
    {
      ...once,
      ...tag(`${event}:trabalhador.infoDeficiencia.infoCota`),
      sensitive: true,
      hint: t(
        'Só para pessoa com deficiência ou reabilitada.',
        'Only for a person with a disability, or rehabilitated.',
        'Solo para una persona con discapacidad o rehabilitada.',
        'Seulement pour une personne handicapée ou réadaptée.',
      ),
    },
  );

/** What eSocial asks of every worker. */
export const about = (event: string): Item[] => [
  text('social-name', t('Nome social', 'Social name', 'Nombre social', 'Nom d’usage'), {
    ...once,
    ...tag(`${event}:trabalhador.nmSoc`),
    format: 'name',
    max: 70,
  }),
  choice(
    'sex',
    t(
      'Sexo no registro civil',
      'Sex in the civil register',
      'Sexo en el registro civil',
      'Sexe à l’état civil',
    ),
    {
      ...must,
      ...tag(`${event}:trabalhador.sexo`),
      choices: [
        { key: 'm', code: 'M', label: t('Masculino', 'Male', 'Masculino', 'Masculin') },
        { key: 'f', code: 'F', label: t('Feminino', 'Female', 'Femenino', 'Féminin') },
      ],
    },
  ),
  choice(
    'race',
    t(
      'Raça ou cor, como a pessoa se declara',
      'Race or color, as the person declares it',
      'Raza o color, según declara la persona',
      'Race ou couleur, selon la déclaration de la personne',
    ),
    {
      ...must,
      ...tag(`${event}:trabalhador.racaCor`),
      sensitive: true,
      choices: [
        coded('1', t('Branca', 'White', 'Blanca', 'Blanche')),
        coded('2', t('Preta', 'Black', 'Negra', 'Noire')),
        coded('3', t('Parda', 'Mixed (parda)', 'Parda', 'Métisse (parda)')),
        coded('4', t('Amarela', 'Asian (amarela)', 'Amarilla', 'Asiatique (amarela)')),
        coded('5', t('Indígena', 'Indigenous', 'Indígena', 'Autochtone')),
        coded('6', t('Não informado', 'Not stated', 'No informado', 'Non précisée')),
      ],
    },
  ),
  choice('marital', t('Estado civil', 'Marital status', 'Estado civil', 'État matrimonial'), {
    ...once,
    ...tag(`${event}:trabalhador.estCiv`),
    choices: [
      coded('1', t('Solteiro', 'Single', 'Soltero', 'Célibataire')),
      coded('2', t('Casado', 'Married', 'Casado', 'Marié')),
      coded('3', t('Divorciado', 'Divorced', 'Divorciado', 'Divorcé')),
      coded('4', t('Separado', 'Separated', 'Separado', 'Séparé')),
      coded('5', t('Viúvo', 'Widowed', 'Viudo', 'Veuf')),
    ],
  }),
  text('mother', t('Nome da mãe', 'Name of the mother', 'Nombre de la madre', 'Nom de la mère'), {
    ...once,
    format: 'name',
    max: 70,
  }),
  choice('education', t('Escolaridade', 'Education', 'Escolaridad', 'Scolarité'), {
    ...must,
    ...tag(`${event}:trabalhador.grauInstr`),
    look: 'select',
    choices: EDUCATION.map(([code, words]) => coded(code, t(...words))),
  }),
  lookup(
    'birth-country',
    t('País de nascimento', 'Country of birth', 'País de nacimiento', 'Pays de naissance'),
    {
      ...must,
      ...tag(`${event}:trabalhador.nascimento.paisNascto`),
      list: 'countries',
    },
  ),
  lookup(
    'nationality',
    t('Nacionalidade (país)', 'Nationality (country)', 'Nacionalidad (país)', 'Nationalité (pays)'),
    {
      ...must,
      ...tag(`${event}:trabalhador.nascimento.paisNac`),
      list: 'countries',
    },
  ),
  choice(
    'immigrant-time',
    t('Residência no Brasil', 'Residence in Brazil', 'Residencia en Brasil', 'Résidence au Brésil'),
    {
      ...must,
      ...tag(`${event}:trabalhador.trabImig.tmpResid`),
      ...when(isNot('nationality', 'BR')),
      choices: [
        coded('1', t('Prazo indeterminado', 'Indefinite', 'Plazo indeterminado', 'Durée indéterminée')),
        coded('2', t('Prazo determinado', 'For a fixed term', 'Plazo determinado', 'Durée déterminée')),
      ],
    },
  ),
  choice(
    'immigrant-condition',
    t(
      'Condição de ingresso no Brasil',
      'Ground of entry to Brazil',
      'Condición de ingreso a Brasil',
      'Motif d’entrée au Brésil',
    ),
    {
      ...must,
      ...tag(`${event}:trabalhador.trabImig.condIng`),
      ...when(isNot('nationality', 'BR')),
      look: 'select',
      choices: CONDITIONS.map((words, at) => coded(String(at + 1), t(...words))),
    },
  ),
  choices(
    'disability',
    t(
      'Pessoa com deficiência ou reabilitada?',
      'Person with a disability, or rehabilitated?',
      '¿Persona con discapacidad o rehabilitada?',
      'Personne handicapée ou réadaptée?',
    ),
    {
      ...must,
      ...tag(`${event}:trabalhador.infoDeficiencia`),
      sensitive: true,
      choices: [
        { key: 'physical', code: 'defFisica', label: t('Física', 'Physical', 'Física', 'Physique') },
        { key: 'visual', code: 'defVisual', label: t('Visual', 'Visual', 'Visual', 'Visuelle') },
        { key: 'hearing', code: 'defAuditiva', label: t('Auditiva', 'Hearing', 'Auditiva', 'Auditive') },
        { key: 'mental', code: 'defMental', label: t('Mental', 'Mental', 'Mental', 'Mentale') },
        {
          key: 'intellectual',
          code: 'defIntelectual',
          label: t('Intelectual', 'Intellectual', 'Intelectual', 'Intellectuelle'),
        },
        {
          key: 'rehabilitated',
          code: 'reabReadap',
          label: t('Reabilitado', 'Rehabilitated', 'Rehabilitado', 'Réadapté'),
        },
        { key: 'none', label: t('Nenhuma', 'None', 'Ninguna', 'Aucune'), exclusive: true },
      ],
    },
  ),
];

/** Where the person lives, and how to reach them. */
export const contactSection = (event: string): Section =>
  section(
    'contact',
    t('Endereço e contato', 'Address and contact', 'Domicilio y contacto', 'Adresse et coordonnées'),
    [
      address('address', t('Endereço', 'Address', 'Domicilio', 'Adresse'), {
        ...must,
        ...tag(`${event}:trabalhador.endereco.brasil`),
      }),
      phone('phone', t('Celular', 'Mobile phone', 'Celular', 'Téléphone mobile'), {
        ...once,
        ...tag(`${event}:trabalhador.contato.fonePrinc`),
      }),
      text('email', t('E-mail', 'Email', 'Correo electrónico', 'Courriel'), {
        ...once,
        ...tag(`${event}:trabalhador.contato.emailPrinc`),
        format: 'email',
      }),
    ],
  );

const KINSHIP: readonly (readonly [string, Parameters<typeof t>])[] = [
  ['01', ['Cônjuge', 'Spouse', 'Cónyuge', 'Conjoint']],
  ['02', ['Companheiro(a)', 'Partner', 'Conviviente', 'Conjoint de fait']],
  ['03', ['Filho(a) ou enteado(a)', 'Child or stepchild', 'Hijo o hijastro', 'Enfant ou enfant du conjoint']],
  [
    '06',
    [
      'Irmão, neto ou bisneto sob guarda',
      'Sibling or grandchild in custody',
      'Hermano o nieto bajo guarda',
      'Frère, sœur ou petit-enfant sous garde',
    ],
  ],
  [
    '09',
    ['Pais, avós ou bisavós', 'Parents or grandparents', 'Padres o abuelos', 'Parents ou grands-parents'],
  ],
  [
    '12',
    [
      'Incapaz sob tutela ou curatela',
      'Ward of the person',
      'Incapaz bajo tutela o curatela',
      'Personne inapte sous tutelle',
    ],
  ],
  ['99', ['Outro', 'Other', 'Otro', 'Autre']],
];

export const dependentsSection = (event: string): Section =>
  section('dependents', t('Dependentes', 'Dependents', 'Dependientes', 'Personnes à charge'), [
    group('dependents', t('Dependentes', 'Dependents', 'Dependientes', 'Personnes à charge'), {
      one: t('Dependente', 'Dependent', 'Dependiente', 'Personne à charge'),
      addLabel: t(
        'Incluir dependente',
        'Add a dependent',
        'Agregar dependiente',
        'Ajouter une personne à charge',
      ),
      max: 20,
      lastYear: 'off',
      title: 'name',
      items: [
        text('name', t('Nome', 'Name', 'Nombre', 'Nom'), {
          ...must,
          ...tag(`${event}:dependente.nmDep`),
          format: 'name',
          max: 70,
        }),
        identifier('cpf', t('CPF', 'CPF', 'CPF', 'CPF'), {
          ...once,
          ...tag(`${event}:dependente.cpfDep`),
          scheme: 'cpf',
          isShown: true,
        }),
        date('birth', t('Nascimento', 'Date of birth', 'Nacimiento', 'Naissance'), {
          ...must,
          ...tag(`${event}:dependente.dtNascto`),
        }),
        choice('kinship', t('Parentesco', 'Relation', 'Parentesco', 'Lien'), {
          ...must,
          ...tag(`${event}:dependente.tpDep`),
          look: 'select',
          choices: KINSHIP.map(([code, words]) => coded(code, t(...words))),
        }),
        text('kinship-other', t('Qual parentesco?', 'Which relation?', '¿Qué parentesco?', 'Quel lien?'), {
          ...must,
          ...tag(`${event}:dependente.descrDep`),
          max: 100,
          ...when(is('kinship', keyOf('99'))),
        }),
        choice('sex', t('Sexo', 'Sex', 'Sexo', 'Sexe'), {
          ...once,
          ...tag(`${event}:dependente.sexoDep`),
          choices: [
            { key: 'm', code: 'M', label: t('Masculino', 'Male', 'Masculino', 'Masculin') },
            { key: 'f', code: 'F', label: t('Feminino', 'Female', 'Femenino', 'Féminin') },
          ],
        }),
        yesNo(
          'tax',
          t(
            'Para o imposto de renda?',
            'For income tax?',
            '¿Para el impuesto a la renta?',
            'Pour l’impôt sur le revenu?',
          ),
          {
            ...must,
            ...tag(`${event}:dependente.depIRRF`),
          },
        ),
        yesNo(
          'allowance',
          t(
            'Para o salário-família?',
            'For the family allowance?',
            '¿Para la asignación familiar?',
            'Pour l’allocation familiale?',
          ),
          {
            ...must,
            ...tag(`${event}:dependente.depSF`),
          },
        ),
        yesNo(
          'unable',
          t('Incapaz para o trabalho?', 'Unable to work?', '¿Incapaz para el trabajo?', 'Inapte au travail?'),
          {
            ...must,
            ...tag(`${event}:dependente.incTrab`),
          },
        ),
      ],
    }),
  ]);
