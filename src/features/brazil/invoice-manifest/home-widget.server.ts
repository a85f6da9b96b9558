import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { seesManifest } from './access.server.ts';
import { presentInvoices } from './documents.server.ts';
import { money } from './grids.server.ts';
import { hasStatus, invoiceName, invoicesOf, today } from './internal/store.server.ts';
import { deadlineSentence } from './sentences.server.ts';

const MAX_SHOWN = 3;
const LATE_FROM = 10;

/** The invoices of the active client that nobody has decided about, those with the fewest days left first. */
export const manifestWidget: Contributions['widgets'][number] = {
  id: 'manifest',
  section: 2,
  order: 30,
  page: 'home',
  title: text('invoice-manifest', 'widgetTitle'),
  isFor: ({ session: { actor } }) => !actor.staff && seesManifest(actor),
  load: async ({ actor, client, lang, pathTo }) => {
    const t = translationsFor(lang, 'invoice-manifest');
    const rows = await invoicesOf(actor)
      .selectAll('manifest_documents')
      .where('manifest_documents.client_id', '=', client.id)
      .where(hasStatus('open', today()))
      .where('manifest_documents.intent', '=', 'none')
      .orderBy('last_day')
      .orderBy('manifest_id')
      .limit(MAX_SHOWN)
      .execute();
    const invoices = await presentInvoices(rows);
    return {
      rows: invoices.map((invoice) => ({
        title: t('widgetRow', {
          invoice: invoiceName({
            number: invoice.number,
            series: invoice.series,
            access_key: invoice.key,
          }),
          issuer: invoice.issuer.name,
        }),
        href: pathTo(`actions/nfe-manifest/invoices/${invoice.id}`),
        icon: 'receipt-text',
        notes: [
          { text: money(lang, invoice.total) },
          {
            text: deadlineSentence(lang, invoice),
            ...(invoice.daysLeft <= LATE_FROM && { tone: 'late' as const }),
          },
        ],
      })),
      ...(invoices.length > 0 && {
        more: { label: t('allInvoices'), href: pathTo('actions/nfe-manifest/invoice-processing') },
      }),
    };
  },
};
