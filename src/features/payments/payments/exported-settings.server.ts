import type { Contributions } from '#platform/runtime/feature.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { paymentSettingsOf } from './settings.server.ts';

/** How a firm is paid. The keys of its account at a provider leave the portal in no export. */
export const exportedSettings: Contributions['exports'][number] = {
  of: 'export',
  name: 'payment-settings.csv',
  text: text('payments', 'exportSettings'),
  isInternal: true,
  content: ({ lang, firm }) => exportedTable(lang, ['field', 'value'], settingRows(firm.companyId)),
};

async function* settingRows(companyId: string) {
  const { currency, provider, bank, pix } = await paymentSettingsOf(companyId);
  const { texts, ...account } = bank;
  const groups: [group: string, values: object][] = [
    ['', { currency, provider }],
    ['bank.', account],
    ['bank.texts.', texts],
    ['pix.', pix],
  ];
  for (const [group, values] of groups)
    for (const [name, value] of Object.entries(values)) yield { field: group + name, value: String(value) };
}
