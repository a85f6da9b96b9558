import { isRecentlyAuthenticated } from '#features/base/people/people.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { confirmPath } from '#platform/http/addresses.server.ts';
import { useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { sealKeyForm } from './forms.server.ts';
import { listSealKeys, loadSealKey, renewSealKey, type SealKey } from './keys.server.ts';

interface Page extends FormPage {
  locals: Pick<App.Locals, 'lang' | 'locale' | 'pathTo' | 'session' | 'timeZone'>;
}

/** The page of the certificate with which the firm seals documents: the one in use, earlier ones, and a new one. */
export async function sealPage(page: Page) {
  const { lang, locale, pathTo, session, timeZone } = page.locals;
  const t = translationsFor(lang, 'seals');
  const here = pathTo('staff/seal');
  const confirm = { to: confirmPath(lang, here) };
  const done = (key: 'loaded' | 'renewed') =>
    ({ to: here, flash: { type: 'success', namespace: 'seals', key } }) as const;
  const response = await useActions(
    page,
    {
      renew: async () => {
        await renewSealKey(session);
        return done('renewed');
      },
    },
    ({ code }) => (code === 'STEP_UP' ? confirm : undefined),
  );
  if (response) return response;
  const form = await useForm(page, sealKeyForm, {
    submit: async ({ file: [file], password }) => {
      await loadSealKey(session, { file: new Uint8Array((await file?.arrayBuffer()) ?? []), password });
      return done('loaded');
    },
    redirectRefusal: ({ code }) => (code === 'STEP_UP' ? confirm : undefined),
  });
  if (form instanceof Response) return form;
  const keys = await listSealKeys(session.actor);
  const dateOf = (instant: number): string => formatDate(locale, instant, timeZone);
  const factsOf = (key: SealKey) => ({
    key: key.keyId,
    facts: [
      { label: t('keyName'), value: key.name },
      { label: t('keyOrigin'), value: t(key.origin === 'portal' ? 'madeByPortal' : 'loadedByFirm') },
      { label: t('keyIssuer'), value: key.issuer },
      {
        label: t('keyValidity'),
        value: t('fromTo', { from: dateOf(key.validFrom), to: dateOf(key.validTo) }),
      },
      { label: t('keyFingerprint'), value: key.fingerprint.replaceAll(/(.{4})(?=.)/g, '$1 ') },
      ...(key.replacedAt === undefined
        ? []
        : [
            {
              label: t('keyUsed'),
              value: t('fromTo', { from: dateOf(key.createdAt), to: dateOf(key.replacedAt) }),
            },
          ]),
    ],
  });
  const inUse = keys.find(({ replacedAt }) => replacedAt === undefined);
  return {
    form,
    confirmUrl: isRecentlyAuthenticated(session) ? undefined : confirm.to,
    inUse: inUse && factsOf(inUse),
    warning:
      inUse && inUse.lapse !== 'later'
        ? t(inUse.lapse === 'soon' ? 'lapsesSoon' : 'hasLapsed', { date: dateOf(inUse.validTo) })
        : undefined,
    earlier: keys.filter((key) => key !== inUse).map(factsOf),
  };
}
