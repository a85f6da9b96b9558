import { defineFeature } from '#platform/runtime/feature.server.ts';
import type messages from '../../../../locales/en-us/payroll-simulations.json';
import { vacationAnswerRule } from './vacation-answer-rule.server.ts';

declare module '#platform/text/translations.server.ts' {
  interface Namespaces {
    'payroll-simulations': typeof messages;
  }
}

export const payrollSimulations = defineFeature({
  name: 'payroll-simulations',
  answerRules: { 'br-vacation': vacationAnswerRule },
});
