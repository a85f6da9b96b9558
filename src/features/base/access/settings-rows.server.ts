import { secondStepOf } from '#features/base/firms/firms.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

const STEP = {
  nobody: 'settingsStepNobody',
  staff: 'settingsStepStaff',
  everybody: 'settingsStepEverybody',
} as const;

export const settingsRows: Contributions['settings'] = [
  {
    page: 'staff/access',
    group: 'people',
    icon: 'lock',
    order: 70,
    title: text('portal', 'accessTitle'),
    text: text('portal', 'accessIntro'),
    permission: 'ManageFirm',
    state: async ({ lang, session }) => {
      const { who } = await secondStepOf(session.actor.companyId);
      return translationsFor(lang, 'access')(STEP[who]);
    },
  },
];
