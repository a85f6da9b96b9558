import { checkPartner } from '#features/brazil/labor-rules/partner-rules.ts';
import { centsOf, textOf } from './given.ts';
import { placed, some, type Key, type KindRules } from './kind-rules.ts';
import { ownTexts } from './texts.ts';

/* The registration of a partner. */

const check: KindRules['check'] = (given) => {
  const start = textOf(given.at('request.start'));
  if (start === undefined || given.at('partnership.pro-labore') === undefined) return [];
  const otherPay = given
    .rows('partnership.other-sources')
    .reduce((sum, { at }) => sum + (centsOf(at('pay')) ?? 0), 0);
  const found = checkPartner({
    start,
    isAdministrator: given.at('partnership.administrator') === true,
    ...some('proLabore', centsOf(given.at('partnership.value'))),
    otherPay,
  });
  return placed(found, (path) => (path === 'start' ? 'request.start' : `partnership.${path}`));
};

const TEXTS: Readonly<Record<string, Key>> = {
  minimum: 'rulePartnerMinimum',
  ceiling: 'rulePartnerCeiling',
  none: 'rulePartnerNone',
  event: 'ruleEvent',
};

export const rules: KindRules = {
  needs: {},
  asking: [],
  check,
  ...ownTexts(TEXTS),
};
