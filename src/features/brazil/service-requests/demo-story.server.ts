import { listEmployees } from '#features/brazil/employees/employees.server.ts';
import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { DAY } from '#platform/runtime/clock.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { performAction } from './acting.server.ts';
import { beginRequest } from './beginning.server.ts';
import { saveSection } from './saving.server.ts';
import { changeSettings } from './settings.server.ts';

/*
 * The service requests of the Brazilian bakery: an admission that is begun, a vacation to be corrected, a leave with a
 * question, two that were replied to, and two that wait for the firm.
 */

/** Who begins, and for which client. */
interface Bakery {
  ana: Actor;
  firm: Actor;
  clientId: string;
}

const PART = 'FernandaPart';

export const story: Contributions['story'] = {
  anasBakery: ({ ana, ...scene }, { firstDay, later }) =>
    later(
      firstDay + 4 * DAY,
      async () => makeRequests({ ...scene, ana: await actorOf(ana.contactId) }), // with what was turned on meanwhile
    ),
};

async function makeRequests(bakery: Bakery): Promise<void> {
  await changeSettings(bakery.firm, 'generalRequests', {
    isOpen: true,
    lapseDays: 30,
    promiseDays: 3,
    questions: {},
  });
  await begunAdmission(bakery);
  await returnedVacation(bakery);
  await askedLeave(bakery);
  await repliedTermination(bakery);
  await general(bakery, {
    subject: 'Certidão para o banco',
    department: 'corporate',
    text: 'O banco pede o contrato social atualizado. Podem enviar?',
    reply: 'Enviado em Documentos, na pasta Societário.',
  });
  await general(bakery, {
    subject: 'Informe de rendimentos do sócio',
    department: 'payroll',
    text: 'Preciso do informe de rendimentos do Antônio para o financiamento.',
  });
}

async function begunAdmission({ ana, clientId }: Bakery): Promise<void> {
  const id = await beginRequest(ana, { clientId, type: 'employeeRegistration' });
  await fill(ana, id, {
    'request.name': 'Camila Ribeiro Prado',
    'request.birth': '14/03/1998',
    'request.start': '07/12/2026',
    'request.category': 'c101',
    'request.position': 'Atendente',
  });
}

async function returnedVacation(bakery: Bakery): Promise<void> {
  const { ana, firm } = bakery;
  const id = await beginFor(bakery, 'vacationNotice', 'Fernanda Okada');
  await fill(ana, id, {
    'request.parts#order': PART,
    [`request.parts.${PART}.start`]: '14/12/2026',
    [`request.parts.${PART}.days`]: '30',
    'request.sell': 'no',
    'request.thirteenth': 'no',
  });
  await performAction(ana, id, 'submit');
  await performAction(firm, id, 'return', {
    marks: [{ path: 'request.sell', reason: 'Ela tinha pedido para vender 10 dias. Confirme, por favor.' }],
  });
}

async function askedLeave(bakery: Bakery): Promise<void> {
  const { ana, firm } = bakery;
  const id = await beginFor(bakery, 'employeeLeave', 'Tiago Henrique Rocha');
  await fill(ana, id, {
    'request.what': 'leave',
    'request.reason': 'c03',
    'request.start': '24/11/2026',
    'request.until': 'days',
    'request.days': '5',
    'request.same-reason': 'no',
    'request.traffic': 'no',
  });
  await performAction(ana, id, 'submit');
  await performAction(firm, id, 'ask', { text: 'O atestado é de cinco dias corridos ou úteis?' });
}

async function repliedTermination(bakery: Bakery): Promise<void> {
  const { ana, firm } = bakery;
  const id = await beginFor(bakery, 'terminationCalculation', 'João Pedro Nunes');
  const form = new FormData();
  for (const [name, value] of Object.entries({
    'request.reason': 'c02',
    'request.notice': 'paid',
    'request.notice-on': '01/12/2026',
    'request.last-day': '01/12/2026',
    'request.stability': 'none',
    'request.alimony': 'c0',
  }))
    form.append(name, value);
  await saveSection(ana, id, { section: 'request', form, lang: 'pt' });
  await performAction(ana, id, 'submit');
  await performAction(firm, id, 'reply', {
    text: 'Aviso prévio de 36 dias: o contrato terminaria em 6 de janeiro de 2027. Se quiser seguir, envie o aviso de desligamento.',
  });
}

async function general(
  { ana, firm, clientId }: Bakery,
  request: { subject: string; department: string; text: string; reply?: string },
): Promise<void> {
  const id = await beginRequest(ana, { clientId, type: 'generalRequests' });
  await fill(ana, id, {
    'request.subject': request.subject,
    'request.department': request.department,
    'request.text': request.text,
  });
  await performAction(ana, id, 'submit');
  if (request.reply !== undefined) await performAction(firm, id, 'reply', { text: request.reply });
}

/** Begins a request about one of the employees. */
async function beginFor({ ana, clientId }: Bakery, type: RequestType, name: string): Promise<string> {
  const { items } = await listEmployees(ana, clientId, {
    filter: 'all',
    searchTerm: name,
    startIndex: 0,
    itemsPerPage: 1,
  });
  const [employee] = items;
  return beginRequest(ana, { clientId, type, ...(employee && { employeeId: employee.id }) });
}

async function fill(by: Actor, id: string, fields: Readonly<Record<string, string>>): Promise<void> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  await saveSection(by, id, { section: 'request', form, lang: 'pt' });
}
