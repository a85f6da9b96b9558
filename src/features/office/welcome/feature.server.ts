import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type messages from '../../../../locales/en-us/welcome.json';
import { offersSteps, openSteps } from './first-steps.server.ts';
import { tables } from './schema.server.ts';
import { PAGE_OF } from './steps.ts';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    welcome: typeof messages;
  }
}

export const welcome = defineFeature({
  name: 'welcome',
  access: [
    {
      name: 'HideWelcomeModal',
      place: 'the first steps on the home page; src/features/office/welcome/',
      row: {
        group: 'account',
        order: 30,
        label: text('portal', 'rowWelcome'),
        isShown: true,
        isInverted: true,
      },
    },
  ],
  tables,
  widgets: [
    {
      id: 'first-steps',
      section: 1,
      order: 15,
      page: 'home/first-steps',
      title: text('welcome', 'title'),
      isFor: ({ session }) => offersSteps(session),
      load: async ({ actor, lang, pathTo }) => {
        const t = translationsFor(lang, 'welcome');
        const steps = await openSteps(actor);
        return {
          rows: steps.map((step) => ({
            title: t(step),
            href: pathTo(PAGE_OF[step]),
            notes: [{ text: t(`${step}Why`) }],
          })),
          ...(steps.length > 0 && { more: { label: t('arrange'), href: pathTo('home/first-steps') } }),
        };
      },
    },
  ],
});
