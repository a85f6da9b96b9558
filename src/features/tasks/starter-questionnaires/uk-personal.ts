import type { TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';
import {
  address,
  atLeast,
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
import { uk as t } from './uk.ts';

/*
 * The tax information request for a UK Self Assessment return. `{taxYear}` is shown as 2025/26. The first section is a
 * map: what is ticked there shows its sections.
 */

const money = moneyIn('GBP');
const c = (key: string, english: Parameters<typeof t>[0]) => ({ key, label: t(english) });
const applies = (key: string) => when(includes('start.applies', key));
const happened = (key: string) => includes('start.life-events', key);
const prefill = { lastYear: 'prefill' } as const;
const unsure = { unsure: true } as const;
const noneOffered = { none: true } as const;

const start = section('start', t('Your year'), [
  choices('applies', t('Which of these did you have in {taxYear}?'), {
    ...required,
    look: 'cards',
    hint: t('We only ask about what you choose here. You can come back and change it.'),
    choices: [
      c('employment', 'Employment'),
      c('self-employment', 'Self-employment'),
      c('partnership', 'Partnership'),
      c('property', 'Property income'),
      c('savings', 'Savings interest'),
      c('dividends', 'Dividends'),
      c('pensions', 'Pensions'),
      c('benefits', 'State benefits'),
      c('gains', 'Sold shares, property or crypto'),
      c('foreign', 'Foreign income'),
      c('trust', 'Income from a trust or estate'),
      noneOfThese(t),
    ],
  }),
  choices('life-events', t('Did any of these happen in {taxYear}?'), {
    look: 'cards',
    choices: [
      c('married', 'Married or entered a civil partnership'),
      c('separated', 'Separated or divorced'),
      c('child', 'A child was born or adopted'),
      c('moved', 'Moved home'),
      c('uk', 'Came to or left the UK'),
      c('trading', 'Started or stopped trading'),
      c('died', 'A death in the family'),
      noneOfThese(t),
    ],
  }),
]);

const couple = when(is('marital-status', 'married'));

const you = section('you', t('About you'), [
  text('name', t('Full name'), { ...required, ...prefill, format: 'name', tag: 'sa100.name' }),
  text('previous-name', t('Previous name, if it changed'), { format: 'name' }),
  identifier('utr', t('Unique Taxpayer Reference (UTR)'), {
    ...required,
    ...prefill,
    ...noneOffered,
    scheme: 'utr',
    tag: 'sa100.utr',
    hint: t('Ten digits, on letters from HMRC about Self Assessment.'),
  }),
  identifier('nino', t('National Insurance number'), {
    ...required,
    ...prefill,
    scheme: 'nino',
    tag: 'sa100.nino',
  }),
  date('birth', t('Date of birth'), { ...required, ...prefill, tag: 'sa100.birth' }),
  address('address', t('Home address'), { ...required, ...prefill, tag: 'sa100.address' }),
  date('date-moved', t('When did you move there?'), when(happened('moved'))),
  phone('phone', t('Phone'), { ...required, ...prefill, tag: 'sa100.phone' }),
  text('email', t('Email'), { ...required, ...prefill, format: 'email' }),
  choice('marital-status', t('Marital status at the end of the tax year'), {
    ...required,
    ...prefill,
    choices: [
      c('single', 'Single'),
      c('married', 'Married or in a civil partnership'),
      c('separated', 'Separated'),
      c('divorced', 'Divorced or partnership dissolved'),
      c('widowed', 'Widowed'),
    ],
  }),
  date('marital-status-date', t('Date of the change'), whenAny(happened('married'), happened('separated'))),
  text('spouse-name', t('Full name of your spouse or civil partner'), {
    ...required,
    ...prefill,
    ...couple,
    format: 'name',
  }),
  identifier('spouse-nino', t('Their National Insurance number'), {
    ...prefill,
    ...couple,
    scheme: 'nino',
  }),
  date('spouse-birth', t('Their date of birth'), { ...prefill, ...couple }),
  yesNo('marriage-allowance', t('Do you want to claim or transfer the Marriage Allowance?'), {
    ...couple,
    ...unsure,
    tag: 'sa100.marriage-allowance',
  }),
  yesNo('blind-allowance', t('Are you registered blind or severely sight impaired?'), {
    tag: 'sa100.blind',
  }),
  yesNo('new-client', t('Is this the first return that we prepare for you?'), { lastYear: 'off' }),
  files('id-documents', t('Proof of identity and of address'), { ...required, ...when(is('new-client')) }),
]);

const employment = section(
  'employment',
  t('Employment'),
  [
    group('employment', t('Employments'), {
      ...prefill,
      one: t('Employment'),
      addLabel: t('Add an employment'),
      title: 'employer',
      min: 1,
      max: 10,
      items: [
        text('employer', t('Employer'), { ...required, ...prefill, tag: 'sa102.employer' }),
        text('paye-ref', t('PAYE reference'), { ...prefill, tag: 'sa102.paye-ref' }),
        date('started', t('Started, if in {taxYear}')),
        date('left', t('Left, if in {taxYear}')),
        files('p60-p45', t('P60 or P45'), { ...required, ...noneOffered, tag: 'sa102.p60-p45' }),
        money('pay', t('Pay from this employment, if you have neither'), {
          ...noneOffered,
          tag: 'sa102.p60-pay',
        }),
        money('tax', t('UK tax taken off, if you have neither'), { ...noneOffered, tag: 'sa102.p60-tax' }),
        files('p11d', properName('P11D'), { ...noneOffered, tag: 'sa102.p11d' }),
        yesNo('company-car', t('Did you have a company car or van?')),
        money('tips', t('Tips and other payments not on the P60'), { ...noneOffered, tag: 'sa102.tips' }),
        paragraph('expenses', t('Expenses that were not refunded: what and how much'), noneOffered),
        paragraph(
          'professional-fees',
          t('Professional fees and subscriptions: body and amount'),
          noneOffered,
        ),
        yesNo('home-required', t('Did your employer require you to work from home?')),
        number('home-weeks', t('For how many weeks?'), { ...when(is('home-required')), max: 53 }),
        yesNo('share-schemes', t('Did you take part in a share scheme?')),
        files('share-papers', t('Share scheme statements'), when(is('share-schemes'))),
        money('termination-pay', t('Termination or redundancy pay'), {
          ...noneOffered,
          tag: 'sa102.termination',
        }),
        files('termination-letter', t('Termination letter'), when(atLeast('termination-pay', 0.01))),
        yesNo('director', t('Were you a director of this company?'), prefill),
        yesNo('close-company', t('Is it a close company?'), { ...when(is('director')), ...unsure }),
      ],
    }),
  ],
  applies('employment'),
);

const COSTS = (
  [
    ['goods', 'Goods for resale or used'],
    ['wages', 'Wages and other staff costs'],
    ['car', 'Car, van and travel'],
    ['rent', 'Rent, rates, power and insurance'],
    ['repairs', 'Repairs and maintenance'],
    ['admin', 'Phone, stationery and other office costs'],
    ['advertising', 'Advertising and entertainment'],
    ['interest', 'Interest on loans'],
    ['bank', 'Bank and card charges'],
    ['bad-debts', 'Debts written off'],
    ['professional', 'Accountancy, legal and professional'],
    ['other', 'Other business expenses'],
  ] as const
).map(([key, english]) => money(key, t(english), { tag: `sa103.${key}` }));

const selfEmployment = section(
  'self-employment',
  t('Self-employment'),
  [
    group('trade', t('Businesses'), {
      ...prefill,
      one: t('Business'),
      addLabel: t('Add a business'),
      title: 'trade',
      min: 1,
      max: 5,
      items: [
        text('trade', t('What is the trade?'), { ...required, ...prefill, tag: 'sa103.trade' }),
        date('started', t('Started, if in {taxYear}'), { tag: 'sa103.started' }),
        date('stopped', t('Stopped, if in {taxYear}'), { tag: 'sa103.stopped' }),
        date('period-to', t('Accounts made up to'), prefill),
        money('turnover', t('Turnover'), { ...required, tag: 'sa103.turnover' }),
        files('accounts', t('Accounts or bookkeeping, instead of typing the costs')),
        ...COSTS,
        paragraph('equipment', t('Equipment bought or sold: what, date and amount'), noneOffered),
        number('business-miles', t('Business miles by car'), noneOffered),
        number('home-hours', t('Hours worked at home in a month'), noneOffered),
        choice('basis', t('Cash basis or traditional (accruals) accounting?'), {
          ...prefill,
          choices: [
            c('cash', 'Cash basis'),
            c('accruals', 'Traditional (accruals)'),
            c('unsure', "I'm not sure"),
          ],
        }),
        money('cis', t('CIS deductions'), { ...noneOffered, tag: 'sa103.cis' }),
        files('cis-statements', t('CIS statements'), when(atLeast('cis', 0.01))),
        yesNo('vat', t('Is the business registered for VAT?'), prefill),
        yesNo('trading-allowance', t('Do you want to use the trading allowance instead of costs?'), unsure),
        yesNo('digital-updates', t('Were quarterly updates already sent to HMRC?'), {
          ...when(atLeast('taxYear', 2027)),
          ...unsure,
        }),
      ],
    }),
  ],
  applies('self-employment'),
);

const partnership = section(
  'partnership',
  t('Partnership'),
  [
    group('partnership', t('Partnerships'), {
      ...prefill,
      one: t('Partnership'),
      addLabel: t('Add a partnership'),
      title: 'name',
      min: 1,
      max: 5,
      items: [
        text('name', t('Name of the partnership'), { ...required, ...prefill }),
        identifier('utr', t('UTR of the partnership'), { ...prefill, scheme: 'utr', tag: 'sa104.utr' }),
        money('profit', t('Your share of the profit or loss'), { signed: true, tag: 'sa104.profit' }),
        files('statement', t('Partnership statement'), required),
      ],
    }),
  ],
  applies('partnership'),
);

const property = section(
  'property',
  t('Property income'),
  [
    group('property', t('Properties'), {
      ...prefill,
      one: t('Property'),
      addLabel: t('Add a property'),
      min: 1,
      max: 20,
      items: [
        address('address', t('Address'), { ...required, ...prefill }),
        number('share', t('Your share'), {
          ...required,
          ...prefill,
          max: 100,
          decimals: 2,
          unit: properName('%'),
        }),
        text('joint-owner', t('Joint owner'), prefill),
        choice('kind', t('Kind of letting'), {
          ...required,
          ...prefill,
          choices: [
            c('residential', 'Residential'),
            c('commercial', 'Commercial'),
            c('holiday', 'Furnished holiday let (until April 2025)'),
          ],
        }),
        money('rent', t('Rent received'), { ...required, tag: 'sa105.rent' }),
        money('agents', t("Agents' fees"), { tag: 'sa105.agents' }),
        money('repairs', t('Repairs'), { tag: 'sa105.repairs' }),
        money('insurance', t('Insurance'), { tag: 'sa105.insurance' }),
        money('ground-rent', t('Ground rent and service charges'), { tag: 'sa105.ground-rent' }),
        money('council-tax', t('Council tax and utilities'), { tag: 'sa105.council-tax' }),
        money('travel', t('Travel'), { tag: 'sa105.travel' }),
        money('other', t('Other costs'), { tag: 'sa105.other' }),
        money('mortgage-interest', t('Mortgage interest'), { ...noneOffered, tag: 'sa105.mortgage' }),
        files('mortgage-statement', t('Mortgage statement'), when(atLeast('mortgage-interest', 0.01))),
        money('domestic-items', t('Domestic items replaced'), noneOffered),
        number('days-let', t('Days let'), { max: 366 }),
        yesNo('overseas', t('Is it outside the UK?'), prefill),
      ],
    }),
    yesNo('rent-a-room', t('Did you let a room in your own home?')),
  ],
  applies('property'),
);

const savings = section(
  'savings',
  t('Savings and interest'),
  [
    note('isa', t('Leave out interest from ISAs. It is not taxed.')),
    group('interest', t('Accounts that paid interest'), {
      ...prefill,
      one: t('Account'),
      addLabel: t('Add an account'),
      title: 'bank',
      max: 40,
      items: [
        text('bank', t('Bank or building society'), { ...required, ...prefill }),
        money('interest', t('Interest'), { ...required, tag: 'sa100.interest' }),
        yesNo('joint', t('Is it a joint account?'), prefill),
        number('share', t('Your share'), {
          ...when(is('joint')),
          max: 100,
          decimals: 2,
          unit: properName('%'),
        }),
        money('tax', t('Tax taken off'), noneOffered),
        files('certificate', t('Certificate of interest'), noneOffered),
      ],
    }),
  ],
  applies('savings'),
);

const dividends = section(
  'dividends',
  t('Dividends'),
  [
    group('dividend', t('Dividends'), {
      one: t('Dividend'),
      addLabel: t('Add a dividend'),
      title: 'company',
      max: 60,
      items: [
        text('company', t('Company or fund'), { ...required, ...prefill }),
        date('date', t('Payment date')),
        money('amount', t('Amount'), { ...required, tag: 'sa100.dividends' }),
        yesNo('own-company', t('Is it your own company?')),
        yesNo('accumulation', t('Are these accumulation units of a fund?'), unsure),
        files('voucher', t('Dividend voucher or tax statement'), noneOffered),
      ],
    }),
  ],
  applies('dividends'),
);

const pensions = section(
  'pensions-received',
  t('Pensions received'),
  [
    yesNo('state-pension', t('Did you receive the State Pension?'), required),
    money('state-pension-amount', t('State Pension for the year'), {
      ...required,
      ...when(is('state-pension')),
      hint: t('The weekly amount times the weeks in the year.'),
      tag: 'sa100.state-pension',
    }),
    files('state-pension-letter', t('Letter from the Pension Service'), when(is('state-pension'))),
    group('pension', t('Other pensions'), {
      ...prefill,
      one: t('Pension'),
      addLabel: t('Add a pension'),
      title: 'payer',
      max: 10,
      items: [
        text('payer', t('Pension provider'), { ...required, ...prefill }),
        files('p60', properName('P60'), { ...required, ...noneOffered }),
        yesNo('lump-sum', t('Did you take a lump sum?'), unsure),
      ],
    }),
  ],
  applies('pensions'),
);

const benefits = section(
  'benefits',
  t('State benefits'),
  [
    money('jobseekers', t("Jobseeker's Allowance"), { ...noneOffered, tag: 'sa100.jsa' }),
    money('employment-support', t('Employment and Support Allowance (contribution-based)'), noneOffered),
    money('incapacity', t('Incapacity Benefit'), { ...noneOffered, tag: 'sa100.incapacity' }),
    money('other-taxable', t('Other taxable benefits'), noneOffered),
    files('benefit-letters', t('P45(U), P60(U) or letters'), noneOffered),
  ],
  applies('benefits'),
);

const pensionsPaid = section('pensions-paid', t('Paid into pensions'), [
  group('contribution', t('Pension contributions'), {
    ...prefill,
    one: t('Pension'),
    addLabel: t('Add a pension'),
    title: 'provider',
    max: 10,
    items: [
      text('provider', t('Pension provider'), { ...required, ...prefill }),
      money('amount', t('Amount that you paid'), { ...required, tag: 'sa100.pension-paid' }),
      choice('gross-net', t('Is this the net or the gross amount?'), {
        choices: [
          c('net', 'Net: what left your account'),
          c('gross', 'Gross: with basic-rate tax relief'),
          c('salary', 'Taken from pay before tax'),
        ],
      }),
      yesNo('employer-too', t('Did an employer pay in, too?')),
      files('statement', t('Contribution statement'), noneOffered),
    ],
  }),
  yesNo('carry-forward', t('Do you want to carry forward unused annual allowance?'), unsure),
  files('annual-allowance', t('Pension savings statement (annual allowance)'), noneOffered),
]);

const gains = section(
  'gains',
  t('Capital gains'),
  [
    group('disposal', t('What you sold or gave away'), {
      one: t('Disposal'),
      addLabel: t('Add a disposal'),
      title: 'asset',
      max: 60,
      items: [
        choice('asset', t('What was it?'), {
          ...required,
          choices: [
            c('home', 'Your home'),
            c('residential', 'Other residential property'),
            c('land', 'Land or commercial property'),
            c('listed', 'Listed shares or funds'),
            c('unlisted', 'Unlisted shares'),
            c('crypto', 'Cryptoassets'),
            c('chattel', 'Personal possession'),
          ],
        }),
        date('bought', t('Bought on'), required),
        date('sold', t('Sold on'), required),
        money('cost', t('Cost, with improvements'), { whole: true }),
        money('fees', t('Costs of buying and selling'), { whole: true }),
        money('proceeds', t('Proceeds'), { ...required, whole: true, tag: 'sa108.proceeds' }),
        yesNo('family', t('Was it sold or given to family?')),
        yesNo('reported', t('Was a 60-day property return already filed?'), {
          ...whenAny(is('asset', 'home'), is('asset', 'residential')),
          ...unsure,
        }),
        text('report-reference', t('Reference of the 60-day return'), when(is('reported'))),
        money('report-tax', t('Tax paid with it'), { ...when(is('reported')), tag: 'sa108.tax-paid' }),
        text(
          'lived-there',
          t('When did you live there? From and to'),
          whenAny(is('asset', 'home'), is('asset', 'residential')),
        ),
        files('completion', t('Completion statement or contract notes'), required),
      ],
    }),
    money('losses', t('Losses brought forward'), { ...noneOffered, tag: 'sa108.losses' }),
    files('crypto-file', t('File of all crypto transactions'), noneOffered),
  ],
  applies('gains'),
);

const gifts = section('gifts', t('Gifts to charity'), [
  money('gift-aid', t('Gift Aid payments in {taxYear}'), {
    ...required,
    ...noneOffered,
    tag: 'sa100.gift-aid',
  }),
  money('one-off', t('Of these, one-off payments'), { ...noneOffered, tag: 'sa100.gift-aid-one-off' }),
  yesNo('carry-back', t('Should payments made since the end of the tax year be carried back?'), unsure),
  group('gift-in-kind', t('Gifts of shares or land'), {
    one: t('Gift'),
    addLabel: t('Add a gift'),
    title: 'what',
    max: 10,
    items: [
      text('what', t('What'), required),
      text('charity', t('Charity'), required),
      date('date', t('Date'), required),
      money('value', t('Value'), { ...required, whole: true }),
    ],
  }),
  money('non-uk', t('Of all these, to charities outside the UK'), noneOffered),
]);

const studentLoan = section('student-loan', t('Student loan'), [
  yesNo('any', t('Do you repay a student or postgraduate loan?'), required),
  choices('plan', t('Which plan?'), {
    ...required,
    ...prefill,
    ...when(is('any')),
    tag: 'sa100.student-loan',
    choices: [
      { key: 'plan-1', label: properName('Plan 1') },
      { key: 'plan-2', label: properName('Plan 2') },
      { key: 'plan-4', label: properName('Plan 4') },
      { key: 'plan-5', label: properName('Plan 5') },
      c('postgraduate', 'Postgraduate loan'),
      { ...c('unsure', "I'm not sure"), exclusive: true },
    ],
  }),
  money('deducted', t('Repaid through an employer'), { ...when(is('any')), ...noneOffered }),
  yesNo('near-end', t('Will it be fully repaid within two years?'), { ...when(is('any')), ...unsure }),
]);

const withBenefit = when(is('child-benefit'));

const children = section('children', t('Children'), [
  yesNo('child-benefit', t('Did you or your partner receive Child Benefit?'), required),
  money('child-benefit-amount', t('Amount received in {taxYear}'), {
    ...required,
    ...withBenefit,
    tag: 'sa100.child-benefit',
  }),
  number('number', t('Number of children'), { ...required, ...withBenefit, max: 20 }),
  yesNo('over-60000', t('Was the income of either of you above £60,000?'), {
    ...required,
    ...withBenefit,
    ...unsure,
    why: t('above it, the High Income Child Benefit Charge may apply.'),
  }),
  text('partner-name', t("Your partner's name"), { ...withBenefit, ...prefill, format: 'name' }),
  yesNo('opted-out', t('Did you opt out of the payments?'), withBenefit),
  date('opted-out-date', t('From when?'), when(is('opted-out'))),
  yesNo('paid-by-paye', t('Is the charge already paid through PAYE?'), { ...withBenefit, ...unsure }),
  yesNo('childcare-vouchers', t('Do you receive childcare vouchers?')),
  yesNo('tax-free-childcare', t('Do you use Tax-Free Childcare?')),
]);

const abroad = when(is('all-year', false));

const residence = section('residence', t('Residence'), [
  yesNo('all-year', t('Did you live in the UK for the whole tax year?'), required),
  text('nationality', t('Nationality'), { ...required, ...prefill, ...abroad, tag: 'sa109.nationality' }),
  number('days', t('Days spent in the UK'), { ...required, ...abroad, max: 366, tag: 'sa109.days' }),
  paragraph('homes', t('Homes in the UK and elsewhere, and when you used them'), abroad),
  paragraph('work-abroad', t('Work outside the UK: where and on which days'), abroad),
  date('arrived', t('Arrived in the UK on'), { ...whenAny(happened('uk'), is('all-year', false)) }),
  date('left', t('Left the UK on'), { ...whenAny(happened('uk'), is('all-year', false)) }),
  yesNo('split-year', t('Should the year be split?'), { ...abroad, ...unsure }),
  yesNo('long-term', t('Have you lived in the UK for at least 10 of the last 20 tax years?'), unsure),
  yesNo('new-resident', t('Do you want to claim relief on foreign income and gains as a new resident?'), {
    ...unsure,
    ...when(atLeast('taxYear', 2026), includes('start.applies', 'foreign')),
  }),
  choice('nation', t('Where in the UK was your main home?'), {
    ...prefill,
    choices: [
      c('england', 'England'),
      c('scotland', 'Scotland'),
      c('wales', 'Wales'),
      c('northern-ireland', 'Northern Ireland'),
      c('outside', 'Outside the UK'),
    ],
  }),
]);

const foreign = section(
  'foreign',
  t('Foreign income'),
  [
    group('income', t('Income from abroad'), {
      one: t('Income'),
      addLabel: t('Add income'),
      title: 'country',
      min: 1,
      max: 20,
      items: [
        text('country', t('Country'), { ...required, ...prefill }),
        choice('kind', t('Kind of income'), {
          ...required,
          choices: [
            c('interest', 'Interest'),
            c('dividends', 'Dividends'),
            c('pension', 'Pension'),
            c('property', 'Property'),
            c('work', 'Work'),
            c('other', 'Other'),
          ],
        }),
        money('amount', t('Amount in pounds'), { ...required, tag: 'sa106.amount' }),
        money('tax', t('Foreign tax paid, in pounds'), { ...noneOffered, tag: 'sa106.tax' }),
        files('papers', t('Statements')),
      ],
    }),
  ],
  applies('foreign'),
);

const other = section('other', t('Other income and reliefs'), [
  files('trust', t('Trust or estate: form R185 or statement'), { ...required, ...applies('trust') }),
  group('venture', t('EIS, SEIS and VCT investments'), {
    one: t('Investment'),
    addLabel: t('Add an investment'),
    title: 'company',
    max: 20,
    items: [
      text('company', t('Company or fund'), required),
      money('amount', t('Amount subscribed'), { ...required, whole: true }),
      files('certificate', t('Certificate (EIS3, SEIS3 or VCT)'), required),
    ],
  }),
  money('maintenance', t('Maintenance paid under a court order'), noneOffered),
  files('bonds', t('Investment bonds: chargeable event certificates'), noneOffered),
  yesNo('offshore-funds', t('Do you have savings in offshore funds?'), unsure),
  money('crypto-income', t('Income from cryptoassets, such as staking'), noneOffered),
]);

const hasBank = when(is('refund-by-bank'));

const payments = section('payments', t('Payments and refunds'), [
  group('on-account', t('Payments on account made'), {
    one: t('Payment'),
    addLabel: t('Add a payment'),
    max: 6,
    items: [
      date('date', t('Paid on'), required),
      money('amount', t('Amount'), { ...required, tag: 'sa100.on-account' }),
    ],
  }),
  files('code-notice', t('PAYE coding notice'), noneOffered),
  files('hmrc-letters', t('Letters from HMRC'), noneOffered),
  yesNo(
    'collect-through-code',
    t('If you owe less than £3,000, should it be collected through your tax code?'),
    unsure,
  ),
  yesNo('refund-by-bank', t('Should a refund be paid to a bank account?'), required),
  identifier('sort-code', t('Sort code'), {
    ...required,
    ...prefill,
    ...hasBank,
    scheme: 'sort-code',
    tag: 'sa100.sort-code',
  }),
  identifier('account', t('Account number'), {
    ...required,
    ...prefill,
    ...hasBank,
    scheme: 'account',
    tag: 'sa100.account',
  }),
  text('nominee', t('Name on the account, if it is not yours'), { ...hasBank, format: 'name' }),
]);

export const ukPersonal: TemplateInput = {
  format: 1,
  key: 'uk-personal',
  country: 'GB',
  taxYear: 2026,
  languages: languagesFrom('en-gb'),
  label: t('Tax information {taxYear}'),
  sections: [
    start,
    you,
    employment,
    selfEmployment,
    partnership,
    property,
    savings,
    dividends,
    pensions,
    benefits,
    pensionsPaid,
    gains,
    gifts,
    studentLoan,
    children,
    residence,
    foreign,
    other,
    payments,
    agreeSection(t),
  ],
};
