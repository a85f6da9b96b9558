import type { TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';
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
import { agreeSection, noneOfThese } from './closing.ts';
import { languagesFrom, properName } from './texts.ts';
import { STATES, us as t } from './us.ts';

/*
 * The organizer for a US individual income tax return. The first section is a map: what is ticked there shows its
 * sections, so that no one pages through all of them. Questions that depend on the law of a year have its conditions.
 */

const money = moneyIn('USD');
const usd = { whole: true } as const;
const c = (key: string, english: Parameters<typeof t>[0]) => ({ key, label: t(english) });
const applies = (key: string) => when(includes('start.applies', key));
const happened = (key: string) => includes('start.life-events', key);
const prefill = { lastYear: 'prefill' } as const;
/** Deductions of the law of July 4, 2025. */
const from2025to2028 = [atLeast('taxYear', 2025), atMost('taxYear', 2028)] as const;

const PERSON = [c('taxpayer', 'You'), c('spouse', 'Your spouse')];
const OWNER = [...PERSON, c('joint', 'Both of you')];

const start = section('start', t('Your year'), [
  choices('applies', t('Which of these applied to you in {taxYear}?'), {
    ...required,
    look: 'cards',
    hint: t('We only ask about what you choose here. You can come back and change it.'),
    choices: [
      c('wages', 'Wages from an employer (W-2)'),
      c('business', 'Your own business or gig work'),
      c('investments', 'Interest, dividends or investments'),
      c('sold', 'Sold property, shares or crypto'),
      c('retirement', 'Pension, IRA or other retirement income'),
      c('social-security', 'Social Security benefits'),
      c('rental', 'Rental property'),
      c('k1', 'Schedule K-1 from a partnership, S corporation or trust'),
      c('home', 'Owned a home'),
      c('charity', 'Gave to charity'),
      c('medical', 'Large medical costs'),
      c('child-care', 'Paid for child or dependent care'),
      c('college', 'College costs or student loans'),
      c('hsa', 'Health savings account (HSA)'),
      c('abroad', 'Accounts or income outside the US'),
      noneOfThese(t),
    ],
  }),
  choices('life-events', t('Did any of these happen in {taxYear}?'), {
    look: 'cards',
    choices: [
      c('married', 'Got married'),
      c('separated', 'Separated or divorced'),
      c('child', 'A child was born or adopted'),
      c('death', 'A death in the family'),
      c('moved', 'Moved'),
      c('home', 'Bought or sold a home'),
      c('job', 'Changed jobs'),
      c('retired', 'Retired'),
      c('business', 'Started or closed a business'),
      c('identity-theft', 'Identity theft'),
      noneOfThese(t),
    ],
  }),
]);

const you = section('you', t('About you'), [
  text('legal-name', t('Full name as on your Social Security card'), {
    ...required,
    ...prefill,
    format: 'name',
    tag: '1040.name',
  }),
  identifier('ssn', t('Social Security number or ITIN'), {
    ...required,
    ...prefill,
    scheme: 'ssn',
    tag: '1040.ssn',
    why: t('the IRS needs it to match your return.'),
  }),
  date('birth', t('Date of birth'), { ...required, ...prefill, tag: '1040.birth' }),
  text('occupation', t('Occupation'), { ...required, ...prefill, tag: '1040.occupation' }),
  phone('phone', t('Mobile phone'), { ...required, ...prefill, tag: '1040.phone' }),
  text('email', t('Email'), {
    ...required,
    ...prefill,
    format: 'email',
    tag: '1040.email',
  }),
  address('address', t('Home address on December 31, {taxYear}'), {
    ...required,
    ...prefill,
    tag: '1040.address',
  }),
  date('moved-date', t('When did you move?'), when(happened('moved'))),
  text('former-state', t('State where you lived before'), when(happened('moved'))),
  choices('states-worked', t('States where you lived or worked'), {
    choices: STATES,
  }),
  files('id-upload', t("Driver's license or state ID, front and back"), { max: 4 }),
  yesNo('blind', t('Are you legally blind?'), { tag: '1040.blind' }),
  yesNo('claimed', t('Can someone else claim you as a dependent?'), { unsure: true, tag: '1040.claimed' }),
  yesNo('ip-pin-issued', t('Has the IRS given you an Identity Protection PIN for this year?')),
  text('ip-pin', t('Its six digits'), {
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
    ),
    {
      ...required,
      tag: '1040.digital-assets',
      hint: t('Digital assets include cryptocurrency, stablecoins and NFTs.'),
    },
  ),
]);

const married = when(is('status', 'married'));

const spouse = section('spouse', t('Marriage'), [
  choice('status', t('Marital status on December 31, {taxYear}'), {
    ...required,
    tag: '1040.marital-status',
    choices: [
      c('single', 'Single'),
      c('married', 'Married'),
      c('separated', 'Legally separated'),
      c('divorced', 'Divorced'),
      c('widowed', 'Widowed'),
    ],
  }),
  date(
    'status-date',
    t('Date of the change'),
    whenAny(
      includes('start.life-events', 'married'),
      includes('start.life-events', 'separated'),
      includes('start.life-events', 'death'),
    ),
  ),
  text('sp-name', t("Your spouse's full name"), {
    ...required,
    ...prefill,
    ...married,
    format: 'name',
    tag: '1040.spouse-name',
  }),
  identifier('sp-ssn', t("Your spouse's Social Security number or ITIN"), {
    ...required,
    ...prefill,
    ...married,
    scheme: 'ssn',
    tag: '1040.spouse-ssn',
  }),
  date('sp-birth', t("Your spouse's date of birth"), {
    ...required,
    ...prefill,
    ...married,
    tag: '1040.spouse-birth',
  }),
  text('sp-occupation', t("Your spouse's occupation"), {
    ...required,
    ...prefill,
    ...married,
    tag: '1040.spouse-occupation',
  }),
  yesNo('joint', t('Do you expect to file jointly?'), {
    ...married,
    unsure: true,
  }),
  yesNo(
    'lived-apart',
    t('Did you live apart for the last six months of the year?'),
    whenAny(is('status', 'married'), is('status', 'separated')),
  ),
  group('alimony', t('Alimony paid or received'), {
    ...whenAny(is('status', 'divorced'), is('status', 'separated')),
    one: t('Alimony'),
    addLabel: t('Add alimony'),
    max: 4,
    items: [
      choice('direction', t('Paid or received?'), {
        ...required,
        choices: [c('paid', 'Paid'), c('received', 'Received')],
      }),
      money('amount', t('Amount in {taxYear}'), required),
      date('agreement', t('Date of the agreement or decree')),
      identifier('other-ssn', t("The other person's Social Security number"), { scheme: 'ssn' }),
    ],
  }),
]);

const dependents = section('dependents', t('Children and dependents'), [
  yesNo('any', t('Did you support a child or another person in {taxYear}?'), required),
  group('dependent', t('Dependents'), {
    ...when(is('any')),
    ...prefill,
    one: t('Dependent'),
    addLabel: t('Add a dependent'),
    title: 'first-name',
    max: 20,
    items: [
      text('first-name', t('First name'), { ...required, ...prefill, format: 'name' }),
      text('last-name', t('Last name'), { ...required, ...prefill, format: 'name' }),
      identifier('ssn', t('Social Security number, ITIN or ATIN'), {
        ...required,
        ...prefill,
        scheme: 'ssn',
        none: true,
      }),
      date('birth', t('Date of birth'), { ...required, ...prefill }),
      choice('relationship', t('Relationship to you'), {
        ...required,
        ...prefill,
        choices: [
          c('child', 'Son or daughter'),
          c('stepchild', 'Stepchild'),
          c('foster-child', 'Foster child'),
          c('grandchild', 'Grandchild'),
          c('sibling', 'Brother or sister'),
          c('parent', 'Parent'),
          c('other-relative', 'Other relative'),
          c('not-related', 'Not related'),
        ],
      }),
      number('months', t('Months in your home in {taxYear}'), {
        ...required,
        max: 12,
      }),
      yesNo('student', t('Full-time student?')),
      yesNo('disabled', t('Permanently disabled?')),
      money('income', t('Own income'), { none: true }),
      yesNo('other-claim', t('Can someone else claim this person?'), { unsure: true }),
    ],
  }),
  yesNo('custody', t('Is there a custody agreement or Form 8332?'), when(is('any'))),
  files('custody-papers', t('Custody agreement or Form 8332'), when(is('custody'))),
  group('care', t('Child or dependent care'), {
    ...applies('child-care'),
    one: t('Provider'),
    addLabel: t('Add a provider'),
    title: 'provider',
    max: 10,
    items: [
      text('provider', t('Name of the provider'), { ...required, ...prefill }),
      address('address', t('Address of the provider'), prefill),
      choice('id-kind', t('Which number does the provider have?'), {
        ...required,
        ...prefill,
        choices: [c('ein', 'EIN (a business)'), c('ssn', 'Social Security number (a person)')],
      }),
      identifier('ein', properName('EIN'), {
        ...required,
        ...prefill,
        ...when(is('id-kind', 'ein')),
        scheme: 'ein',
      }),
      identifier('ssn', t('Social Security number'), {
        ...required,
        ...prefill,
        ...when(is('id-kind', 'ssn')),
        scheme: 'ssn',
      }),
      text('child', t('Who was cared for?')),
      money('paid', t('Amount paid in {taxYear}'), required),
    ],
  }),
  money('care-fsa', t('Dependent-care benefits from an employer'), {
    ...applies('child-care'),
    none: true,
    hint: t('W-2, box 10'),
  }),
  yesNo('trump-account', t('Do you want to open or fund an account for a child born in 2025–2028?'), {
    ...when(is('any'), atLeast('taxYear', 2025)),
    unsure: true,
  }),
]);

const health = section('health', t('Health insurance'), [
  choices('cover', t('Who had coverage all year, and of what kind? Choose every kind that applies'), {
    ...required,
    choices: [
      c('employer', 'Through an employer'),
      c('marketplace', 'Marketplace (HealthCare.gov or state exchange)'),
      { key: 'medicare', label: properName('Medicare') },
      c('medicaid', 'Medicaid or CHIP'),
      c('other', 'Other coverage'),
      c('none', 'Someone had no coverage for part of the year'),
    ],
  }),
  text('cover-who', t('Who had no coverage, and in which months?'), when(includes('cover', 'none'))),
  files('form-1095a', t('Form 1095-A for the Marketplace plan'), {
    ...required,
    ...when(includes('cover', 'marketplace')),
    tag: '8962.1095-a',
  }),
  choice('hsa-type', t('HSA coverage'), {
    ...applies('hsa'),
    tag: '8889.cover',
    choices: [c('self', 'Self only'), c('family', 'Family')],
  }),
  money('hsa-own', t('You paid in yourself, not by payroll'), {
    ...applies('hsa'),
    none: true,
    tag: '8889.contributions',
  }),
  yesNo('hsa-used', t('Was all money taken out used for medical costs?'), {
    ...applies('hsa'),
    unsure: true,
  }),
  files('hsa-forms', t('Forms 1099-SA and 5498-SA'), applies('hsa')),
]);

const wages = section('wages', t('Wages and other income'), [
  group('w2', t('W-2s'), {
    ...applies('wages'),
    ...prefill,
    one: t('Employer'),
    addLabel: t('Add an employer'),
    title: 'employer',
    min: 1,
    max: 12,
    items: [
      text('employer', t('Employer'), { ...required, ...prefill }),
      choice('whose', t('Whose job?'), {
        ...required,
        ...prefill,
        choices: PERSON,
      }),
      files('w2', t('W-2 for {taxYear}'), { ...required, max: 5, tag: 'w2.form' }),
    ],
  }),
  yesNo('tips', t('Did you earn tips?'), when(includes('start.applies', 'wages'), ...from2025to2028)),
  money('tips-amount', t('Tips that are not on the W-2'), {
    ...when(is('tips')),
    none: true,
  }),
  text('tips-occupation', t('In which occupation?'), when(is('tips'))),
  yesNo(
    'overtime',
    t('Were you paid overtime at time and a half?'),
    when(includes('start.applies', 'wages'), ...from2025to2028),
  ),
  files('overtime-stub', t('Last pay stub of the year'), when(is('overtime'))),
  yesNo('stock-comp', t('Did you have stock options, RSUs or an ESPP?'), applies('wages')),
  files('stock-papers', t('Statements and Forms 1099-B, 3921 and 3922'), when(is('stock-comp'))),
  yesNo('unemployment', t('Did you receive unemployment or paid family leave?')),
  files('unemployment-form', t('Form 1099-G'), {
    ...required,
    ...when(is('unemployment')),
    tag: '1040.1099-g',
  }),
  group('other-income', t('Other income: gambling, jury duty, prizes, hobby, canceled debt'), {
    one: t('Income'),
    addLabel: t('Add other income'),
    title: 'what',
    max: 20,
    items: [
      text('what', t('What was it?'), required),
      money('amount', t('Amount'), required),
      files('papers', t('Forms or statements')),
    ],
  }),
]);

const investments = section(
  'investments',
  t('Interest and dividends'),
  [
    group('int-div', t('Banks and brokers'), {
      ...prefill,
      one: t('Bank or broker'),
      addLabel: t('Add a bank or broker'),
      title: 'payer',
      max: 40,
      items: [
        text('payer', t('Bank or broker'), { ...required, ...prefill }),
        choice('kind', t('What did it pay?'), {
          ...prefill,
          choices: [c('interest', 'Interest'), c('dividends', 'Dividends'), c('both', 'Both')],
        }),
        files('forms', t('1099-INT, 1099-DIV or consolidated 1099'), { ...required, tag: 'schb.1099' }),
        yesNo('closed', t('Was the account closed in {taxYear}?')),
      ],
    }),
    group('seller-financed', t('Interest from a loan that you made'), {
      one: t('Borrower'),
      addLabel: t('Add a borrower'),
      title: 'name',
      max: 10,
      items: [
        text('name', t('Name'), { ...required, ...prefill }),
        identifier('ssn', t('Social Security number'), {
          ...prefill,
          scheme: 'ssn',
        }),
        money('amount', t('Interest in {taxYear}'), required),
      ],
    }),
    yesNo('exempt', t('Did you receive tax-exempt interest?'), {
      unsure: true,
    }),
    yesNo('bonds', t('Did you cash savings bonds to pay for college?')),
  ],
  applies('investments'),
);

const soldSomething = applies('sold');

const sales = section(
  'sales',
  t('Sales and digital assets'),
  [
    group('sold', t('What you sold'), {
      ...soldSomething,
      one: t('Sale'),
      addLabel: t('Add a sale'),
      title: 'what',
      hint: t('For shares, the 1099-B of your broker is enough: add one entry and upload it.'),
      max: 60,
      items: [
        choice('what', t('What did you sell?'), {
          ...required,
          choices: [
            c('shares', 'Shares or funds'),
            c('real-estate', 'Real estate'),
            c('crypto', 'Crypto or other digital asset'),
            c('collectible', 'Collectible'),
            c('other', 'Other'),
          ],
        }),
        date('bought', t('Bought on')),
        date('sold', t('Sold on'), required),
        money('price', t('Sale price'), { ...required, ...usd }),
        money('cost', t('Cost'), { ...usd, none: true }),
        files('forms', t('1099-B, 1099-S or 1099-DA'), { tag: '8949.forms' }),
      ],
    }),
    paragraph('crypto-source', t('Exchanges and wallets that you used'), when(is('you.digital-assets'))),
    files('crypto-file', t('File of all transactions of the year (CSV)'), when(is('you.digital-assets'))),
    money('crypto-income', t('Staking, mining, airdrops or pay in crypto: value when received'), {
      ...when(is('you.digital-assets')),
      none: true,
    }),
    yesNo('home-sold', t('Did you sell your main home?'), when(happened('home'))),
    date('home-from', t('Lived there from'), when(is('home-sold'))),
    date('home-to', t('Lived there until'), when(is('home-sold'))),
    money('home-price', t('Sale price of the home'), {
      ...when(is('home-sold')),
      ...usd,
      ...required,
    }),
    money('home-cost', t('What it cost, with improvements'), {
      ...when(is('home-sold')),
      ...usd,
    }),
    files('home-closing', t('Closing statement'), when(is('home-sold'))),
    yesNo('worthless', t('Did a security become worthless?'), soldSomething),
    yesNo('installment', t('Did you receive payments from an earlier sale?'), soldSomething),
    yesNo('exchange', t('Did you make a like-kind exchange?'), { ...soldSomething, unsure: true }),
    paragraph(
      'sale-details',
      t('Tell us about it'),
      whenAny(is('worthless'), is('installment'), is('exchange')),
    ),
  ],
  whenAny(includes('start.applies', 'sold'), is('you.digital-assets'), includes('start.life-events', 'home')),
);

const retired = applies('retirement');

const retirement = section('retirement', t('Retirement'), [
  group('plans', t('Pensions, IRAs and annuities'), {
    ...retired,
    ...prefill,
    one: t('Payer'),
    addLabel: t('Add a payer'),
    title: 'payer',
    max: 20,
    items: [
      text('payer', t('Payer'), { ...required, ...prefill }),
      files('form', t('Form 1099-R'), { ...required, tag: '1040.1099-r' }),
      yesNo('rollover', t('Was it rolled over?'), { unsure: true }),
      yesNo('early', t('Was it taken before age 59½?')),
      text('early-why', t('Why?'), when(is('early'))),
    ],
  }),
  yesNo('rmd', t('Was the required minimum distribution taken?'), { ...retired, unsure: true }),
  money('qcd', t('Given to charity directly from an IRA'), {
    ...retired,
    none: true,
  }),
  money('ira', t('Paid into a traditional IRA for {taxYear}'), { none: true, tag: '1040.ira' }),
  money('roth', t('Paid into a Roth IRA for {taxYear}'), {
    none: true,
  }),
  money('self-plan', t('Paid into a SEP, SIMPLE or solo 401(k) for {taxYear}'), { none: true }),
  yesNo('conversion', t('Did you convert money to a Roth IRA?')),
  money('conversion-amount', t('Amount converted'), {
    ...required,
    ...when(is('conversion')),
  }),
]);

const socialSecurity = section(
  'social-security',
  t('Social Security'),
  [
    files('ssa', t('SSA-1099 or RRB-1099, for you and your spouse'), { ...required, tag: '1040.ssa-1099' }),
    yesNo('lump-sum', t('Did you receive a lump sum for earlier years?'), { unsure: true }),
  ],
  applies('social-security'),
);

const rental = section(
  'rental',
  t('Rental property'),
  [
    group('property', t('Properties'), {
      ...prefill,
      one: t('Property'),
      addLabel: t('Add a property'),
      min: 1,
      max: 20,
      items: [
        address('address', t('Address'), { ...required, ...prefill }),
        choice('kind', t('Kind of property'), {
          ...required,
          ...prefill,
          choices: [
            c('single', 'Single-family home'),
            c('multi', 'Multi-family'),
            c('vacation', 'Vacation or short-term rental'),
            c('commercial', 'Commercial'),
            c('land', 'Land'),
            c('other', 'Other'),
          ],
        }),
        number('days-rented', t('Days rented'), { ...required, max: 366 }),
        number('days-own', t('Days of your own use'), { max: 366 }),
        date('bought', t('Bought on'), prefill),
        money('rents', t('Rents received'), {
          ...required,
          ...usd,
          tag: 'sche.rents',
        }),
        money('advertising', t('Advertising'), { ...usd, tag: 'sche.advertising' }),
        money('cleaning', t('Cleaning and maintenance'), {
          ...usd,
          tag: 'sche.cleaning',
        }),
        money('insurance', t('Insurance'), { ...usd, tag: 'sche.insurance' }),
        money('management', t('Management fees'), {
          ...usd,
          tag: 'sche.management',
        }),
        money('mortgage', t('Mortgage interest'), { ...usd, tag: 'sche.mortgage' }),
        money('repairs', t('Repairs'), { ...usd, tag: 'sche.repairs' }),
        money('taxes', t('Taxes'), { ...usd, tag: 'sche.taxes' }),
        money('utilities', t('Utilities'), { ...usd, tag: 'sche.utilities' }),
        money('other', t('Other costs'), { ...usd, tag: 'sche.other' }),
        paragraph('improvements', t('Improvements: what, when and how much')),
        files('papers', t('Form 1098 and settlement statement')),
      ],
    }),
    yesNo('active', t('Do you take part in managing the property?')),
    yesNo('short-term', t('Was the average stay seven days or fewer?'), { unsure: true }),
  ],
  applies('rental'),
);

const COSTS = (
  [
    ['advertising', 'Advertising'],
    ['car', 'Car and truck'],
    ['commissions', 'Commissions and fees'],
    ['contractors', 'Contract labor'],
    ['insurance', 'Insurance, not health'],
    ['interest', 'Interest'],
    ['legal', 'Legal and professional'],
    ['office', 'Office'],
    ['rent', 'Rent'],
    ['repairs', 'Repairs'],
    ['supplies', 'Supplies'],
    ['taxes', 'Taxes and licenses'],
    ['travel', 'Travel'],
    ['meals', 'Business meals'],
    ['utilities', 'Utilities'],
    ['wages', 'Wages'],
    ['other', 'Other costs'],
  ] as const
).map(([key, english]) => money(key, t(english), { ...usd, tag: `schc.${key}` }));

const business = section(
  'business',
  t('Your own business'),
  [
    group('business', t('Businesses'), {
      ...prefill,
      one: t('Business'),
      addLabel: t('Add a business'),
      title: 'what',
      min: 1,
      max: 6,
      items: [
        text('name', t('Name of the business'), prefill),
        text('what', t('What it does'), { ...required, ...prefill, tag: 'schc.activity' }),
        identifier('ein', properName('EIN'), { ...prefill, scheme: 'ein', none: true, tag: 'schc.ein' }),
        date('started', t('Started, if in {taxYear}')),
        date('ended', t('Ended, if in {taxYear}')),
        choice('method', t('Accounting method'), {
          ...prefill,
          choices: [c('cash', 'Cash'), c('accrual', 'Accrual'), c('unsure', "I'm not sure")],
        }),
        money('receipts', t('Gross receipts'), {
          ...required,
          ...usd,
          tag: 'schc.receipts',
        }),
        money('returns', t('Returns and allowances'), {
          ...usd,
          tag: 'schc.returns',
        }),
        files('forms', t('Forms 1099-NEC and 1099-K'), { none: true }),
        money('stock-start', t('Inventory at the start of the year'), usd),
        money('stock-end', t('Inventory at the end of the year'), usd),
        ...COSTS,
      ],
    }),
    files(
      'profit-loss',
      t('Or upload the profit and loss statement and trial balance instead of typing the costs'),
      { notYet: true },
    ),
    group('vehicle', t('Vehicles used for the business'), {
      ...prefill,
      one: t('Vehicle'),
      addLabel: t('Add a vehicle'),
      title: 'what',
      max: 5,
      items: [
        text('what', t('Make and model'), { ...required, ...prefill }),
        date('since', t('In use for the business since'), prefill),
        number('business-miles', t('Business miles'), required),
        number('total-miles', t('Total miles'), required),
        yesNo('log', t('Do you have a written log?')),
      ],
    }),
    number('home-office', t('Square feet of an office at home used only for work'), { none: true }),
    number('home-size', t('Square feet of the whole home'), when(atLeast('home-office', 1))),
    money('home-rent', t('Rent or mortgage interest for the home'), when(atLeast('home-office', 1))),
    money('home-utilities', t('Utilities for the home'), when(atLeast('home-office', 1))),
    money('home-insurance', t('Insurance for the home'), when(atLeast('home-office', 1))),
    group('assets', t('Equipment bought or sold'), {
      one: t('Item'),
      addLabel: t('Add an item'),
      title: 'what',
      max: 40,
      items: [
        text('what', t('What'), required),
        choice('direction', t('Bought or sold?'), {
          ...required,
          choices: [c('bought', 'Bought'), c('sold', 'Sold')],
        }),
        date('date', t('Date'), required),
        money('amount', t('Cost or price'), { ...required, ...usd }),
        files('invoice', t('Invoice')),
      ],
    }),
    yesNo(
      'contractors-2025',
      t('Did you pay anyone $600 or more for services?'),
      when(atMost('taxYear', 2025)),
    ),
    yesNo(
      'contractors',
      t('Did you pay anyone $2,000 or more for services?'),
      when(atLeast('taxYear', 2026)),
    ),
    yesNo('contractor-forms', t('Were Forms 1099-NEC filed for them?'), {
      ...whenAny(is('contractors-2025'), is('contractors')),
      unsure: true,
    }),
    money('own-health', t('Own health insurance premiums'), {
      none: true,
      tag: '1040.se-health',
    }),
    money('own-retirement', t('Payments to your own retirement plan'), { none: true }),
  ],
  applies('business'),
);

const k1 = section(
  'k1',
  t('Schedule K-1'),
  [
    group('k1', t('Partnerships, S corporations, trusts and estates'), {
      ...prefill,
      one: t('Entity'),
      addLabel: t('Add an entity'),
      title: 'entity',
      min: 1,
      max: 30,
      items: [
        text('entity', t('Entity'), { ...required, ...prefill }),
        choice('kind', t('Kind'), {
          ...prefill,
          choices: [
            c('partnership', 'Partnership (1065)'),
            { key: 's-corporation', label: properName('S corporation (1120-S)') },
            c('trust', 'Trust or estate (1041)'),
          ],
        }),
        files('form', t('Schedule K-1'), { ...required, tag: 'k1.form' }),
        yesNo('money-moved', t('Did you put in or take out money?')),
      ],
    }),
  ],
  applies('k1'),
);

const home = section(
  'home',
  t('Your home'),
  [
    group('mortgage', t('Mortgages'), {
      ...prefill,
      one: t('Mortgage'),
      addLabel: t('Add a mortgage'),
      title: 'lender',
      max: 5,
      items: [
        text('lender', t('Lender'), { ...required, ...prefill }),
        files('form', t('Form 1098'), { ...required, tag: 'scha.1098' }),
        yesNo('refinanced', t('Was it refinanced in {taxYear}?')),
        money('points', t('Points paid'), { none: true }),
        yesNo('before-2017', t('Was the loan taken on or before December 15, 2017?'), {
          ...prefill,
          unsure: true,
        }),
      ],
    }),
    money('property-tax', t('Real-estate tax paid'), {
      none: true,
      tag: 'scha.property-tax',
    }),
    money('other-tax', t('Car registration or other personal-property tax'), { none: true }),
    paragraph('equity-use', t('Home-equity loan: what was the money used for?'), { none: true }),
  ],
  applies('home'),
);

const gave = applies('charity');
const medicalCosts = applies('medical');
const carLoan = when(is('car-loan'));

const deductions = section('deductions', t('Deductions'), [
  money('state-tax', t('State or local tax paid this year for an earlier year'), { none: true }),
  money('sales-tax', t('Sales tax on a large purchase, such as a car or boat'), { none: true }),
  group('cash-gifts', t('Gifts of money'), {
    ...gave,
    one: t('Gift'),
    addLabel: t('Add a gift'),
    title: 'charity',
    max: 40,
    items: [
      text('charity', t('Charity'), { ...required, ...prefill }),
      money('amount', t('Amount'), required),
      files('letter', t('Letter from the charity'), {
        ...when(atLeast('amount', 250)),
        hint: t('Needed for $250 or more'),
      }),
    ],
  }),
  group('goods', t('Gifts of goods'), {
    ...gave,
    one: t('Goods'),
    addLabel: t('Add goods'),
    title: 'what',
    max: 20,
    items: [
      text('what', t('What goods?'), required),
      text('where', t('To which charity?'), required),
      money('value', t('Value'), required),
      text('how', t('How was it valued?')),
      files('receipt', t('Receipt')),
      files('appraisal', t('Appraisal'), { ...required, ...when(atLeast('value', 5000.01)) }),
    ],
  }),
  number('charity-miles', t('Miles driven for charity'), {
    ...gave,
    none: true,
  }),
  money('med-premiums', t('Health insurance premiums that you paid yourself'), {
    ...medicalCosts,
    none: true,
    tag: 'scha.premiums',
  }),
  money('med-doctors', t('Doctors, hospitals and dentists'), {
    ...medicalCosts,
    none: true,
    tag: 'scha.doctors',
  }),
  money('med-drugs', t('Prescriptions'), { ...medicalCosts, none: true }),
  money('med-glasses', t('Glasses and hearing aids'), {
    ...medicalCosts,
    none: true,
  }),
  money('med-care', t('Long-term care'), { ...medicalCosts, none: true }),
  number('med-miles', t('Miles driven for medical care'), {
    ...medicalCosts,
    none: true,
  }),
  money('med-repaid', t('Reimbursed by insurance'), {
    ...medicalCosts,
    none: true,
  }),
  yesNo(
    'car-loan',
    t(
      'Did you pay interest on a loan, taken after December 31, 2024, for a new car for personal use with final assembly in the US?',
    ),
    { ...when(...from2025to2028), unsure: true },
  ),
  money('car-interest', t('Interest paid on the car loan'), {
    ...required,
    ...carLoan,
  }),
  identifier('car-vin', t('Vehicle identification number (VIN)'), { ...required, ...carLoan, scheme: 'vin' }),
  files('car-statement', t('Statement from the lender'), carLoan),
  yesNo('educator', t('Are you a teacher who paid for classroom costs?')),
  money('educator-amount', t('Amount'), {
    ...required,
    ...when(is('educator')),
    tag: '1040.educator',
  }),
  yesNo('casualty', t('Did you have a loss in a federally declared disaster?')),
  text('casualty-number', t('FEMA number of the disaster'), when(is('casualty'))),
  files('casualty-papers', t('Insurance and repair documents'), when(is('casualty'))),
]);

const education = section(
  'education',
  t('Education'),
  [
    group('student', t('Students'), {
      one: t('Student'),
      addLabel: t('Add a student'),
      title: 'who',
      max: 8,
      items: [
        text('who', t('Who studied?'), { ...required, ...prefill }),
        text('school', t('School'), { ...required, ...prefill }),
        files('form', t('Form 1098-T'), { none: true, tag: '8863.1098-t' }),
        choice('year', t('Year of study'), {
          choices: [
            c('first', 'First'),
            c('second', 'Second'),
            c('third', 'Third'),
            c('fourth', 'Fourth'),
            c('graduate', 'Graduate or later'),
          ],
        }),
        money('books', t('Books and supplies'), { none: true }),
        money('scholarship', t('Scholarships and grants'), { none: true }),
      ],
    }),
    files('loan-interest', t('Form 1098-E for student loan interest'), { none: true, tag: '1040.1098-e' }),
    money('plan-529-in', t('Paid into a 529 plan'), { none: true }),
    money('plan-529-out', t('Taken out of a 529 plan'), { none: true }),
    files('plan-529-form', t('Form 1099-Q'), when(atLeast('plan-529-out', 0.01))),
  ],
  applies('college'),
);

const until2025 = when(atMost('taxYear', 2025));
const cleanCar = when(is('clean-car'));
const charger = when(is('charger'));

const energy = section(
  'energy',
  t('Energy and clean cars'),
  [
    note(
      'credits-ended',
      t(
        'Home energy credits ended for property put in use or money spent after December 31, 2025. Clean car credits ended for cars acquired after September 30, 2025.',
      ),
    ),
    group('home-energy', t('Improvements to your home'), {
      ...until2025,
      one: t('Improvement'),
      addLabel: t('Add an improvement'),
      title: 'what',
      max: 12,
      items: [
        choice('what', t('What was it?'), {
          ...required,
          look: 'select',
          choices: [
            c('insulation', 'Insulation'),
            c('windows', 'Windows'),
            c('doors', 'Doors'),
            c('heat-pump', 'Heat pump'),
            c('water-heater', 'Water heater'),
            c('audit', 'Energy audit'),
            c('solar', 'Solar'),
            c('battery', 'Battery'),
            c('geothermal', 'Geothermal'),
          ],
        }),
        date('finished', t('Finished on'), { ...required, latest: '2025-12-31' }),
        money('cost', t('Cost'), required),
        text('pin', t("Manufacturer's identification number (QMID) or PIN")),
        files('invoice', t('Invoice'), required),
      ],
    }),
    yesNo(
      'clean-car',
      t(
        'Did you buy a clean vehicle by September 30, 2025, or with a binding contract and a payment by then?',
      ),
      when(atMost('taxYear', 2026)),
    ),
    date('clean-bought', t('Bought on'), { ...required, ...cleanCar }),
    identifier('clean-vin', t('Vehicle identification number (VIN)'), {
      ...required,
      ...cleanCar,
      scheme: 'vin',
      tag: '8936.vin',
    }),
    files('clean-report', t("Dealer's report"), { ...required, ...cleanCar }),
    yesNo('clean-transfer', t('Was the credit taken at the dealer?'), cleanCar),
    yesNo(
      'charger',
      t('Did you put a charger at home in use by June 30, 2026?'),
      when(atMost('taxYear', 2026)),
    ),
    money('charger-cost', t('Cost of the charger'), { ...required, ...charger }),
    address('charger-address', t('Where is it?'), charger),
  ],
  when(atMost('taxYear', 2026)),
);

const hasAccounts = when(is('accounts'));

const foreign = section(
  'foreign',
  t('Outside the US'),
  [
    yesNo('accounts', t('Did you own, or could you sign for, an account outside the US?'), {
      ...required,
      tag: 'schb.foreign-accounts',
    }),
    yesNo('over-10000', t('Was the total of all these accounts over $10,000 on any day?'), {
      ...required,
      ...hasAccounts,
      unsure: true,
      why: t('above it, a report of foreign accounts (FBAR) is due.'),
    }),
    group('account', t('Accounts outside the US'), {
      ...hasAccounts,
      ...prefill,
      one: t('Account'),
      addLabel: t('Add an account'),
      title: 'bank',
      max: 40,
      items: [
        text('bank', t('Bank'), { ...required, ...prefill }),
        text('country', t('Country'), { ...required, ...prefill }),
        identifier('number', t('Account number'), {
          ...required,
          ...prefill,
          scheme: 'account',
          tag: 'fbar.account',
        }),
        choice('owner', t('Owner'), {
          ...prefill,
          choices: [...OWNER, c('signature', 'Signature authority only')],
        }),
        money('highest', t('Highest balance of the year, in US dollars'), {
          ...required,
          ...usd,
          tag: 'fbar.highest',
        }),
        yesNo('closed', t('Was it closed in {taxYear}?')),
      ],
    }),
    group('foreign-income', t('Income from abroad'), {
      one: t('Income'),
      addLabel: t('Add income'),
      title: 'country',
      max: 20,
      items: [
        text('country', t('Country'), required),
        choice('kind', t('Kind'), {
          ...required,
          choices: [
            c('wages', 'Wages'),
            c('pension', 'Pension'),
            c('rent', 'Rent'),
            c('interest', 'Interest or dividends'),
            c('other', 'Other'),
          ],
        }),
        money('amount', t('Amount in US dollars'), {
          ...required,
          ...usd,
        }),
        money('tax', t('Tax paid there, in US dollars'), {
          ...usd,
          none: true,
          tag: '1116.tax',
        }),
        number('days', t('Days that you spent outside the US'), {
          max: 366,
        }),
      ],
    }),
    choices('foreign-other', t('Did you have any of these outside the US?'), {
      choices: [
        c('company', 'A company'),
        c('trust', 'A trust'),
        c('gift', 'A gift or inheritance over $100,000'),
        c('property', 'Real estate'),
        noneOfThese(t),
      ],
    }),
    paragraph(
      'foreign-details',
      t('Tell us about it'),
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

const payments = section('payments', t('Tax already paid'), [
  group('estimated', t('Estimated tax payments'), {
    one: t('Payment'),
    addLabel: t('Add a payment'),
    max: 12,
    items: [
      text('to', t('IRS, or which state'), required),
      choice('quarter', t('Quarter'), {
        ...required,
        choices: [
          c('q1', '1st (April)'),
          c('q2', '2nd (June)'),
          c('q3', '3rd (September)'),
          c('q4', '4th (January)'),
        ],
      }),
      date('paid', t('Paid on'), required),
      money('amount', t('Amount'), { ...required, tag: '1040.estimated' }),
    ],
  }),
  money('last-refund', t("Last year's refund applied to {taxYear}"), { none: true }),
  money('extension', t('Paid with an extension'), { none: true }),
  files('notices', t('Letters from the IRS or a state this year'), {
    none: true,
  }),
]);

const hasBank = when(is('by-bank'));

const refund = section('refund', t('Refund or payment'), [
  yesNo('by-bank', t('Should a refund be paid to your bank account?'), required),
  identifier('routing', t('Routing number'), {
    ...required,
    ...hasBank,
    scheme: 'routing',
    tag: '1040.routing',
  }),
  identifier('account', t('Account number'), {
    ...required,
    ...hasBank,
    scheme: 'account',
    tag: '1040.account',
  }),
  choice('account-kind', t('Kind of account'), {
    ...required,
    ...hasBank,
    choices: [{ key: 'checking', label: t('Checking', { 'en-ca': 'Chequing' }) }, c('savings', 'Savings')],
  }),
  text('account-name', t('Name on the account'), { ...hasBank, format: 'name' }),
  files('voided-check', t('Voided check'), hasBank),
  choice('owe', t('If you owe'), {
    choices: [
      c('debit', 'Debit my account on a date'),
      c('self', "I'll pay it myself"),
      c('instalments', 'I would like to pay in installments'),
    ],
  }),
  date('owe-date', t('Debit on'), when(is('owe', 'debit'))),
]);

const householdHelp = section('household-help', t('Household help'), [
  yesNo('nanny', t('Did you pay someone to work in your home, such as a nanny or cleaner?')),
  money('nanny-paid', t('Amount paid'), {
    ...required,
    ...when(is('nanny')),
    tag: 'schh.wages',
  }),
  yesNo('nanny-w2', t('Was a W-2 issued?'), { ...when(is('nanny')), unsure: true }),
]);

const papers = section('papers', t('Documents'), [
  yesNo('new-client', t('Is this the first return that we prepare for you?'), { lastYear: 'off' }),
  files('last-return', t('Your returns of the last two years'), {
    ...required,
    ...when(is('new-client')),
    none: true,
  }),
  files('all-papers', t('Anything else that you received by mail'), {
    max: 200,
    none: true,
  }),
]);

export const us1040: TemplateInput = {
  format: 1,
  key: 'us-1040',
  country: 'US',
  taxYear: 2026,
  languages: languagesFrom('en-us'),
  label: t('Tax organizer {taxYear}'),
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
    agreeSection(t),
  ],
};
