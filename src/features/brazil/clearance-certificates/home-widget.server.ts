import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { agencyName } from './agency-names.server.ts';
import { isInBrazil } from './clearance-certificates.ts';
import { listFollowed } from './following.server.ts';
import { LIGHTS, type Light } from './lights.ts';
import { lightSentence } from './sentences.server.ts';

const MAX_SHOWN = 5;

/** The certificates of the active client, those with a problem first; nothing where the firm follows no agency. */
export const certificatesWidget: Contributions['widgets'][number] = {
  id: 'cnd',
  section: 2,
  order: 20,
  page: 'home',
  title: text('clearance-certificates', 'widgetTitle'),
  isFor: ({ session: { actor } }) => !actor.staff && isInBrazil(actor),
  load: async ({ actor, client, firm, today, lang, pathTo }) => {
    const t = translationsFor(lang, 'clearance-certificates');
    const followed = (await listFollowed(actor, client.id)).toSorted(
      (a, b) => LIGHTS.indexOf(b.light) - LIGHTS.indexOf(a.light),
    );
    const page = pathTo(`home/cnd/${client.id}`);
    return {
      rows: followed.slice(0, MAX_SHOWN).map((each) => ({
        title: agencyName(lang, each.agencyId),
        href: page,
        icon: ICONS[each.light],
        notes: [
          {
            text: lightSentence(lang, each, { today, firm: firm.name }),
            ...(IS_LATE[each.light] && { tone: 'late' as const }),
          },
        ],
      })),
      ...(followed.length > 0 && { more: { label: t('allCertificates'), href: page } }),
    };
  },
};

const ICONS = {
  valid: 'circle-check',
  expiring: 'clock',
  missing: 'circle-dashed',
  expired: 'circle-alert',
  positive: 'ban',
} as const satisfies Record<Light, string>;

const IS_LATE: Readonly<Record<Light, boolean>> = {
  valid: false,
  expiring: true,
  missing: false,
  expired: true,
  positive: true,
};
