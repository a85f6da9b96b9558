import type { TemplateInput, Text } from '../questionnaires.ts';
import {
  address,
  atLeast,
  atMost,
  choice,
  choices,
  date,
  files,
  group,
  identifier,
  includes,
  is,
  moneyIn,
  note,
  number,
  paragraph,
  phone,
  required,
  section,
  text,
  when,
  whenAny,
  yesNo,
} from './build.ts';

/*
 * The organizer for a US individual income tax return. The first section is a map: what is ticked there shows its
 * sections, so that no one pages through all of them. Questions that depend on the law of a year have its conditions.
 */

const t = (english: string, spanish: string): Text => ({ 'en-us': english, es: spanish });
const money = moneyIn('USD');
const usd = { whole: true } as const;
const c = (key: string, english: string, spanish: string) => ({ key, label: t(english, spanish) });
const none = (english: string, spanish: string) => ({ ...c('none', english, spanish), exclusive: true });
const applies = (key: string) => when(includes('start.applies', key));
const happened = (key: string) => includes('start.life-events', key);
const prefill = { lastYear: 'prefill' } as const;
/** Deductions of the law of July 4, 2025. */
const from2025to2028 = [atLeast('taxYear', 2025), atMost('taxYear', 2028)] as const;

const PERSON = [c('taxpayer', 'You', 'Usted'), c('spouse', 'Your spouse', 'Su cónyuge')];
const OWNER = [...PERSON, c('joint', 'Both of you', 'Ambos')];

const start = section('start', t('Your year', 'Su año'), [
  choices(
    'applies',
    t(
      'Which of these applied to you in {taxYear}?',
      '¿Cuáles de estas situaciones se aplicaron a usted en {taxYear}?',
    ),
    {
      ...required,
      look: 'cards',
      hint: t(
        'We only ask about what you choose here. You can come back and change it.',
        'Solo le preguntaremos por lo que elija aquí. Puede volver y cambiarlo.',
      ),
      choices: [
        c('wages', 'Wages from an employer (W-2)', 'Salario de un empleador (W-2)'),
        c('business', 'Your own business or gig work', 'Negocio propio o trabajo independiente'),
        c('investments', 'Interest, dividends or investments', 'Intereses, dividendos o inversiones'),
        c('sold', 'Sold property, shares or crypto', 'Venta de inmuebles, acciones o criptomonedas'),
        c(
          'retirement',
          'Pension, IRA or other retirement income',
          'Pensión, IRA u otros ingresos de jubilación',
        ),
        c('social-security', 'Social Security benefits', 'Beneficios del Seguro Social'),
        c('rental', 'Rental property', 'Inmuebles en alquiler'),
        c(
          'k1',
          'Schedule K-1 from a partnership, S corporation or trust',
          'Anexo K-1 de una sociedad, S corporation o fideicomiso',
        ),
        c('home', 'Owned a home', 'Vivienda propia'),
        c('charity', 'Gave to charity', 'Donaciones a organizaciones benéficas'),
        c('medical', 'Large medical costs', 'Gastos médicos elevados'),
        c('child-care', 'Paid for child or dependent care', 'Pagos por cuidado de hijos o dependientes'),
        c('college', 'College costs or student loans', 'Estudios superiores o préstamos estudiantiles'),
        c('hsa', 'Health savings account (HSA)', 'Cuenta de ahorros para la salud (HSA)'),
        c('abroad', 'Accounts or income outside the US', 'Cuentas o ingresos fuera de EE. UU.'),
        none('None of these', 'Ninguna de estas'),
      ],
    },
  ),
  choices('life-events', t('Did any of these happen in {taxYear}?', '¿Ocurrió algo de esto en {taxYear}?'), {
    look: 'cards',
    choices: [
      c('married', 'Got married', 'Se casó'),
      c('separated', 'Separated or divorced', 'Se separó o se divorció'),
      c('child', 'A child was born or adopted', 'Nació o adoptó un hijo'),
      c('death', 'A death in the family', 'Fallecimiento en la familia'),
      c('moved', 'Moved', 'Se mudó'),
      c('home', 'Bought or sold a home', 'Compró o vendió una vivienda'),
      c('job', 'Changed jobs', 'Cambió de empleo'),
      c('retired', 'Retired', 'Se jubiló'),
      c('business', 'Started or closed a business', 'Abrió o cerró un negocio'),
      c('identity-theft', 'Identity theft', 'Robo de identidad'),
      none('None of these', 'Nada de esto'),
    ],
  }),
]);

const STATES =
  'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY'
    .split(' ')
    .map((code) => c(code.toLowerCase(), code, code));

const you = section('you', t('About you', 'Sobre usted'), [
  text(
    'legal-name',
    t(
      'Full name as on your Social Security card',
      'Nombre completo como figura en su tarjeta del Seguro Social',
    ),
    { ...required, ...prefill, format: 'name', tag: '1040.name' },
  ),
  identifier('ssn', t('Social Security number or ITIN', 'Número de Seguro Social o ITIN'), {
    ...required,
    ...prefill,
    scheme: 'ssn',
    tag: '1040.ssn',
    why: t('the IRS needs it to match your return.', 'el IRS lo necesita para identificar su declaración.'),
  }),
  date('birth', t('Date of birth', 'Fecha de nacimiento'), { ...required, ...prefill, tag: '1040.birth' }),
  text('occupation', t('Occupation', 'Ocupación'), { ...required, ...prefill, tag: '1040.occupation' }),
  phone('phone', t('Mobile phone', 'Teléfono celular'), { ...required, ...prefill, tag: '1040.phone' }),
  text('email', t('Email', 'Correo electrónico'), {
    ...required,
    ...prefill,
    format: 'email',
    tag: '1040.email',
  }),
  address(
    'address',
    t('Home address on December 31, {taxYear}', 'Domicilio al 31 de diciembre de {taxYear}'),
    { ...required, ...prefill, tag: '1040.address' },
  ),
  date('moved-date', t('When did you move?', '¿Cuándo se mudó?'), when(happened('moved'))),
  text(
    'former-state',
    t('State where you lived before', 'Estado donde vivía antes'),
    when(happened('moved')),
  ),
  choices('states-worked', t('States where you lived or worked', 'Estados donde vivió o trabajó'), {
    choices: STATES,
  }),
  files(
    'id-upload',
    t(
      "Driver's license or state ID, front and back",
      'Licencia de conducir o identificación estatal, frente y dorso',
    ),
    { max: 4 },
  ),
  yesNo('blind', t('Are you legally blind?', '¿Es usted legalmente ciego?'), { tag: '1040.blind' }),
  yesNo(
    'claimed',
    t('Can someone else claim you as a dependent?', '¿Puede otra persona declararlo como dependiente?'),
    { unsure: true, tag: '1040.claimed' },
  ),
  yesNo(
    'ip-pin-issued',
    t(
      'Has the IRS given you an Identity Protection PIN for this year?',
      '¿Le asignó el IRS un PIN de Protección de la Identidad para este año?',
    ),
  ),
  text('ip-pin', t('Its six digits', 'Sus seis dígitos'), {
    ...when(is('ip-pin-issued')),
    sensitive: true,
    lastYear: 'off',
    max: 6,
    tag: '1040.ip-pin',
  }),
  yesNo(
    'digital-assets',
    t(
      'At any time in {taxYear}, did you receive digital assets as a reward, award or payment, or sell, exchange or otherwise dispose of one?',
      'En algún momento de {taxYear}, ¿recibió activos digitales como recompensa, premio o pago, o vendió, intercambió o dispuso de alguno?',
    ),
    {
      ...required,
      tag: '1040.digital-assets',
      hint: t(
        'Digital assets include cryptocurrency, stablecoins and NFTs.',
        'Los activos digitales incluyen criptomonedas, stablecoins y NFT.',
      ),
    },
  ),
]);

const married = when(is('status', 'married'));

const spouse = section('spouse', t('Marriage', 'Estado civil'), [
  choice(
    'status',
    t('Marital status on December 31, {taxYear}', 'Estado civil al 31 de diciembre de {taxYear}'),
    {
      ...required,
      tag: '1040.marital-status',
      choices: [
        c('single', 'Single', 'Soltero'),
        c('married', 'Married', 'Casado'),
        c('separated', 'Legally separated', 'Separado legalmente'),
        c('divorced', 'Divorced', 'Divorciado'),
        c('widowed', 'Widowed', 'Viudo'),
      ],
    },
  ),
  date(
    'status-date',
    t('Date of the change', 'Fecha del cambio'),
    whenAny(
      includes('start.life-events', 'married'),
      includes('start.life-events', 'separated'),
      includes('start.life-events', 'death'),
    ),
  ),
  text('sp-name', t("Your spouse's full name", 'Nombre completo de su cónyuge'), {
    ...required,
    ...prefill,
    ...married,
    format: 'name',
    tag: '1040.spouse-name',
  }),
  identifier(
    'sp-ssn',
    t("Your spouse's Social Security number or ITIN", 'Número de Seguro Social o ITIN de su cónyuge'),
    { ...required, ...prefill, ...married, scheme: 'ssn', tag: '1040.spouse-ssn' },
  ),
  date('sp-birth', t("Your spouse's date of birth", 'Fecha de nacimiento de su cónyuge'), {
    ...required,
    ...prefill,
    ...married,
    tag: '1040.spouse-birth',
  }),
  text('sp-occupation', t("Your spouse's occupation", 'Ocupación de su cónyuge'), {
    ...required,
    ...prefill,
    ...married,
    tag: '1040.spouse-occupation',
  }),
  yesNo('joint', t('Do you expect to file jointly?', '¿Piensa presentar una declaración conjunta?'), {
    ...married,
    unsure: true,
  }),
  yesNo(
    'lived-apart',
    t(
      'Did you live apart for the last six months of the year?',
      '¿Vivieron separados los últimos seis meses del año?',
    ),
    whenAny(is('status', 'married'), is('status', 'separated')),
  ),
  group('alimony', t('Alimony paid or received', 'Pensión alimenticia conyugal pagada o recibida'), {
    ...whenAny(is('status', 'divorced'), is('status', 'separated')),
    one: t('Alimony', 'Pensión conyugal'),
    addLabel: t('Add alimony', 'Agregar pensión conyugal'),
    max: 4,
    items: [
      choice('direction', t('Paid or received?', '¿Pagada o recibida?'), {
        ...required,
        choices: [c('paid', 'Paid', 'Pagada'), c('received', 'Received', 'Recibida')],
      }),
      money('amount', t('Amount in {taxYear}', 'Importe en {taxYear}'), required),
      date('agreement', t('Date of the agreement or decree', 'Fecha del acuerdo o la sentencia')),
      identifier(
        'other-ssn',
        t("The other person's Social Security number", 'Número de Seguro Social de la otra persona'),
        { scheme: 'ssn' },
      ),
    ],
  }),
]);

const dependents = section('dependents', t('Children and dependents', 'Hijos y dependientes'), [
  yesNo(
    'any',
    t(
      'Did you support a child or another person in {taxYear}?',
      '¿Mantuvo a un hijo o a otra persona en {taxYear}?',
    ),
    required,
  ),
  group('dependent', t('Dependents', 'Dependientes'), {
    ...when(is('any')),
    ...prefill,
    one: t('Dependent', 'Dependiente'),
    addLabel: t('Add a dependent', 'Agregar un dependiente'),
    title: 'first-name',
    max: 20,
    items: [
      text('first-name', t('First name', 'Nombre'), { ...required, ...prefill, format: 'name' }),
      text('last-name', t('Last name', 'Apellido'), { ...required, ...prefill, format: 'name' }),
      identifier('ssn', t('Social Security number, ITIN or ATIN', 'Número de Seguro Social, ITIN o ATIN'), {
        ...required,
        ...prefill,
        scheme: 'ssn',
        none: true,
      }),
      date('birth', t('Date of birth', 'Fecha de nacimiento'), { ...required, ...prefill }),
      choice('relationship', t('Relationship to you', 'Parentesco con usted'), {
        ...required,
        ...prefill,
        choices: [
          c('child', 'Son or daughter', 'Hijo o hija'),
          c('stepchild', 'Stepchild', 'Hijastro o hijastra'),
          c('foster-child', 'Foster child', 'Hijo de crianza'),
          c('grandchild', 'Grandchild', 'Nieto o nieta'),
          c('sibling', 'Brother or sister', 'Hermano o hermana'),
          c('parent', 'Parent', 'Padre o madre'),
          c('other-relative', 'Other relative', 'Otro familiar'),
          c('not-related', 'Not related', 'Sin parentesco'),
        ],
      }),
      number('months', t('Months in your home in {taxYear}', 'Meses en su hogar en {taxYear}'), {
        ...required,
        max: 12,
      }),
      yesNo('student', t('Full-time student?', '¿Estudiante a tiempo completo?')),
      yesNo('disabled', t('Permanently disabled?', '¿Con discapacidad permanente?')),
      money('income', t('Own income', 'Ingresos propios'), { none: true }),
      yesNo(
        'other-claim',
        t('Can someone else claim this person?', '¿Puede otra persona declararlo como dependiente?'),
        { unsure: true },
      ),
    ],
  }),
  yesNo(
    'custody',
    t('Is there a custody agreement or Form 8332?', '¿Hay un acuerdo de custodia o un Formulario 8332?'),
    when(is('any')),
  ),
  files(
    'custody-papers',
    t('Custody agreement or Form 8332', 'Acuerdo de custodia o Formulario 8332'),
    when(is('custody')),
  ),
  group('care', t('Child or dependent care', 'Cuidado de hijos o dependientes'), {
    ...applies('child-care'),
    one: t('Provider', 'Proveedor'),
    addLabel: t('Add a provider', 'Agregar un proveedor'),
    title: 'provider',
    max: 10,
    items: [
      text('provider', t('Name of the provider', 'Nombre del proveedor'), { ...required, ...prefill }),
      address('address', t('Address of the provider', 'Domicilio del proveedor'), prefill),
      choice('id-kind', t('Which number does the provider have?', '¿Qué número tiene el proveedor?'), {
        ...required,
        ...prefill,
        choices: [
          c('ein', 'EIN (a business)', 'EIN (una empresa)'),
          c('ssn', 'Social Security number (a person)', 'Número de Seguro Social (una persona)'),
        ],
      }),
      identifier('ein', t('EIN', 'EIN'), {
        ...required,
        ...prefill,
        ...when(is('id-kind', 'ein')),
        scheme: 'ein',
      }),
      identifier('ssn', t('Social Security number', 'Número de Seguro Social'), {
        ...required,
        ...prefill,
        ...when(is('id-kind', 'ssn')),
        scheme: 'ssn',
      }),
      text('child', t('Who was cared for?', '¿A quién se cuidó?')),
      money('paid', t('Amount paid in {taxYear}', 'Importe pagado en {taxYear}'), required),
    ],
  }),
  money(
    'care-fsa',
    t('Dependent-care benefits from an employer', 'Beneficios del empleador para el cuidado de dependientes'),
    { ...applies('child-care'), none: true, hint: t('W-2, box 10', 'W-2, casilla 10') },
  ),
  yesNo(
    'trump-account',
    t(
      'Do you want to open or fund an account for a child born in 2025–2028?',
      '¿Desea abrir o aportar a una cuenta para un hijo nacido entre 2025 y 2028?',
    ),
    { ...when(is('any'), atLeast('taxYear', 2025)), unsure: true },
  ),
]);

const health = section('health', t('Health insurance', 'Seguro de salud'), [
  choices(
    'cover',
    t(
      'Who was covered all year, and how? Choose every kind of cover',
      '¿Quién tuvo cobertura todo el año y de qué tipo? Elija todos los tipos de cobertura',
    ),
    {
      ...required,
      choices: [
        c('employer', 'Through an employer', 'A través de un empleador'),
        c(
          'marketplace',
          'Marketplace (HealthCare.gov or state exchange)',
          'Mercado de seguros (HealthCare.gov o estatal)',
        ),
        c('medicare', 'Medicare', 'Medicare'),
        c('medicaid', 'Medicaid or CHIP', 'Medicaid o CHIP'),
        c('other', 'Other', 'Otra'),
        c(
          'none',
          'Someone had no cover for part of the year',
          'Alguien no tuvo cobertura durante parte del año',
        ),
      ],
    },
  ),
  text(
    'cover-who',
    t('Who had no cover, and in which months?', '¿Quién no tuvo cobertura y en qué meses?'),
    when(includes('cover', 'none')),
  ),
  files('form-1095a', t('Form 1095-A for the Marketplace plan', 'Formulario 1095-A del plan del Mercado'), {
    ...required,
    ...when(includes('cover', 'marketplace')),
    tag: '8962.1095-a',
  }),
  choice('hsa-type', t('HSA cover', 'Cobertura de la HSA'), {
    ...applies('hsa'),
    tag: '8889.cover',
    choices: [c('self', 'Self only', 'Individual'), c('family', 'Family', 'Familiar')],
  }),
  money('hsa-own', t('You paid in yourself, not by payroll', 'Aportes propios, no por nómina'), {
    ...applies('hsa'),
    none: true,
    tag: '8889.contributions',
  }),
  yesNo(
    'hsa-used',
    t(
      'Was all money taken out used for medical costs?',
      '¿Se usó todo el dinero retirado para gastos médicos?',
    ),
    { ...applies('hsa'), unsure: true },
  ),
  files('hsa-forms', t('Forms 1099-SA and 5498-SA', 'Formularios 1099-SA y 5498-SA'), applies('hsa')),
]);

const wages = section('wages', t('Wages and other income', 'Salarios y otros ingresos'), [
  group('w2', t('W-2s', 'Formularios W-2'), {
    ...applies('wages'),
    ...prefill,
    one: t('Employer', 'Empleador'),
    addLabel: t('Add an employer', 'Agregar un empleador'),
    title: 'employer',
    min: 1,
    max: 12,
    items: [
      text('employer', t('Employer', 'Empleador'), { ...required, ...prefill }),
      choice('whose', t('Whose job?', '¿De quién es el empleo?'), {
        ...required,
        ...prefill,
        choices: PERSON,
      }),
      files('w2', t('W-2 for {taxYear}', 'W-2 de {taxYear}'), { ...required, max: 5, tag: 'w2.form' }),
    ],
  }),
  yesNo(
    'tips',
    t('Did you earn tips?', '¿Recibió propinas?'),
    when(includes('start.applies', 'wages'), ...from2025to2028),
  ),
  money('tips-amount', t('Tips that are not on the W-2', 'Propinas que no figuran en el W-2'), {
    ...when(is('tips')),
    none: true,
  }),
  text('tips-occupation', t('In which occupation?', '¿En qué ocupación?'), when(is('tips'))),
  yesNo(
    'overtime',
    t('Were you paid overtime at time and a half?', '¿Le pagaron horas extras a tiempo y medio?'),
    when(includes('start.applies', 'wages'), ...from2025to2028),
  ),
  files(
    'overtime-stub',
    t('Last pay stub of the year', 'Último recibo de sueldo del año'),
    when(is('overtime')),
  ),
  yesNo(
    'stock-comp',
    t('Did you have stock options, RSUs or an ESPP?', '¿Tuvo opciones sobre acciones, RSU o un ESPP?'),
    applies('wages'),
  ),
  files(
    'stock-papers',
    t('Statements and Forms 1099-B, 3921 and 3922', 'Resúmenes y Formularios 1099-B, 3921 y 3922'),
    when(is('stock-comp')),
  ),
  yesNo(
    'unemployment',
    t(
      'Did you receive unemployment or paid family leave?',
      '¿Recibió seguro de desempleo o licencia familiar paga?',
    ),
  ),
  files('unemployment-form', t('Form 1099-G', 'Formulario 1099-G'), {
    ...required,
    ...when(is('unemployment')),
    tag: '1040.1099-g',
  }),
  group(
    'other-income',
    t(
      'Other income: gambling, jury duty, prizes, hobby, cancelled debt',
      'Otros ingresos: juegos de azar, servicio de jurado, premios, pasatiempos, deudas canceladas',
    ),
    {
      one: t('Income', 'Ingreso'),
      addLabel: t('Add other income', 'Agregar otro ingreso'),
      title: 'what',
      max: 20,
      items: [
        text('what', t('What was it?', '¿Qué fue?'), required),
        money('amount', t('Amount', 'Importe'), required),
        files('papers', t('Forms or statements', 'Formularios o resúmenes')),
      ],
    },
  ),
]);

const investments = section(
  'investments',
  t('Interest and dividends', 'Intereses y dividendos'),
  [
    group('int-div', t('Banks and brokers', 'Bancos y agentes de bolsa'), {
      ...prefill,
      one: t('Bank or broker', 'Banco o agente'),
      addLabel: t('Add a bank or broker', 'Agregar un banco o agente'),
      title: 'payer',
      max: 40,
      items: [
        text('payer', t('Bank or broker', 'Banco o agente de bolsa'), { ...required, ...prefill }),
        choice('kind', t('What did it pay?', '¿Qué le pagó?'), {
          ...prefill,
          choices: [
            c('interest', 'Interest', 'Intereses'),
            c('dividends', 'Dividends', 'Dividendos'),
            c('both', 'Both', 'Ambos'),
          ],
        }),
        files(
          'forms',
          t('1099-INT, 1099-DIV or consolidated 1099', '1099-INT, 1099-DIV o 1099 consolidado'),
          { ...required, tag: 'schb.1099' },
        ),
        yesNo('closed', t('Was the account closed in {taxYear}?', '¿Se cerró la cuenta en {taxYear}?')),
      ],
    }),
    group(
      'seller-financed',
      t('Interest from a loan that you gave', 'Intereses de un préstamo que usted otorgó'),
      {
        one: t('Borrower', 'Deudor'),
        addLabel: t('Add a borrower', 'Agregar un deudor'),
        title: 'name',
        max: 10,
        items: [
          text('name', t('Name', 'Nombre'), { ...required, ...prefill }),
          identifier('ssn', t('Social Security number', 'Número de Seguro Social'), {
            ...prefill,
            scheme: 'ssn',
          }),
          money('amount', t('Interest in {taxYear}', 'Intereses en {taxYear}'), required),
        ],
      },
    ),
    yesNo('exempt', t('Did you receive tax-exempt interest?', '¿Recibió intereses exentos de impuestos?'), {
      unsure: true,
    }),
    yesNo(
      'bonds',
      t(
        'Did you cash savings bonds to pay for college?',
        '¿Cobró bonos de ahorro para pagar estudios superiores?',
      ),
    ),
  ],
  applies('investments'),
);

const soldSomething = applies('sold');

const sales = section(
  'sales',
  t('Sales and digital assets', 'Ventas y activos digitales'),
  [
    group('sold', t('What you sold', 'Lo que vendió'), {
      ...soldSomething,
      one: t('Sale', 'Venta'),
      addLabel: t('Add a sale', 'Agregar una venta'),
      title: 'what',
      hint: t(
        'For shares, the 1099-B of your broker is enough: add one entry and upload it.',
        'Para acciones basta el 1099-B de su agente: agregue una entrada y súbalo.',
      ),
      max: 60,
      items: [
        choice('what', t('What did you sell?', '¿Qué vendió?'), {
          ...required,
          choices: [
            c('shares', 'Shares or funds', 'Acciones o fondos'),
            c('real-estate', 'Real estate', 'Inmueble'),
            c('crypto', 'Crypto or other digital asset', 'Criptomoneda u otro activo digital'),
            c('collectible', 'Collectible', 'Objeto de colección'),
            c('other', 'Other', 'Otro'),
          ],
        }),
        date('bought', t('Bought on', 'Fecha de compra')),
        date('sold', t('Sold on', 'Fecha de venta'), required),
        money('price', t('Sale price', 'Precio de venta'), { ...required, ...usd }),
        money('cost', t('Cost', 'Costo'), { ...usd, none: true }),
        files('forms', t('1099-B, 1099-S or 1099-DA', '1099-B, 1099-S o 1099-DA'), { tag: '8949.forms' }),
      ],
    }),
    paragraph(
      'crypto-source',
      t('Exchanges and wallets that you used', 'Plataformas y billeteras que utilizó'),
      when(is('you.digital-assets')),
    ),
    files(
      'crypto-file',
      t('File of all transactions of the year (CSV)', 'Archivo con todas las operaciones del año (CSV)'),
      when(is('you.digital-assets')),
    ),
    money(
      'crypto-income',
      t(
        'Staking, mining, airdrops or pay in crypto: value when received',
        'Staking, minería, airdrops o pagos en cripto: valor al recibirlos',
      ),
      { ...when(is('you.digital-assets')), none: true },
    ),
    yesNo(
      'home-sold',
      t('Did you sell your main home?', '¿Vendió su vivienda principal?'),
      when(happened('home')),
    ),
    date('home-from', t('Lived there from', 'Vivió allí desde'), when(is('home-sold'))),
    date('home-to', t('Lived there until', 'Vivió allí hasta'), when(is('home-sold'))),
    money('home-price', t('Sale price of the home', 'Precio de venta de la vivienda'), {
      ...when(is('home-sold')),
      ...usd,
      ...required,
    }),
    money('home-cost', t('What it cost, with improvements', 'Lo que costó, con mejoras'), {
      ...when(is('home-sold')),
      ...usd,
    }),
    files(
      'home-closing',
      t('Closing statement', 'Liquidación de cierre (closing statement)'),
      when(is('home-sold')),
    ),
    yesNo(
      'worthless',
      t('Did a security become worthless?', '¿Algún título perdió todo su valor?'),
      soldSomething,
    ),
    yesNo(
      'installment',
      t('Did you receive payments from an earlier sale?', '¿Recibió pagos de una venta anterior?'),
      soldSomething,
    ),
    yesNo(
      'exchange',
      t('Did you make a like-kind exchange?', '¿Realizó un intercambio por bienes similares (like-kind)?'),
      { ...soldSomething, unsure: true },
    ),
    paragraph(
      'sale-details',
      t('Tell us about it', 'Cuéntenos los detalles'),
      whenAny(is('worthless'), is('installment'), is('exchange')),
    ),
  ],
  whenAny(includes('start.applies', 'sold'), is('you.digital-assets'), includes('start.life-events', 'home')),
);

const retired = applies('retirement');

const retirement = section('retirement', t('Retirement', 'Jubilación'), [
  group('plans', t('Pensions, IRAs and annuities', 'Pensiones, IRA y rentas vitalicias'), {
    ...retired,
    ...prefill,
    one: t('Payer', 'Pagador'),
    addLabel: t('Add a payer', 'Agregar un pagador'),
    title: 'payer',
    max: 20,
    items: [
      text('payer', t('Payer', 'Pagador'), { ...required, ...prefill }),
      files('form', t('Form 1099-R', 'Formulario 1099-R'), { ...required, tag: '1040.1099-r' }),
      yesNo('rollover', t('Was it rolled over?', '¿Se transfirió a otro plan (rollover)?'), { unsure: true }),
      yesNo('early', t('Was it taken before age 59½?', '¿Se retiró antes de los 59 años y medio?')),
      text('early-why', t('Why?', '¿Por qué?'), when(is('early'))),
    ],
  }),
  yesNo(
    'rmd',
    t('Was the required minimum distribution taken?', '¿Se retiró la distribución mínima obligatoria?'),
    { ...retired, unsure: true },
  ),
  money('qcd', t('Given to charity directly from an IRA', 'Donado directamente desde una IRA'), {
    ...retired,
    none: true,
  }),
  money(
    'ira',
    t('Paid into a traditional IRA for {taxYear}', 'Aportes a una IRA tradicional por {taxYear}'),
    { none: true, tag: '1040.ira' },
  ),
  money('roth', t('Paid into a Roth IRA for {taxYear}', 'Aportes a una Roth IRA por {taxYear}'), {
    none: true,
  }),
  money(
    'self-plan',
    t(
      'Paid into a SEP, SIMPLE or solo 401(k) for {taxYear}',
      'Aportes a un SEP, SIMPLE o 401(k) individual por {taxYear}',
    ),
    { none: true },
  ),
  yesNo('conversion', t('Did you convert money to a Roth IRA?', '¿Convirtió dinero a una Roth IRA?')),
  money('conversion-amount', t('Amount converted', 'Importe convertido'), {
    ...required,
    ...when(is('conversion')),
  }),
]);

const socialSecurity = section(
  'social-security',
  t('Social Security', 'Seguro Social'),
  [
    files(
      'ssa',
      t('SSA-1099 or RRB-1099, for you and your spouse', 'SSA-1099 o RRB-1099, de usted y de su cónyuge'),
      { ...required, tag: '1040.ssa-1099' },
    ),
    yesNo(
      'lump-sum',
      t('Did you receive a lump sum for earlier years?', '¿Recibió un pago único por años anteriores?'),
      { unsure: true },
    ),
  ],
  applies('social-security'),
);

const rental = section(
  'rental',
  t('Rental property', 'Inmuebles en alquiler'),
  [
    group('property', t('Properties', 'Inmuebles'), {
      ...prefill,
      one: t('Property', 'Inmueble'),
      addLabel: t('Add a property', 'Agregar un inmueble'),
      min: 1,
      max: 20,
      items: [
        address('address', t('Address', 'Domicilio'), { ...required, ...prefill }),
        choice('kind', t('Kind of property', 'Tipo de inmueble'), {
          ...required,
          ...prefill,
          choices: [
            c('single', 'Single-family home', 'Vivienda unifamiliar'),
            c('multi', 'Multi-family', 'Vivienda multifamiliar'),
            c('vacation', 'Vacation or short-term rental', 'Alquiler vacacional o temporario'),
            c('commercial', 'Commercial', 'Comercial'),
            c('land', 'Land', 'Terreno'),
            c('other', 'Other', 'Otro'),
          ],
        }),
        number('days-rented', t('Days rented', 'Días alquilados'), { ...required, max: 366 }),
        number('days-own', t('Days of your own use', 'Días de uso propio'), { max: 366 }),
        date('bought', t('Bought on', 'Fecha de compra'), prefill),
        money('rents', t('Rents received', 'Alquileres cobrados'), {
          ...required,
          ...usd,
          tag: 'sche.rents',
        }),
        money('advertising', t('Advertising', 'Publicidad'), { ...usd, tag: 'sche.advertising' }),
        money('cleaning', t('Cleaning and maintenance', 'Limpieza y mantenimiento'), {
          ...usd,
          tag: 'sche.cleaning',
        }),
        money('insurance', t('Insurance', 'Seguros'), { ...usd, tag: 'sche.insurance' }),
        money('management', t('Management fees', 'Honorarios de administración'), {
          ...usd,
          tag: 'sche.management',
        }),
        money('mortgage', t('Mortgage interest', 'Intereses hipotecarios'), { ...usd, tag: 'sche.mortgage' }),
        money('repairs', t('Repairs', 'Reparaciones'), { ...usd, tag: 'sche.repairs' }),
        money('taxes', t('Taxes', 'Impuestos'), { ...usd, tag: 'sche.taxes' }),
        money('utilities', t('Utilities', 'Servicios públicos'), { ...usd, tag: 'sche.utilities' }),
        money('other', t('Other costs', 'Otros gastos'), { ...usd, tag: 'sche.other' }),
        paragraph(
          'improvements',
          t('Improvements: what, when and how much', 'Mejoras: qué, cuándo y cuánto'),
        ),
        files('papers', t('Form 1098 and settlement statement', 'Formulario 1098 y liquidación de cierre')),
      ],
    }),
    yesNo(
      'active',
      t('Do you take part in managing the property?', '¿Participa en la administración del inmueble?'),
    ),
    yesNo(
      'short-term',
      t('Was the average stay seven days or fewer?', '¿La estadía promedio fue de siete días o menos?'),
      { unsure: true },
    ),
  ],
  applies('rental'),
);

const COSTS = (
  [
    ['advertising', 'Advertising', 'Publicidad'],
    ['car', 'Car and truck', 'Vehículos'],
    ['commissions', 'Commissions and fees', 'Comisiones'],
    ['contractors', 'Contract labor', 'Contratistas'],
    ['insurance', 'Insurance, not health', 'Seguros, excepto de salud'],
    ['interest', 'Interest', 'Intereses'],
    ['legal', 'Legal and professional', 'Servicios legales y profesionales'],
    ['office', 'Office', 'Gastos de oficina'],
    ['rent', 'Rent', 'Alquileres'],
    ['repairs', 'Repairs', 'Reparaciones'],
    ['supplies', 'Supplies', 'Insumos'],
    ['taxes', 'Taxes and licenses', 'Impuestos y licencias'],
    ['travel', 'Travel', 'Viajes'],
    ['meals', 'Business meals', 'Comidas de negocios'],
    ['utilities', 'Utilities', 'Servicios públicos'],
    ['wages', 'Wages', 'Salarios'],
    ['other', 'Other costs', 'Otros gastos'],
  ] as const
).map(([key, english, spanish]) => money(key, t(english, spanish), { ...usd, tag: `schc.${key}` }));

const business = section(
  'business',
  t('Your own business', 'Negocio propio'),
  [
    group('business', t('Businesses', 'Negocios'), {
      ...prefill,
      one: t('Business', 'Negocio'),
      addLabel: t('Add a business', 'Agregar un negocio'),
      title: 'what',
      min: 1,
      max: 6,
      items: [
        text('name', t('Name of the business', 'Nombre del negocio'), prefill),
        text('what', t('What it does', 'A qué se dedica'), { ...required, ...prefill, tag: 'schc.activity' }),
        identifier('ein', t('EIN', 'EIN'), { ...prefill, scheme: 'ein', none: true, tag: 'schc.ein' }),
        date('started', t('Started, if in {taxYear}', 'Inicio, si fue en {taxYear}')),
        date('ended', t('Ended, if in {taxYear}', 'Cierre, si fue en {taxYear}')),
        choice('method', t('Accounting method', 'Método contable'), {
          ...prefill,
          choices: [
            c('cash', 'Cash', 'Caja'),
            c('accrual', 'Accrual', 'Devengado'),
            c('unsure', "I'm not sure", 'No estoy seguro'),
          ],
        }),
        money('receipts', t('Gross receipts', 'Ingresos brutos'), {
          ...required,
          ...usd,
          tag: 'schc.receipts',
        }),
        money('returns', t('Returns and allowances', 'Devoluciones y descuentos'), {
          ...usd,
          tag: 'schc.returns',
        }),
        files('forms', t('Forms 1099-NEC and 1099-K', 'Formularios 1099-NEC y 1099-K'), { none: true }),
        money('stock-start', t('Inventory at the start of the year', 'Inventario al inicio del año'), usd),
        money('stock-end', t('Inventory at the end of the year', 'Inventario al cierre del año'), usd),
        ...COSTS,
      ],
    }),
    files(
      'profit-loss',
      t(
        'Or upload the profit and loss statement and trial balance instead of typing the costs',
        'O suba el estado de resultados y el balance de comprobación en lugar de escribir los gastos',
      ),
      { notYet: true },
    ),
    group('vehicle', t('Vehicles used for the business', 'Vehículos usados en el negocio'), {
      ...prefill,
      one: t('Vehicle', 'Vehículo'),
      addLabel: t('Add a vehicle', 'Agregar un vehículo'),
      title: 'what',
      max: 5,
      items: [
        text('what', t('Make and model', 'Marca y modelo'), { ...required, ...prefill }),
        date('since', t('In use for the business since', 'En uso para el negocio desde'), prefill),
        number('business-miles', t('Business miles', 'Millas de negocio'), required),
        number('total-miles', t('Total miles', 'Millas totales'), required),
        yesNo('log', t('Do you have a written log?', '¿Lleva un registro escrito?')),
      ],
    }),
    number(
      'home-office',
      t(
        'Square feet of an office at home used only for work',
        'Pies cuadrados de una oficina en casa usada solo para trabajar',
      ),
      { none: true },
    ),
    number(
      'home-size',
      t('Square feet of the whole home', 'Pies cuadrados de toda la vivienda'),
      when(atLeast('home-office', 1)),
    ),
    money(
      'home-rent',
      t('Rent or mortgage interest of the home', 'Alquiler o intereses hipotecarios de la vivienda'),
      when(atLeast('home-office', 1)),
    ),
    money(
      'home-utilities',
      t('Utilities of the home', 'Servicios públicos de la vivienda'),
      when(atLeast('home-office', 1)),
    ),
    money(
      'home-insurance',
      t('Insurance of the home', 'Seguro de la vivienda'),
      when(atLeast('home-office', 1)),
    ),
    group('assets', t('Equipment bought or sold', 'Equipos comprados o vendidos'), {
      one: t('Item', 'Bien'),
      addLabel: t('Add an item', 'Agregar un bien'),
      title: 'what',
      max: 40,
      items: [
        text('what', t('What', 'Qué'), required),
        choice('direction', t('Bought or sold?', '¿Comprado o vendido?'), {
          ...required,
          choices: [c('bought', 'Bought', 'Comprado'), c('sold', 'Sold', 'Vendido')],
        }),
        date('date', t('Date', 'Fecha'), required),
        money('amount', t('Cost or price', 'Costo o precio'), { ...required, ...usd }),
        files('invoice', t('Invoice', 'Factura')),
      ],
    }),
    yesNo(
      'contractors-2025',
      t(
        'Did you pay anyone $600 or more for services?',
        '¿Le pagó a alguien 600 dólares o más por servicios?',
      ),
      when(atMost('taxYear', 2025)),
    ),
    yesNo(
      'contractors',
      t(
        'Did you pay anyone $2,000 or more for services?',
        '¿Le pagó a alguien 2.000 dólares o más por servicios?',
      ),
      when(atLeast('taxYear', 2026)),
    ),
    yesNo(
      'contractor-forms',
      t('Were Forms 1099-NEC filed for them?', '¿Se presentaron los Formularios 1099-NEC correspondientes?'),
      { ...whenAny(is('contractors-2025'), is('contractors')), unsure: true },
    ),
    money('own-health', t('Own health insurance premiums', 'Primas de su propio seguro de salud'), {
      none: true,
      tag: '1040.se-health',
    }),
    money(
      'own-retirement',
      t('Payments to your own retirement plan', 'Pagos a su propio plan de jubilación'),
      { none: true },
    ),
  ],
  applies('business'),
);

const k1 = section(
  'k1',
  t('Schedule K-1', 'Anexo K-1'),
  [
    group(
      'k1',
      t(
        'Partnerships, S corporations, trusts and estates',
        'Sociedades, S corporations, fideicomisos y sucesiones',
      ),
      {
        ...prefill,
        one: t('Entity', 'Entidad'),
        addLabel: t('Add an entity', 'Agregar una entidad'),
        title: 'entity',
        min: 1,
        max: 30,
        items: [
          text('entity', t('Entity', 'Entidad'), { ...required, ...prefill }),
          choice('kind', t('Kind', 'Tipo'), {
            ...prefill,
            choices: [
              c('partnership', 'Partnership (1065)', 'Sociedad (1065)'),
              c('s-corporation', 'S corporation (1120-S)', 'S corporation (1120-S)'),
              c('trust', 'Trust or estate (1041)', 'Fideicomiso o sucesión (1041)'),
            ],
          }),
          files('form', t('Schedule K-1', 'Anexo K-1'), { ...required, tag: 'k1.form' }),
          yesNo('money-moved', t('Did you put in or take out money?', '¿Aportó o retiró dinero?')),
        ],
      },
    ),
  ],
  applies('k1'),
);

const home = section(
  'home',
  t('Your home', 'Su vivienda'),
  [
    group('mortgage', t('Mortgages', 'Hipotecas'), {
      ...prefill,
      one: t('Mortgage', 'Hipoteca'),
      addLabel: t('Add a mortgage', 'Agregar una hipoteca'),
      title: 'lender',
      max: 5,
      items: [
        text('lender', t('Lender', 'Entidad prestamista'), { ...required, ...prefill }),
        files('form', t('Form 1098', 'Formulario 1098'), { ...required, tag: 'scha.1098' }),
        yesNo('refinanced', t('Was it refinanced in {taxYear}?', '¿Se refinanció en {taxYear}?')),
        money('points', t('Points paid', 'Puntos pagados'), { none: true }),
        yesNo(
          'before-2017',
          t(
            'Was the loan taken on or before December 15, 2017?',
            '¿El préstamo se tomó el 15 de diciembre de 2017 o antes?',
          ),
          { ...prefill, unsure: true },
        ),
      ],
    }),
    money('property-tax', t('Real-estate tax paid', 'Impuesto inmobiliario pagado'), {
      none: true,
      tag: 'scha.property-tax',
    }),
    money(
      'other-tax',
      t(
        'Car registration or other personal-property tax',
        'Patente del automóvil u otro impuesto sobre bienes personales',
      ),
      { none: true },
    ),
    paragraph(
      'equity-use',
      t(
        'Home-equity loan: what was the money used for?',
        'Préstamo con garantía de la vivienda: ¿para qué se usó el dinero?',
      ),
      { none: true },
    ),
  ],
  applies('home'),
);

const gave = applies('charity');
const medicalCosts = applies('medical');
const carLoan = when(is('car-loan'));

const deductions = section('deductions', t('Deductions', 'Deducciones'), [
  money(
    'state-tax',
    t(
      'State or local tax paid this year for an earlier year',
      'Impuesto estatal o local pagado este año por un año anterior',
    ),
    { none: true },
  ),
  money(
    'sales-tax',
    t(
      'Sales tax on a large purchase, such as a car or boat',
      'Impuesto sobre las ventas de una compra importante, como un auto o un bote',
    ),
    { none: true },
  ),
  group('cash-gifts', t('Gifts of money', 'Donaciones en dinero'), {
    ...gave,
    one: t('Gift', 'Donación'),
    addLabel: t('Add a gift', 'Agregar una donación'),
    title: 'charity',
    max: 40,
    items: [
      text('charity', t('Charity', 'Organización'), { ...required, ...prefill }),
      money('amount', t('Amount', 'Importe'), required),
      files('letter', t('Letter from the charity', 'Carta de la organización'), {
        ...when(atLeast('amount', 250)),
        hint: t('Needed for $250 or more', 'Necesaria a partir de 250 dólares'),
      }),
    ],
  }),
  group('goods', t('Gifts of goods', 'Donaciones de bienes'), {
    ...gave,
    one: t('Goods', 'Bienes'),
    addLabel: t('Add goods', 'Agregar bienes'),
    title: 'what',
    max: 20,
    items: [
      text('what', t('What goods?', '¿Qué bienes?'), required),
      text('where', t('To which charity?', '¿A qué organización?'), required),
      money('value', t('Value', 'Valor'), required),
      text('how', t('How was it valued?', '¿Cómo se valuó?')),
      files('receipt', t('Receipt', 'Recibo')),
      files('appraisal', t('Appraisal', 'Tasación'), { ...required, ...when(atLeast('value', 5000.01)) }),
    ],
  }),
  number('charity-miles', t('Miles driven for charity', 'Millas recorridas por voluntariado'), {
    ...gave,
    none: true,
  }),
  money(
    'med-premiums',
    t('Health insurance premiums that you paid yourself', 'Primas de seguro de salud que pagó usted'),
    { ...medicalCosts, none: true, tag: 'scha.premiums' },
  ),
  money('med-doctors', t('Doctors, hospitals and dentists', 'Médicos, hospitales y dentistas'), {
    ...medicalCosts,
    none: true,
    tag: 'scha.doctors',
  }),
  money('med-drugs', t('Prescriptions', 'Medicamentos recetados'), { ...medicalCosts, none: true }),
  money('med-glasses', t('Glasses and hearing aids', 'Anteojos y audífonos'), {
    ...medicalCosts,
    none: true,
  }),
  money('med-care', t('Long-term care', 'Cuidados prolongados'), { ...medicalCosts, none: true }),
  number('med-miles', t('Miles driven for medical care', 'Millas recorridas por atención médica'), {
    ...medicalCosts,
    none: true,
  }),
  money('med-repaid', t('Paid back by insurance', 'Reembolsado por el seguro'), {
    ...medicalCosts,
    none: true,
  }),
  yesNo(
    'car-loan',
    t(
      'Did you pay interest on a loan, taken after December 31, 2024, for a new car for personal use with final assembly in the US?',
      '¿Pagó intereses de un préstamo, tomado después del 31 de diciembre de 2024, para un auto nuevo de uso personal con ensamblaje final en EE. UU.?',
    ),
    { ...when(...from2025to2028), unsure: true },
  ),
  money('car-interest', t('Interest paid on the car loan', 'Intereses pagados del préstamo del auto'), {
    ...required,
    ...carLoan,
  }),
  identifier(
    'car-vin',
    t('Vehicle identification number (VIN)', 'Número de identificación del vehículo (VIN)'),
    { ...required, ...carLoan, scheme: 'vin' },
  ),
  files('car-statement', t('Statement of the lender', 'Resumen del prestamista'), carLoan),
  yesNo(
    'educator',
    t('Are you a teacher who paid for classroom costs?', '¿Es docente y pagó gastos del aula?'),
  ),
  money('educator-amount', t('Amount', 'Importe'), {
    ...required,
    ...when(is('educator')),
    tag: '1040.educator',
  }),
  yesNo(
    'casualty',
    t(
      'Did you have a loss in a federally declared disaster?',
      '¿Sufrió una pérdida en un desastre declarado a nivel federal?',
    ),
  ),
  text(
    'casualty-number',
    t('FEMA number of the disaster', 'Número de FEMA del desastre'),
    when(is('casualty')),
  ),
  files(
    'casualty-papers',
    t('Insurance and repair documents', 'Documentos del seguro y de las reparaciones'),
    when(is('casualty')),
  ),
]);

const education = section(
  'education',
  t('Education', 'Educación'),
  [
    group('student', t('Students', 'Estudiantes'), {
      one: t('Student', 'Estudiante'),
      addLabel: t('Add a student', 'Agregar un estudiante'),
      title: 'who',
      max: 8,
      items: [
        text('who', t('Who studied?', '¿Quién estudió?'), { ...required, ...prefill }),
        text('school', t('School', 'Institución'), { ...required, ...prefill }),
        files('form', t('Form 1098-T', 'Formulario 1098-T'), { none: true, tag: '8863.1098-t' }),
        choice('year', t('Year of study', 'Año de estudio'), {
          choices: [
            c('first', 'First', 'Primero'),
            c('second', 'Second', 'Segundo'),
            c('third', 'Third', 'Tercero'),
            c('fourth', 'Fourth', 'Cuarto'),
            c('graduate', 'Graduate or later', 'Posgrado o posterior'),
          ],
        }),
        money('books', t('Books and supplies', 'Libros y materiales'), { none: true }),
        money('scholarship', t('Scholarships and grants', 'Becas y subsidios'), { none: true }),
      ],
    }),
    files(
      'loan-interest',
      t(
        'Form 1098-E for student loan interest',
        'Formulario 1098-E por intereses de préstamos estudiantiles',
      ),
      { none: true, tag: '1040.1098-e' },
    ),
    money('plan-529-in', t('Paid into a 529 plan', 'Aportes a un plan 529'), { none: true }),
    money('plan-529-out', t('Taken out of a 529 plan', 'Retiros de un plan 529'), { none: true }),
    files('plan-529-form', t('Form 1099-Q', 'Formulario 1099-Q'), when(atLeast('plan-529-out', 0.01))),
  ],
  applies('college'),
);

const until2025 = when(atMost('taxYear', 2025));
const cleanCar = when(is('clean-car'));
const charger = when(is('charger'));

const energy = section(
  'energy',
  t('Energy and clean cars', 'Energía y vehículos limpios'),
  [
    note(
      'credits-ended',
      t(
        'Home energy credits ended for property put in use or money spent after December 31, 2025. Clean car credits ended for cars acquired after September 30, 2025.',
        'Los créditos de energía para el hogar terminaron para bienes puestos en uso o gastos posteriores al 31 de diciembre de 2025. Los créditos para vehículos limpios terminaron para los adquiridos después del 30 de septiembre de 2025.',
      ),
    ),
    group('home-energy', t('Improvements of your home', 'Mejoras de su vivienda'), {
      ...until2025,
      one: t('Improvement', 'Mejora'),
      addLabel: t('Add an improvement', 'Agregar una mejora'),
      title: 'what',
      max: 12,
      items: [
        choice('what', t('What was it?', '¿Qué fue?'), {
          ...required,
          look: 'select',
          choices: [
            c('insulation', 'Insulation', 'Aislamiento'),
            c('windows', 'Windows', 'Ventanas'),
            c('doors', 'Doors', 'Puertas'),
            c('heat-pump', 'Heat pump', 'Bomba de calor'),
            c('water-heater', 'Water heater', 'Calentador de agua'),
            c('audit', 'Energy audit', 'Auditoría energética'),
            c('solar', 'Solar', 'Energía solar'),
            c('battery', 'Battery', 'Batería'),
            c('geothermal', 'Geothermal', 'Geotermia'),
          ],
        }),
        date('finished', t('Finished on', 'Fecha de finalización'), { ...required, latest: '2025-12-31' }),
        money('cost', t('Cost', 'Costo'), required),
        text(
          'pin',
          t(
            "Manufacturer's identification number (QMID) or PIN",
            'Número de identificación del fabricante (QMID) o PIN',
          ),
        ),
        files('invoice', t('Invoice', 'Factura'), required),
      ],
    }),
    yesNo(
      'clean-car',
      t(
        'Did you buy a clean vehicle by September 30, 2025, or with a binding contract and a payment by then?',
        '¿Compró un vehículo limpio hasta el 30 de septiembre de 2025, o con un contrato vinculante y un pago hasta esa fecha?',
      ),
      when(atMost('taxYear', 2026)),
    ),
    date('clean-bought', t('Bought on', 'Fecha de compra'), { ...required, ...cleanCar }),
    identifier(
      'clean-vin',
      t('Vehicle identification number (VIN)', 'Número de identificación del vehículo (VIN)'),
      { ...required, ...cleanCar, scheme: 'vin', tag: '8936.vin' },
    ),
    files('clean-report', t("Dealer's report", 'Informe del concesionario'), { ...required, ...cleanCar }),
    yesNo(
      'clean-transfer',
      t('Was the credit taken at the dealer?', '¿Se aplicó el crédito en el concesionario?'),
      cleanCar,
    ),
    yesNo(
      'charger',
      t(
        'Did you put a charger at home in use by June 30, 2026?',
        '¿Puso en uso un cargador en su casa hasta el 30 de junio de 2026?',
      ),
      when(atMost('taxYear', 2026)),
    ),
    money('charger-cost', t('Cost of the charger', 'Costo del cargador'), { ...required, ...charger }),
    address('charger-address', t('Where is it?', '¿Dónde está?'), charger),
  ],
  when(atMost('taxYear', 2026)),
);

const hasAccounts = when(is('accounts'));

const foreign = section(
  'foreign',
  t('Outside the US', 'Fuera de EE. UU.'),
  [
    yesNo(
      'accounts',
      t(
        'Did you own, or could you sign for, an account outside the US?',
        '¿Tuvo una cuenta fuera de EE. UU. o firma autorizada sobre una?',
      ),
      { ...required, tag: 'schb.foreign-accounts' },
    ),
    yesNo(
      'over-10000',
      t(
        'Was the total of all these accounts over $10,000 on any day?',
        '¿El total de esas cuentas superó los 10.000 dólares algún día?',
      ),
      {
        ...required,
        ...hasAccounts,
        unsure: true,
        why: t(
          'above it, a report of foreign accounts (FBAR) is due.',
          'por encima de ese monto debe presentarse el informe de cuentas extranjeras (FBAR).',
        ),
      },
    ),
    group('account', t('Accounts outside the US', 'Cuentas fuera de EE. UU.'), {
      ...hasAccounts,
      ...prefill,
      one: t('Account', 'Cuenta'),
      addLabel: t('Add an account', 'Agregar una cuenta'),
      title: 'bank',
      max: 40,
      items: [
        text('bank', t('Bank', 'Banco'), { ...required, ...prefill }),
        text('country', t('Country', 'País'), { ...required, ...prefill }),
        identifier('number', t('Account number', 'Número de cuenta'), {
          ...required,
          ...prefill,
          scheme: 'account',
          tag: 'fbar.account',
        }),
        choice('owner', t('Owner', 'Titular'), {
          ...prefill,
          choices: [...OWNER, c('signature', 'Signature authority only', 'Solo firma autorizada')],
        }),
        money(
          'highest',
          t(
            'Highest balance of the year, in US dollars',
            'Saldo más alto del año, en dólares estadounidenses',
          ),
          { ...required, ...usd, tag: 'fbar.highest' },
        ),
        yesNo('closed', t('Was it closed in {taxYear}?', '¿Se cerró en {taxYear}?')),
      ],
    }),
    group('foreign-income', t('Income from abroad', 'Ingresos del exterior'), {
      one: t('Income', 'Ingreso'),
      addLabel: t('Add income', 'Agregar un ingreso'),
      title: 'country',
      max: 20,
      items: [
        text('country', t('Country', 'País'), required),
        choice('kind', t('Kind', 'Tipo'), {
          ...required,
          choices: [
            c('wages', 'Wages', 'Salario'),
            c('pension', 'Pension', 'Pensión'),
            c('rent', 'Rent', 'Alquiler'),
            c('interest', 'Interest or dividends', 'Intereses o dividendos'),
            c('other', 'Other', 'Otro'),
          ],
        }),
        money('amount', t('Amount in US dollars', 'Importe en dólares estadounidenses'), {
          ...required,
          ...usd,
        }),
        money('tax', t('Tax paid there, in US dollars', 'Impuesto pagado allí, en dólares estadounidenses'), {
          ...usd,
          none: true,
          tag: '1116.tax',
        }),
        number('days', t('Days that you spent outside the US', 'Días que pasó fuera de EE. UU.'), {
          max: 366,
        }),
      ],
    }),
    choices(
      'foreign-other',
      t('Did you have any of these outside the US?', '¿Tuvo algo de esto fuera de EE. UU.?'),
      {
        choices: [
          c('company', 'A company', 'Una empresa'),
          c('trust', 'A trust', 'Un fideicomiso'),
          c(
            'gift',
            'A gift or inheritance over $100,000',
            'Una donación o herencia de más de 100.000 dólares',
          ),
          c('property', 'Property', 'Un inmueble'),
          none('None of these', 'Nada de esto'),
        ],
      },
    ),
    paragraph(
      'foreign-details',
      t('Tell us about it', 'Cuéntenos los detalles'),
      whenAny(
        includes('foreign-other', 'company'),
        includes('foreign-other', 'trust'),
        includes('foreign-other', 'gift'),
        includes('foreign-other', 'property'),
      ),
    ),
  ],
  applies('abroad'),
);

const payments = section('payments', t('Tax already paid', 'Impuestos ya pagados'), [
  group('estimated', t('Estimated tax payments', 'Pagos de impuesto estimado'), {
    one: t('Payment', 'Pago'),
    addLabel: t('Add a payment', 'Agregar un pago'),
    max: 12,
    items: [
      text('to', t('IRS, or which state', 'IRS, o qué estado'), required),
      choice('quarter', t('Quarter', 'Trimestre'), {
        ...required,
        choices: [
          c('q1', '1st (April)', '1.º (abril)'),
          c('q2', '2nd (June)', '2.º (junio)'),
          c('q3', '3rd (September)', '3.º (septiembre)'),
          c('q4', '4th (January)', '4.º (enero)'),
        ],
      }),
      date('paid', t('Paid on', 'Fecha de pago'), required),
      money('amount', t('Amount', 'Importe'), { ...required, tag: '1040.estimated' }),
    ],
  }),
  money(
    'last-refund',
    t("Last year's refund applied to {taxYear}", 'Reembolso del año anterior aplicado a {taxYear}'),
    { none: true },
  ),
  money('extension', t('Paid with an extension', 'Pagado con una prórroga'), { none: true }),
  files('notices', t('Letters from the IRS or a state this year', 'Cartas del IRS o de un estado este año'), {
    none: true,
  }),
]);

const hasBank = when(is('by-bank'));

const refund = section('refund', t('Refund or payment', 'Reembolso o pago'), [
  yesNo(
    'by-bank',
    t('Should a refund be paid to your bank account?', '¿Desea recibir el reembolso en su cuenta bancaria?'),
    required,
  ),
  identifier('routing', t('Routing number', 'Número de ruta (routing)'), {
    ...required,
    ...hasBank,
    scheme: 'routing',
    tag: '1040.routing',
  }),
  identifier('account', t('Account number', 'Número de cuenta'), {
    ...required,
    ...hasBank,
    scheme: 'account',
    tag: '1040.account',
  }),
  choice('account-kind', t('Kind of account', 'Tipo de cuenta'), {
    ...required,
    ...hasBank,
    choices: [c('checking', 'Checking', 'Corriente'), c('savings', 'Savings', 'De ahorro')],
  }),
  text('account-name', t('Name on the account', 'Titular de la cuenta'), { ...hasBank, format: 'name' }),
  files('voided-check', t('Voided check', 'Cheque anulado'), hasBank),
  choice('owe', t('If you owe', 'Si debe impuestos'), {
    choices: [
      c('debit', 'Debit my account on a date', 'Debitar de mi cuenta en una fecha'),
      c('self', 'I will pay it myself', 'Lo pagaré yo mismo'),
      c('instalments', 'I would like to pay in installments', 'Quiero pagar en cuotas'),
    ],
  }),
  date('owe-date', t('Debit on', 'Fecha del débito'), when(is('owe', 'debit'))),
]);

const householdHelp = section('household-help', t('Help at home', 'Personal doméstico'), [
  yesNo(
    'nanny',
    t(
      'Did you pay someone to work in your home, such as a nanny or cleaner?',
      '¿Le pagó a alguien para trabajar en su casa, como una niñera o personal de limpieza?',
    ),
  ),
  money('nanny-paid', t('Amount paid', 'Importe pagado'), {
    ...required,
    ...when(is('nanny')),
    tag: 'schh.wages',
  }),
  yesNo('nanny-w2', t('Was a W-2 issued?', '¿Se emitió un W-2?'), { ...when(is('nanny')), unsure: true }),
]);

const papers = section('papers', t('Documents', 'Documentos'), [
  yesNo(
    'new-client',
    t(
      'Is this the first return that we prepare for you?',
      '¿Es la primera declaración que preparamos para usted?',
    ),
    { lastYear: 'off' },
  ),
  files('last-return', t('Your returns of the last two years', 'Sus declaraciones de los últimos dos años'), {
    ...required,
    ...when(is('new-client')),
    none: true,
  }),
  files('all-papers', t('Anything else that you received by mail', 'Todo lo demás que recibió por correo'), {
    max: 200,
    none: true,
  }),
]);

const agree = section('agree', t('Confirm', 'Confirmar'), [
  paragraph(
    'anything-else',
    t('Is there anything else that we should know?', '¿Hay algo más que debamos saber?'),
  ),
  yesNo(
    'true',
    t(
      'To the best of my knowledge, this is complete and correct.',
      'A mi leal saber y entender, esta información es completa y correcta.',
    ),
    { ...required, mustBeYes: true, lastYear: 'off' },
  ),
]);

export const us1040: TemplateInput = {
  format: 1,
  key: 'us-1040',
  country: 'US',
  taxYear: 2026,
  languages: ['en-us', 'es'],
  label: t('Tax organizer {taxYear}', 'Cuestionario de impuestos {taxYear}'),
  sections: [
    start,
    you,
    spouse,
    dependents,
    health,
    wages,
    investments,
    sales,
    retirement,
    socialSecurity,
    rental,
    business,
    k1,
    home,
    deductions,
    education,
    energy,
    foreign,
    payments,
    refund,
    householdHelp,
    papers,
    agree,
  ],
};
