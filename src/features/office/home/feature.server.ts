import type { AuditActionDeclarations } from '#platform/security/audit-actions.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { firmArrangement } from './arrangements.server.ts';
import { tables } from './schema.server.ts';
import type messages from '../../../../locales/en-us/home.json';
import { companiesWidget } from './companies.server.ts';
import { contactWidget } from './contact-person.server.ts';

const auditActions = {
  'home.arrange': { text: text('home', 'didArrange') },
} as const satisfies AuditActionDeclarations;

declare module '#platform/security/audit-actions.server.ts' {
  interface AuditActions {
    home: typeof auditActions;
  }
}

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    home: typeof messages;
  }
}

export const home = defineFeature({
  name: 'home',
  access: [
    {
      name: 'HideDashboards',
      place: 'the home page and its tab; src/routes.ts',
      row: {
        group: 'areas',
        order: 50,
        label: text('portal', 'tabHome'),
        isShown: true,
        isInverted: true,
        isForTeam: false,
      },
    },
    {
      name: 'homePage',
      place: 'the home page and its tab; src/routes.ts',
      row: {
        group: 'areas',
        order: 60,
        label: text('portal', 'tabHome'),
        isShown: true,
        secondWhen: false,
        isForTeam: false,
      },
    },
  ],
  tables,
  auditActions,
  settings: [
    {
      page: 'staff/home',
      group: 'firm',
      icon: 'house',
      order: 35,
      title: text('home', 'firmTitle'),
      text: text('home', 'firmText'),
      permission: 'ManageFirm',
      state: async ({ lang, session }) => {
        const { isOwn } = await firmArrangement(session.actor.companyId);
        return translationsFor(lang, 'home')(isOwn ? 'stateOwn' : 'stateStandard');
      },
    },
  ],
  navigation: [
    {
      side: 'client',
      page: 'home',
      order: 10,
      label: text('portal', 'tabHome'),
      icon: 'house',
      isFor: ({ actor }) => !actor.staff,
    },
  ],
  widgets: [
    {
      id: 'companies',
      section: 0,
      order: 20,
      page: 'clients',
      title: text('home', 'companies'),
      isFor: ({ hasSeveralClients }) => hasSeveralClients,
      load: companiesWidget,
    },
    {
      id: 'contact',
      section: 2,
      order: 90,
      page: 'home',
      title: text('home', 'contact'),
      load: contactWidget,
    },
  ],
});
