import { useActions } from '#platform/forms/actions.server.ts';
import { confirmPath } from '#platform/http/addresses.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { languageChoices, useForm, type Destination } from '#platform/forms/forms.server.ts';
import type { FormView } from '#platform/forms/forms.ts';
import { LANGS, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Session } from '#features/base/people/people.ts';
import { currencyChoices } from './currencies.server.ts';
import { accountHint, removeStripeKeys, saveStripeKeys, testStripeKeys } from './accounts.server.ts';
import { settingsForm, settingsOfForm, stripeForm } from './forms.server.ts';
import { availableProviders } from './providers/available.server.ts';
import { changePaymentSettings, paymentSettingsOf } from './settings.server.ts';

interface Page {
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

/** What Stripe is to report: in its settings of the webhook. */
export const STRIPE_EVENTS = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'charge.refunded',
  'charge.dispute.created',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'charge.dispute.closed',
] as const;

/**
 * How the firm is paid: bank, Pix and provider, and its account at Stripe. Whoever changes it must have signed in just
 * now.
 */
export async function settingsPage(page: Page) {
  const { lang, session, pathTo } = page.locals;
  const { companyId } = session.actor;
  const here = pathTo('staff/payments');
  const form = await wayForm(page, here);
  if (form instanceof Response) return form;
  const stripe = await useForm(page, stripeForm, {
    submit: async (keys) => {
      await saveStripeKeys(session, keys);
      return done(here, 'stripeSaved');
    },
    redirectRefusal: ({ code }) => (code === 'STEP_UP' ? { to: confirmPath(lang, here) } : undefined),
  });
  if (stripe instanceof Response) return stripe;
  const acted = await useActions(
    page,
    {
      'stripe=test': async () => {
        await testStripeKeys(session);
        return done(here, 'stripeWorks');
      },
      'stripe=remove': async () => {
        await removeStripeKeys(session);
        return done(here, 'stripeRemoved');
      },
    },
    ({ code }) => {
      if (code === 'STEP_UP') return { to: confirmPath(lang, here) };
      if (code === 'INVALID') return done(here, 'stripeRefused', 'danger');
      return code === 'UNAVAILABLE' ? done(here, 'stripeUnavailable', 'danger') : undefined;
    },
  );
  if (acted) return acted;
  return {
    form,
    stripe,
    hint: await accountHint(companyId),
    webhookUrl: `${config.origin}/api/payments/v1/webhooks/stripe/${companyId}`,
  };
}

const done = (
  to: string,
  key: 'stripeSaved' | 'stripeWorks' | 'stripeRemoved' | 'stripeRefused' | 'stripeUnavailable',
  type: 'success' | 'danger' = 'success',
): Destination => ({ to, flash: { type, namespace: 'payments', key } });

async function wayForm(page: Page, here: string): Promise<FormView | Response> {
  const { lang, session } = page.locals;
  const t = translationsFor(lang, 'payments');
  const { currency, bank, pix, provider } = await paymentSettingsOf(session.actor.companyId);
  return useForm(page, settingsForm, {
    values: {
      currency,
      ...bank,
      texts: Object.entries(bank.texts).map(([language, text]) => ({ language, text })),
      pixKind: pix.kind,
      pixKey: pix.key,
      pixName: pix.name,
      pixCity: pix.city,
      provider,
    },
    choices: {
      currency: currencyChoices(lang),
      'texts.language': languageChoices(LANGS, (value) => value),
      provider: (['none', ...(await availableProviders(session.actor.companyId))] as const).map((value) => ({
        value,
        text: t(`provider_${value}`),
        hint: t(`provider_${value}_hint`),
      })),
    },
    submit: async (values) => {
      await changePaymentSettings(session, settingsOfForm(values));
      return { to: here, flash: { type: 'success', namespace: 'payments', key: 'settingsSaved' } };
    },
    redirectRefusal: ({ code }) => (code === 'STEP_UP' ? { to: confirmPath(lang, here) } : undefined),
  });
}
