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
  is,
  moneyIn,
  note,
  number,
  paragraph,
  phone,
  required,
  section,
  tagged,
  text,
  when,
  whenAny,
  yesNo,
} from './build.ts';
import { br as t } from './br.ts';
import { agreeSection, noneOfThese } from './closing.ts';
import { languagesFrom, properName } from './texts.ts';

/* What a firm in Brazil asks of a company that becomes its client. */

const money = moneyIn('BRL');
const none = { none: true } as const;
const unsure = { unsure: true } as const;
const once = { lastYear: 'off' } as const;
const inBrazil = { countries: ['BR'] };

const company = section('company', t('The company'), [
  identifier('cnpj', properName('CNPJ'), { ...required, scheme: 'cnpj' }),
  text('legal-name', t('Registered name'), required),
  text('trade-name', t('Trade name'), none),
  choice('regime', t('Tax regime'), {
    ...required,
    choices: [
      { key: 'mei', label: properName('MEI') },
      { key: 'simples', label: properName('Simples Nacional') },
      { key: 'presumido', label: properName('Lucro Presumido') },
      { key: 'real', label: properName('Lucro Real') },
      { key: 'unsure', label: t("I'm not sure") },
    ],
  }),
  paragraph('activities', t('Activities, with their CNAE codes if you know them')),
  text('state-registration', t('State registration number'), none),
  text('city-registration', t('City registration number'), none),
  address('address', t('Address of the company'), { ...required, ...inBrazil }),
  date('founded', t('Founded on')),
]);

const contract = section('contract', t('Contract and partners'), [
  files('articles', t('Articles of association and all amendments'), required),
  files('cnpj-card', t('CNPJ registration card')),
  group('partner', t('Partners'), {
    one: t('Partner'),
    addLabel: t('Add a partner'),
    title: 'name',
    min: 1,
    max: 20,
    items: [
      text('name', t('Full name'), { ...required, format: 'name' }),
      identifier('cpf', properName('CPF'), { ...required, scheme: 'cpf' }),
      number('share', t('Share of the capital'), {
        ...required,
        max: 100,
        decimals: 2,
        unit: properName('%'),
      }),
      yesNo('manages', t('Does this partner manage the company?')),
      files('id-document', t('Identity document'), required),
      files('proof-of-address', t('Proof of address')),
      money('pro-labore', t('Monthly pro-labore'), none),
    ],
  }),
]);

const permits = section('permits', t('Permits'), [
  files('licence', t('Operating license'), none),
  date('licence-until', t('Operating license valid until'), none),
  files('fire-brigade', t('Fire department certificate'), none),
  date('fire-brigade-until', t('Fire department certificate valid until'), none),
  files('lease', t('Lease, or property tax bill (IPTU)'), none),
]);

const certificate = section('certificate', t('Digital certificate'), [
  note(
    'no-passwords',
    t('Never type a password here, and do not upload the certificate file. We ask for it in a safe way.'),
  ),
  yesNo('has-a1', t('Does the company have an A1 digital certificate?'), required),
  date('a1-until', t('Valid until'), { ...required, ...when(is('has-a1')) }),
  text('who-keeps-it', t('Who keeps it?'), when(is('has-a1'))),
  yesNo('authorization', t('Is there a power of attorney for a firm in e-CAC?'), unsure),
]);

const banks = section('banks', t('Banks and cards'), [
  group('bank', t('Bank accounts'), {
    one: t('Bank account'),
    addLabel: t('Add a bank account'),
    title: 'bank',
    min: 1,
    max: 20,
    items: [
      text('bank', t('Bank'), required),
      text('branch', t('Branch')),
      identifier('account', t('Account number'), { scheme: 'account' }),
      yesNo('open-finance', t('Do you want to share the statements through Open Finance?'), unsure),
    ],
  }),
  choices('card-machines', t('Card machines'), {
    choices: [
      { key: 'cielo', label: properName('Cielo') },
      { key: 'rede', label: properName('Rede') },
      { key: 'getnet', label: properName('Getnet') },
      { key: 'stone', label: properName('Stone') },
      { key: 'pagbank', label: properName('PagBank') },
      { key: 'mercado-pago', label: properName('Mercado Pago') },
      { key: 'other', label: t('Another one') },
      noneOfThese(t),
    ],
  }),
]);

const sales = section('sales', t('Sales'), [
  choice('what', t('What does the company sell?'), {
    choices: [
      { key: 'goods', label: t('Products') },
      { key: 'services', label: t('Services') },
      { key: 'both', label: t('Both') },
    ],
  }),
  choice('issuer', t('How are the invoices issued?'), {
    choices: [
      { key: 'own', label: t('With our own system') },
      { key: 'free', label: t('On the website of the state or city') },
      { key: 'firm', label: t('By the accounting firm') },
      { key: 'nobody', label: t('No invoices are issued yet') },
      { key: 'unsure', label: t("I'm not sure") },
    ],
  }),
  yesNo(
    'city-invoice',
    t('Are service invoices (NFS-e) issued?'),
    whenAny(is('what', 'services'), is('what', 'both')),
  ),
  yesNo('stock', t('Does the company keep stock?'), whenAny(is('what', 'goods'), is('what', 'both'))),
]);

const hasEmployees = when(atLeast('employees', 1));

const people = section('people', t('Employees'), [
  number('employees', t('Number of employees'), { ...required, max: 100_000 }),
  text('union', t("Employees' union"), { ...hasEmployees, ...none }),
  files('last-payroll', t('Last payroll'), { ...required, ...hasEmployees }),
  files(
    'pending-vacations',
    t('Vacations that are due', { 'en-gb': 'Holidays that are due', 'en-au': 'Annual leave that is due' }),
    { ...none, ...hasEmployees },
  ),
]);

const before = section('before', t('Your former accountant'), [
  text('former-accountant', t('Name of your former accountant'), none),
  text('former-crc', t('Accountant registration (CRC)'), none),
  phone('former-phone', t('Phone'), none),
  files('handover', t('Letter of transfer of responsibility'), none),
  files('last-trial-balance', t('Last trial balance'), none),
  files('sped-files', t('SPED files sent'), { ...none, max: 200 }),
  files('clearance', t('Tax clearance certificates (CND)'), none),
  paragraph('instalments', t('Tax installment plans'), none),
  paragraph('known-debts', t('Tax debts that you know of'), none),
]);

const closing = section('contract-and-privacy', t('Your contract with us'), [
  text('privacy-contact', t('Who is responsible for personal data (LGPD) in the company?'), {
    ...once,
    format: 'name',
  }),
  files('service-contract', t('Signed service contract'), {
    ...required,
    hint: t('If you sign it electronically in the portal, say that it will follow.'),
  }),
]);

export const brOnboarding: TemplateInput = {
  format: 1,
  key: 'br-onboarding',
  country: 'BR',
  languages: languagesFrom('pt'),
  label: t('Welcome: information about your company'),
  sections: [
    tagged('company', company),
    tagged('company', contract),
    tagged('permits', permits),
    tagged('certificate', certificate),
    tagged('banks', banks),
    tagged('sales', sales),
    tagged('payroll', people),
    tagged('former-accountant', before),
    tagged('contract', closing),
    agreeSection(t),
  ],
};
