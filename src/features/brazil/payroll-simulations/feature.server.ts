import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import type messages from '../../../../locales/en-us/payroll-simulations.json';
import { vacationAnswerRule } from './vacation-answer-rule.server.ts';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'payroll-simulations': typeof messages;
  }
}

export const payrollSimulations = defineFeature({
  name: 'payroll-simulations',
  access: [
    {
      name: 'simulations',
      place: 'the action service-request/mocks',
      row: {
        group: 'actions',
        order: 50,
        label: text('portal', 'simulation'),
        isShown: true,
        needs: 'service-request',
      },
    },
  ],
  answerRules: { 'br-vacation': vacationAnswerRule },
});
