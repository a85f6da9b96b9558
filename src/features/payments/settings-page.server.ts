import { confirmPath } from '#platform/addresses.server.ts';
import type { PathTo } from '#platform/addresses.server.ts';
import { languageChoices, useForm } from '#platform/forms.server.ts';
import type { FormView } from '#platform/forms.ts';
import { LANGS, type Lang } from '#platform/languages.ts';
import { translationsFor } from '#platform/translations.server.ts';
import type { Session } from '#features/people/people.ts';
import { currencyChoices } from './currencies.server.ts';
import { settingsForm, settingsOfForm } from './forms.server.ts';
import { availableProviders } from './providers/available.server.ts';
import { changePaymentSettings, paymentSettingsOf } from './settings.server.ts';

interface Page {
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

/** How the firm is paid: bank, Pix and provider. Whoever changes it must have signed in just now. */
export async function settingsPage(page: Page): Promise<FormView | Response> {
  const { lang, session, pathTo } = page.locals;
  const t = translationsFor(lang, 'payments');
  const { currency, bank, pix, provider } = await paymentSettingsOf(session.actor.companyId);
  const here = pathTo('staff/payments');
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
      provider: (['none', ...availableProviders()] as const).map((value) => ({
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
