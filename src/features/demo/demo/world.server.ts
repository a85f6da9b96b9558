import { orderStorage } from '#features/brazil/fiscal-documents/ordered.server.ts';
import { changeAccess, setFlag } from '#features/base/access/access.server.ts';
import { linkContact } from '#features/clients/clients/clients.server.ts';
import { createClient } from '#features/clients/clients/editing.server.ts';
import type { ClientInput } from '#features/clients/clients/client-records.ts';
import { addDocument } from '#features/documents/documents/adding.server.ts';
import { addStarters } from '#features/documents/folder-templates/starters.server.ts';
import { createFolder, createProject, defaultFolder } from '#features/documents/folders/folders.server.ts';
import { giveRole } from '#features/documents/folders/roles.server.ts';
import { openDocument } from '#features/documents/downloads/fetching.server.ts';
import { setLocked } from '#features/documents/documents/rights.server.ts';
import { trashDocument } from '#features/documents/trash/trash.server.ts';
import type { Container } from '#features/documents/folders/folders.ts';
import type { Document } from '#features/documents/documents/documents.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { createFirm, lockFirm } from '#features/base/firms/firms.server.ts';
import { addComment } from '#features/documents/comments/comments.server.ts';
import { confirmPayment } from '#features/payments/payments/confirming.server.ts';
import { NO_SETTINGS, type Currency } from '#features/payments/payments/payments.ts';
import { requestPayment } from '#features/payments/payments/requesting.server.ts';
import { savePaymentSettings } from '#features/payments/payments/settings.server.ts';
import { draftRequest, draftWithFields, placeFields } from '#features/signing/signing/drafting.server.ts';
import { fieldsAtEnd } from '#features/signing/signing/rules.ts';
import { sendRequest } from '#features/signing/signing/sending.server.ts';
import { invite } from '#features/identity/invitations/invitations.server.ts';
import { actorOf, createContact, createUser } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { acceptTerms, publishTerms, termsFor } from '#features/identity/sessions/terms.server.ts';
import { revokeShare } from '#features/sharing/sharing/my-shares.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { at, DAY, HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { recordBounce } from '#platform/mail/mail-log.server.ts';
import { hashSecret } from '#platform/security/passwords.server.ts';
import { DEMO_PASSWORD, DEMO_PEOPLE } from './demo.ts';
import { demoFile } from './files.server.ts';
import { bakeryDocuments, bakeryOldNote } from './fiscal.server.ts';
import { bakeryCertificates, bakeryPassport } from './certificates.server.ts';
import { bakeryEmployees, bakeryEstablishments } from './employees.server.ts';
import { bakeryEntries } from './payroll.server.ts';
import { play, type Stage } from './story.server.ts';
import {
  americanCalendar,
  brazilianCalendar,
  canadianCalendar,
  decideOnDates,
} from './tax-calendar.server.ts';
import { bakeryTasks, holdingTasks, mapleTasks, request } from './tasks.server.ts';

/*
 * The demo data: a story for each person on the sign-in page. Everything is created through the functions
 * that serve requests, at fixed times, so that all demos are alike.
 */

const firstDay = Date.UTC(2026, 10, 2, 14, 0);
/** When the firms opened their portals, with one client; the others came on the day before the first one. */
const opening = firstDay - 400 * DAY;
/** When documents went to the trash, which keeps them for some days only. */
const yesterday = Math.max(now() - DAY, firstDay + 10 * DAY);

/** What is still to happen. */
const acts: { instant: number; perform: () => Promise<unknown> }[] = [];

/** Plans an act of the story, which may plan further ones. */
const later = (instant: number, perform: () => Promise<unknown>): void =>
  void acts.push({ instant, perform });

const STAGE: Stage = { firstDay, yesterday, later };

/** Performs the acts in the order of their dates, in which the audit log and the confirmations are numbered. */
async function performActs(): Promise<void> {
  for (;;) {
    const [next] = acts.toSorted((a, b) => a.instant - b.instant);
    if (!next) return;
    acts.splice(acts.indexOf(next), 1);
    await at(next.instant, next.perform);
  }
}

interface Firms {
  us: string;
  br: string;
  ca: string;
  locked: string;
}

export async function makeWorld(): Promise<void> {
  acts.length = 0; // of an interrupted attempt
  await at(opening, async () => {
    const firms = await makeFirms();
    const staff = await makeStaff(firms);
    await turnOnBrazil(staff.br);
    await showTaskMenu([staff.us, staff.ca]);
    await addStarters(staff.us, 'en-us');
    await addStarters(staff.br, 'pt');
    await addStarters(staff.ca, 'fr');
    await setUpPayments(staff);
    await oliviasBakery(firms, staff.us);
    await play('americanFirm', { firm: staff.us }, STAGE);
    later(firstDay - DAY, async () => {
      await makeContacts(firms, staff);
      await tessesTerms(firms, staff.us);
      await lockFirm(firms.locked, true, 'operator');
    });
    invitationsThatBounced(staff);
  });
  await performActs();
  await deliverMails();
}

/** The Brazilian firm has the home page and every area enabled, and lets everybody decide about invoices of others. */
async function turnOnBrazil(owner: Actor): Promise<void> {
  for (const name of ['homePage', 'BoxE', 'Reports', 'simulations'] as const)
    await setFlag(owner, name, true);
  for (const name of ['ServiceRequest.Denied', 'NfeManifest.Disabled'] as const)
    await setFlag(owner, name, false);
  await changeAccess(owner, { contact: '', kind: 'permission', name: 'ManifestReview', to: 'granted' });
  await orderStorage(owner, true);
}

/** These firms have the menu of tasks by type. */
async function showTaskMenu(owners: readonly Actor[]): Promise<void> {
  for (const owner of owners)
    await changeAccess(owner, {
      contact: '',
      kind: 'control',
      name: 'ShowClientCenterNewTaskList',
      to: 'granted',
    });
}

/** How the firms are paid; the accounts and keys are examples, which belong to nobody. */
async function setUpPayments(staff: Staff): Promise<void> {
  await savePaymentSettings(staff.us, {
    ...NO_SETTINGS,
    bank: {
      ...NO_SETTINGS.bank,
      holder: 'Maple & Hart CPAs',
      bank: 'Example Bank',
      routing: '000000000',
      account: '0001234567',
      texts: { 'en-us': 'Please pay by ACH. We do not accept checks.' },
    },
    provider: 'sandbox',
  });
  await savePaymentSettings(staff.br, {
    ...NO_SETTINGS,
    currency: 'BRL',
    pix: { kind: 'email', key: 'pix@aurora.example', name: 'Contábil Aurora', city: 'São Paulo' },
    provider: 'sandbox',
  });
}

/** Requests the payment of an invoice, which is due after the documents that the firm asks for. */
const invoice = async (
  firm: Actor,
  clientId: string,
  { number, amount, currency }: { number: string; amount: number; currency: Currency },
): Promise<string> =>
  requestPayment(firm, {
    clientId,
    invoiceNumber: number,
    amount,
    currency,
    dueDate: dayOf(firstDay + 100 * DAY, 'UTC'),
    ways: currency === 'BRL' ? ['pix', 'online'] : ['bank', 'online'],
  });

async function makeFirms(): Promise<Firms> {
  const logo = (name: string) => ({ bytes: demoFile(`../logos/${name}.png`), type: 'image/png' as const });
  return {
    us: await createFirm({
      secondStep: 'nobody',
      name: 'Maple & Hart CPAs',
      phone: '+1 312 555 0142',
      email: 'office@maplehart.example',
      language: 'en-us',
      timeZone: 'America/Chicago',
      logo: logo('maple-hart'),
      loginPageText: 'Tax, payroll and books for small business since 1987.',
      colors: { headerFillColor: '#1f4037', buttonFillColor: '#1f4037' },
    }),
    br: await createFirm({
      secondStep: 'nobody',
      name: 'Contábil Aurora',
      phone: '+55 11 5555-0199',
      email: 'contato@aurora.example',
      language: 'pt',
      timeZone: 'America/Sao_Paulo',
      logo: logo('aurora'),
      loginPageText: 'Contabilidade e folha de pagamento em São Paulo.',
      colors: { headerFillColor: '#7a2e1d', buttonFillColor: '#b4472e' },
    }),
    ca: await createFirm({
      secondStep: 'nobody',
      name: 'Northern Ledger',
      phone: '+1 514 555 0117',
      email: 'bonjour@northernledger.example',
      language: 'en-ca',
      timeZone: 'America/Toronto',
      loginPageText: 'Montréal · Toronto · London',
    }),
    locked: await createFirm({
      secondStep: 'nobody',
      name: 'Closed Books LLC',
      phone: '+1 206 555 0133',
      email: 'office@closedbooks.example',
      language: 'en-us',
    }),
  };
}

interface Staff {
  us: Actor;
  br: Actor;
  ca: Actor;
  locked: Actor;
}

async function makeStaff(firms: Firms): Promise<Staff> {
  const [hart, lima, roy, marsh] = [
    await person('hart@maplehart.example', 'Eleanor', 'Hart', 'en-US'),
    await person('lima@aurora.example', 'Rafael', 'Lima', 'pt-BR'),
    await person('roy@northernledger.example', 'Camille', 'Roy', 'fr-CA'),
    await person('office@closedbooks.example', 'Ada', 'Marsh', 'en-US'),
  ];
  const staff = async (companyId: string, prismGuid: string, fullName: string) =>
    actorOf(await createContact({ companyId, prismGuid, fullName, role: 'owner' }));
  return {
    us: await staff(firms.us, hart, 'Eleanor Hart'),
    br: await staff(firms.br, lima, 'Rafael Lima'),
    ca: await staff(firms.ca, roy, 'Camille Roy'),
    locked: await staff(firms.locked, marsh, 'Ada Marsh'),
  };
}

const person = async (
  email: string,
  firstName: string,
  lastName: string,
  language: string,
  mfaRequired = false,
): Promise<string> =>
  createUser({ email, firstName, lastName, language, passwordHash: await hashed(), mfaRequired });

let hash: Promise<string> | undefined;
/** Everybody has the same public password, so it is hashed once. */
const hashed = (): Promise<string> => (hash ??= hashSecret(DEMO_PASSWORD));

async function contact(
  companyId: string,
  email: string,
  language: string,
  mfaRequired = false,
): Promise<Actor> {
  const name = DEMO_PEOPLE.find((candidate) => candidate.email === email)?.name ?? email;
  const [firstName = '', lastName = ''] = name.split(' ');
  const prismGuid = await person(email, firstName, lastName, language, mfaRequired);
  return actorOf(await createContact({ companyId, prismGuid, fullName: name }));
}

async function clientFor(firm: Actor, contacts: Actor[], input: ClientInput): Promise<string> {
  const clientId = await createClient(firm, { responsible: [firm.contactId], ...input });
  for (const { contactId } of contacts) await linkContact(clientId, contactId);
  return clientId;
}

async function makeContacts(firms: Firms, staff: Staff): Promise<void> {
  await anasCompanies(firms, staff.br);
  await sophiesCompany(firms, staff.ca);
  await marcusHoldings(firms, staff.us);
  await danielsTwoFirms(firms, staff);
  await contact(firms.us, 'nora@newhere.example', 'en-US');
  await clientFor(staff.locked, [await contact(firms.locked, 'leo@closed.example', 'en-US')], {
    name: 'Marsh Marine Supply',
    code: 'MM-01',
  });
  await clientFor(staff.us, [await contact(firms.us, 'priya@secure.example', 'en-US', true)], {
    name: 'Nair Dental PLLC',
    code: 'ND-01',
    tags: ['Payroll'],
    taxIds: [{ kind: 'ein', number: '36-4501122' }],
  });
}

/** One client with a year of documents: more than one page, with names in several scripts. */
async function oliviasBakery(firms: Firms, firm: Actor): Promise<void> {
  const olivia = await contact(firms.us, 'olivia@juniper.example', 'en-US');
  const clientId = await clientFor(firm, [olivia], {
    name: 'Juniper Street Bakery LLC',
    code: 'JB-1042',
    yearEnd: '06-30',
    tags: ['Payroll', 'Tax 1120-S'],
    taxIds: [{ kind: 'ein', number: '36-4471042' }],
    address: {
      country: 'US',
      address1: '1042 Juniper Street',
      address2: '',
      city: 'Chicago',
      state: 'IL',
      zip: '60614',
      county: 'Cook',
    },
  });
  const tax = await createProject(firm, {
    clientId,
    name: 'Tax return 2025',
    productType: 'TaxReturn',
    processingYear: 2025,
  });
  const payroll = await createProject(firm, {
    clientId,
    name: 'Payroll 2026',
    productType: 'Payroll',
    processingYear: 2026,
  });
  const bank = await createFolder(firm, { name: 'Bank statements', parentId: tax.id, parentType: 'Project' });
  const fromYou = await createProject(olivia, {
    clientId,
    name: 'Uploads',
    productType: 'ClientContactFolder',
  });

  for (let week = 0; week < 52; week += 1) {
    const friday = firstDay - (51 - week) * 7 * DAY;
    later(friday, () =>
      put(firm, payroll, 'payroll-summary-october.pdf', `Payroll week ending ${isoDay(friday)}.pdf`),
    );
    later(friday + 2 * HOUR, () => put(firm, payroll, 'trial-balance.csv', `Hours ${isoDay(friday)}.csv`));
  }
  for (let month = 0; month < 12; month += 1) {
    const day = Date.UTC(2025, 11 + month, 3, 9);
    later(day, () =>
      put(olivia, bank, 'bank-statement-september.pdf', `Bank statement ${isoDay(day).slice(0, 7)}.pdf`),
    );
  }
  later(firstDay + HOUR, () => bakeryTasks({ firm, olivia, clientId }, STAGE));
  for (const [day, actor, place, file, name] of [
    [1, firm, tax, 'engagement-letter.pdf', 'Engagement letter 2025.pdf'],
    [2, firm, tax, 'engagement-notes.docx', 'Notes from our meeting.docx'],
    [3, olivia, fromYou, 'receipt-photo.jpg', 'Oven repair receipt.jpg'],
    [4, olivia, fromYou, 'expenses-q3.xlsx', 'Expenses Q3.xlsx'],
    [5, firm, tax, 'password-locked.pdf', 'Bank letter (password protected).pdf'],
    [6, olivia, fromYou, 'receipt-photo.jpg', 'إيصال الصيانة.jpg'],
    [7, olivia, fromYou, 'receipt-photo.jpg', 'Grand opening 🥐🎉.jpg'],
    [8, firm, tax, 'tax-return-2025.pdf', 'Tax return 2025 - for your review.pdf'],
  ] as const)
    later(firstDay + day * DAY, () => put(actor, place, file, name));
}

/** Of the companies in the fiscal XML; nobody has them. */
const BRAZILIAN_IDS = [
  { kind: 'cnpj', number: '99.304.518/0001-86' },
  { kind: 'cnpj', number: '48.217.306/0001-20' },
  { kind: 'cnpj', number: '99.421.736/0001-09' },
  { kind: 'cpf', number: '529.982.247-25' },
] as const;

/** Four clients of a Brazilian firm, with fiscal XML. */
async function anasCompanies(firms: Firms, firm: Actor): Promise<void> {
  const ana = await contact(firms.br, 'ana@padaria.example', 'pt-BR');
  await play('ana', { firm, ana }, STAGE);
  const names = ['Padaria Sol Nascente Ltda', 'Café da Serra ME', 'Embalagens Ipê Ltda', 'Ana Souza'];
  for (const [i, name] of names.entries()) {
    const clientId = await clientFor(firm, [ana], {
      name,
      code: `AU-${101 + i}`,
      kind: i === 3 ? 'individual' : 'business',
      tags: i === 3 ? ['IRPF'] : ['Folha', 'Simples Nacional'],
      taxIds: [BRAZILIAN_IDS[i] ?? BRAZILIAN_IDS[0]],
    });
    const books = await createProject(firm, { clientId, name: 'Contabilidade 2026', processingYear: 2026 });
    later(firstDay + i * HOUR, () =>
      put(firm, books, 'balancete-outubro-2026.pdf', 'Balancete outubro de 2026.pdf'),
    );
    later(firstDay, () => brazilianCalendar(firm, clientId, i === 3));
    if (i === 0) later(firstDay + HOUR, () => decideOnDates(firm, ana, clientId));
    if (i === 3) await defaultFolder(ana, clientId);
    if (i === 0) later(firstDay, () => padariaTasks(firm, clientId));
    if (i === 0) later(firstDay + 3 * DAY, () => bakeryDocuments(ana, clientId));
    if (i === 0)
      later(firstDay + HOUR, async () =>
        bakeryEmployees(firm, clientId, await bakeryEstablishments(firm, clientId)),
      );
    if (i === 0)
      later(yesterday, async () => {
        await bakeryCertificates(firm, clientId);
        await bakeryPassport(await actorOf(ana.contactId), clientId);
      });
    if (i === 0) later(yesterday, () => bakeryOldNote(ana, clientId));
    if (i === 0) await play('anasBakery', { firm, ana, clientId }, STAGE);
    if (i === 0)
      later(firstDay + 5 * DAY, async () =>
        bakeryEntries({ ana: await actorOf(ana.contactId), firm, clientId }),
      );
    if (i === 3) continue;
    const payroll = await createProject(firm, { clientId, name: 'Folha de pagamento', processingYear: 1900 });
    later(firstDay + DAY, () =>
      put(firm, payroll, 'folha-de-pagamento-outubro.pdf', 'Folha de pagamento – outubro.pdf'),
    );
    const xml = await createProject(firm, { clientId, name: 'Notas fiscais' });
    for (const [minute, file] of ['nfe-1001.xml', 'cte-2001.xml', 'nfce-3001.xml', 'cfe-4001.xml'].entries())
      later(firstDay + 2 * DAY + minute * MINUTE, () => put(firm, xml, file, file));
  }
}

async function padariaTasks(firm: Actor, clientId: string): Promise<void> {
  await request(firm, clientId, 'pt', {
    title: 'Documentos do mês de outubro',
    message: 'Precisamos destes documentos para fechar o mês.',
    files: ['Extratos bancários', 'Notas de serviços tomados'],
    question: 'Houve algo fora do comum?',
  });
  await invoice(firm, clientId, { number: '2026-0311', amount: 118_000, currency: 'BRL' });
}

async function sophiesCompany(firms: Firms, firm: Actor): Promise<void> {
  const sophie = await contact(firms.ca, 'sophie@erable.example', 'fr-CA');
  const clientId = await clientFor(firm, [sophie], {
    name: 'Érable & Fils inc.',
    code: 'NL-207',
    language: 'fr',
    yearEnd: '03-31',
    tags: ['T2'],
    taxIds: [{ kind: 'bn', number: '123456782 RC 0001' }],
  });
  const tax = await createProject(firm, { clientId, name: 'Impôts 2025', processingYear: 2025 });
  later(firstDay, () => canadianCalendar(firm, clientId));
  later(firstDay, () => mapleTasks(firm, clientId));
  later(firstDay + DAY, () => put(firm, tax, 'releve-fiscal-2025.pdf', 'Relevé fiscal 2025.pdf'));
  later(firstDay + 2 * DAY, () => put(firm, tax, 'p60-2025-26.pdf', 'P60 2025-26.pdf'));
}

/** Forty clients, so that the switcher needs a search. */
async function marcusHoldings(firms: Firms, firm: Actor): Promise<void> {
  const marcus = await contact(firms.us, 'marcus@holdings.example', 'en-US');
  const trades = [
    'Bakery',
    'Dental',
    'Freight',
    'Garden',
    'Hotel',
    'Marina',
    'Optics',
    'Pharmacy',
    'Studio',
    'Winery',
  ];
  const places = ['Ashland', 'Brighton', 'Carson', 'Dover'];
  for (const place of places) {
    for (const trade of trades) {
      const clientId = await clientFor(firm, [marcus], {
        name: `${place} ${trade} LLC`,
        code: `RH-${place[0]}${trade.slice(0, 2).toUpperCase()}`,
        tags: ['Reed Holdings'],
      });
      if (trade === 'Marina') later(firstDay, () => holdingTasks(firm, clientId));
      if (trade !== 'Bakery') continue;
      const project = await createProject(firm, { clientId, name: 'Tax return 2025', processingYear: 2025 });
      later(firstDay + DAY, async () => {
        const letter = await put(firm, project, 'engagement-letter.pdf', 'Engagement letter 2025.pdf');
        if (place === 'Ashland') later(firstDay + 2 * DAY, () => signatures(firm, clientId, letter, marcus));
      });
    }
  }
}

/** Asks a contact and somebody without an account to sign a document. */
async function signatures(firm: Actor, clientId: string, document: Document, contact: Actor): Promise<void> {
  const signers = [
    { contactId: contact.contactId, name: '', email: '', place: 1 },
    { contactId: null, name: 'Priya Reed', email: 'priya@holdings.example', place: 2 },
  ];
  const signingId = await draftRequest(
    firm,
    {
      clientId,
      documentId: document.id,
      title: 'Engagement letter 2025',
      identity: 'none',
      dueDate: dayOf(firstDay + 90 * DAY, 'UTC'),
      signers,
    },
    'en-us',
  );
  const { pages } = await draftWithFields(firm, signingId);
  await placeFields(firm, signingId, fieldsAtEnd([1, 2], pages));
  await sendRequest(firm, signingId);
}

async function danielsTwoFirms(firms: Firms, staff: Staff): Promise<void> {
  const daniel = await contact(firms.us, 'daniel@twofirms.example', 'en-US');
  // later than the first, since accounts are in the order in which they were created
  const second = await actorOf(
    await at(now() + 1, () =>
      createContact({ companyId: firms.ca, prismGuid: daniel.prismGuid, fullName: daniel.fullName }),
    ),
  );
  const us = await clientFor(staff.us, [daniel], { name: 'Cho Imports Inc', code: 'CI-01' });
  const ca = await clientFor(staff.ca, [second], { name: 'Cho Canada Ltd', code: 'CC-01' });
  for (const [actor, clientId] of [
    [staff.us, us],
    [staff.ca, ca],
  ] as const) {
    const project = await createProject(actor, { clientId, name: '2026' });
    later(firstDay, async () => {
      await put(actor, project, 'engagement-letter.pdf', 'Engagement letter 2026.pdf');
      await request(actor, clientId, 'en-us', {
        title: 'Year-end documents',
        message: 'We need these for the annual accounts.',
        files: ['Bank statements for December', 'Inventory count with its date'],
        question: 'Did you buy or sell equipment this year?',
      });
    });
    if (clientId !== us) continue;
    await importersPapers(daniel, actor, clientId, project);
    later(firstDay, () => americanCalendar(actor, clientId));
    later(firstDay + 5 * HOUR, () => importersInvoices(actor, clientId));
  }
}

async function importersInvoices(firm: Actor, clientId: string): Promise<void> {
  await invoice(firm, clientId, { number: '1042', amount: 45_000, currency: 'USD' });
  await confirmPayment(
    firm,
    await invoice(firm, clientId, { number: '1017', amount: 32_550, currency: 'USD' }),
    {
      way: 'bank',
      receivedOn: dayOf(firstDay, 'UTC'),
      reference: 'ACH 20261102',
    },
  );
}

/** Terms of the US firm, accepted by all of its contacts except one. */
async function tessesTerms(firms: Firms, firm: Actor): Promise<void> {
  const tess = await contact(firms.us, 'tess@terms.example', 'en-US');
  await clientFor(firm, [tess], { name: 'Moreno Ceramics LLC', code: 'MC-01' });
  await publishTerms(firm, { 'en-us': TERMS });
  const contacts = await db()
    .selectFrom('contacts')
    .select('contact_id')
    .where('company_id', '=', firms.us)
    .where('staff', '=', 0)
    .execute();
  for (const { contact_id: contactId } of contacts) {
    const actor = await actorOf(contactId);
    const terms = await termsFor(actor, 'en-us');
    if (terms && contactId !== tess.contactId)
      await acceptTerms(actor, { version: terms.version, language: terms.language, sha256: terms.sha256 });
  }
}

const TERMS = `# Using this portal
Maple & Hart CPAs offers this portal to exchange documents with you.

# What we ask of you
- Keep your password to yourself.
- Upload only documents that are yours to share.
- Tell us when something looks wrong.

# What we do
We keep your documents encrypted, show them to nobody but you and our staff, and delete them when the law no longer asks us to keep them.`;

/**
 * The life of documents over time: nested folders, a locked folder of filed documents, a contact with the
 * Owner role on a project, documents in the trash, ended links, a question with its answer, and the receipts
 * of all of it.
 */
async function importersPapers(
  daniel: Actor,
  firm: Actor,
  clientId: string,
  current: Container,
): Promise<void> {
  const filed = await createProject(firm, {
    clientId,
    name: 'Tax return 2024',
    productType: 'TaxReturn',
    processingYear: 2024,
  });
  const sent = await createFolder(firm, { name: 'As filed', parentId: filed.id, parentType: 'Project' });
  const proofs = await createFolder(firm, { name: 'Proofs', parentId: sent.id, parentType: 'Folder' });
  await giveRole(firm, current.id, daniel.contactId, 'Owner');
  later(firstDay + 10 * MINUTE, () =>
    put(firm, sent, 'tax-return-2025.pdf', 'Tax return 2024 - as filed.pdf'),
  );
  later(firstDay + 20 * MINUTE, () =>
    put(daniel, proofs, 'bank-statement-september.pdf', 'Bank statement 2024-12.pdf'),
  );
  later(firstDay + HOUR, () => setLocked(firm, sent.id, true));
  const place = { containerType: current.containerType, containerId: current.id };
  later(firstDay + 30 * MINUTE, async () => {
    const letter = await put(daniel, current, 'bank-statement-september.pdf', 'Customs invoice.pdf');
    discussAndShare(daniel, firm, { ...place, documentId: letter.id });
  });
  later(firstDay + 40 * MINUTE, async () => {
    const photo = await put(daniel, current, 'receipt-photo.jpg', 'Blurred photo.jpg');
    later(yesterday, () => trashDocument(daniel, place, photo.id));
  });
  later(firstDay + 50 * MINUTE, async () => {
    const draft = await put(firm, current, 'trial-balance.csv', 'Draft balance.csv');
    later(firstDay + 2 * HOUR, () => openDocument(daniel, place, draft.id, true));
    later(yesterday + MINUTE, () => trashDocument(firm, place, draft.id));
  });
}

function discussAndShare(
  daniel: Actor,
  firm: Actor,
  letter: { containerType: Container['containerType']; containerId: string; documentId: string },
): void {
  const { documentId } = letter;
  later(firstDay + 3 * HOUR, () =>
    addComment(firm, { documentId, text: 'Is this the shipment of 14 October, or of 21 October?' }),
  );
  later(firstDay + 4 * HOUR, () =>
    addComment(daniel, { documentId, text: 'Of 21 October. The other one is still with customs.' }),
  );
  const send = (subject: string) =>
    shareDocuments(
      daniel,
      {
        expirationPeriod: 'AfterOneDay',
        overrides: { subject, body: 'Here is the invoice that you asked for.' },
        recipients: [{ emailAddress: 'desk@harbourbank.example' }],
        sharedItems: [letter],
      },
      'en-us',
    );
  later(firstDay + 2 * DAY, () => send('Invoice for the bank'));
  later(firstDay + 3 * DAY, async () => {
    const { shareId } = await send('Invoice, sent by mistake');
    later(firstDay + 3 * DAY + HOUR, () => revokeShare(daniel, shareId));
  });
}

/** Invitations to addresses with a mistake, whose mails bounced. */
function invitationsThatBounced({ us, br }: Staff): void {
  for (const [staff, emailAddress, language] of [
    [us, 'paul@junper.example', 'en-us'],
    [br, 'joana@padria.example', 'pt'],
  ] as const)
    later(firstDay + 4 * DAY, async () => {
      const { invitationId } = await invite(staff, {
        emailAddress,
        firstName: 'Paul',
        lastName: 'Moreno',
        language,
        clientIds: [],
      });
      const mail = await db()
        .selectFrom('mail_targets')
        .select('mail_id')
        .where('target', '=', invitationId)
        .executeTakeFirstOrThrow();
      later(firstDay + 4 * DAY + HOUR, () => recordBounce(mail, '5.1.1'));
    });
}

/** Ends the story: its mails were sent in the past. */
async function deliverMails(): Promise<void> {
  await db().deleteFrom('jobs').execute();
  await db()
    .updateTable('mails')
    .set((e) => ({ state: 'accepted', accepted_at: e.ref('queued_at') }))
    .where('state', '=', 'queued')
    .execute();
}

async function put(actor: Actor, place: Container, file: string, name: string): Promise<Document> {
  return addDocument(actor, {
    containerType: place.containerType,
    containerId: place.id,
    name,
    bytes: demoFile(file),
    onConflict: 'rename',
  });
}

const isoDay = (instant: number): string => new Date(instant).toISOString().slice(0, 10);
