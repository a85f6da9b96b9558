import { clientsOnPage } from '#features/clients/clients/clients.server.ts';
import { contributed } from '#platform/runtime/feature.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { byUrgency, type Company, type CompanyFact } from './urgency.server.ts';
import type { WidgetContext, WidgetView } from './widgets.server.ts';

declare module '#platform/runtime/feature.server.ts' {
  interface Contributions {
    /**
     * What waits or is new at the companies of a contact, for the list of these on the home page: at most one fact of each
     * company, the most urgent `limit` and the newest `limit` or all. It may name clients that the contact no longer acts for.
     */
    companyFacts: (context: WidgetContext, limit: number) => Promise<CompanyFact[]>;
  }
}

const MAX_COMPANIES = 8;

/** The companies of a contact with something to do or to read, the most urgent first. */
export async function companiesWidget(context: WidgetContext): Promise<WidgetView> {
  const { lang, pathTo } = context;
  const t = translationsFor(lang, 'home');
  const companies = await companiesOf(context);
  return {
    rows: companies.map(({ clientId, name, facts }) => {
      const waitingFirst = facts.toSorted((a, b) => Number(b.isWaiting) - Number(a.isWaiting));
      return {
        title: name,
        href: pathTo(waitingFirst[0]?.page ?? 'documents', { client: clientId }),
        notes: waitingFirst.map(({ note }) => note),
      };
    }),
    empty: t('companiesNone'),
    more: { label: t('allCompanies'), href: pathTo('clients') },
  };
}

async function companiesOf(context: WidgetContext): Promise<Company[]> {
  const byClient = new Map<string, CompanyFact[]>();
  for (const factsOf of contributed('companyFacts'))
    for (const fact of await factsOf(context, MAX_COMPANIES))
      byClient.set(fact.clientId, [...(byClient.get(fact.clientId) ?? []), fact]);
  // some of these clients may be gone, so more are looked up than shown
  const candidates = [...byClient].map(([clientId, facts]) => ({ clientId, name: '', facts }));
  const likely = candidates.toSorted(byUrgency).slice(0, 4 * MAX_COMPANIES);
  const clients = await clientsOnPage(
    context.actor,
    likely.map(({ clientId }) => clientId),
  );
  return likely
    .flatMap(({ clientId, facts }) => {
      const client = clients.get(clientId);
      return client ? [{ clientId, facts, name: client.displayAs }] : [];
    })
    .toSorted(byUrgency)
    .slice(0, MAX_COMPANIES);
}
