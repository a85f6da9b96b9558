import { firmOf } from '#features/base/firms/firms.server.ts';
import { isRecentlyAuthenticated } from '#features/base/people/people.server.ts';
import type { Session } from '#features/base/people/people.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { useForm, type Destination } from '#platform/forms/forms.server.ts';
import { confirmPath } from '#platform/http/addresses.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { withMask } from '#platform/inputs/masks.ts';
import { config } from '#platform/runtime/config.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import { keepsCertificates } from './access.server.ts';
import {
  loadCertificate,
  removeCertificate,
  reuseCertificate,
  storeCertificate,
  type ClientCertificate,
} from './certificates.server.ts';
import { certificateForm } from './forms.server.ts';
import { daysLeft } from './rules.ts';

interface Page {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

const ZONE = 'America/Sao_Paulo';

/** The digital certificate of a client: what it is, and the form that stores another one. FORBIDDEN, NOT_FOUND. */
export async function certificatePage(page: Page, clientId: string) {
  const { lang, session } = page.locals;
  const here = page.url.pathname + page.url.search;
  const confirm = { to: confirmPath(lang, here) };
  const stepUp = ({ code }: { code: string }): Destination | undefined =>
    code === 'STEP_UP' ? confirm : undefined;
  const pressed = await useActions(
    page,
    {
      remove: async () => {
        await removeCertificate(session, clientId);
        return done(here, 'removed');
      },
      reuse: async () => {
        await reuseCertificate(session, clientId);
        return done(here, 'reused');
      },
    },
    stepUp,
  );
  if (pressed) return pressed;
  const form = keepsCertificates(session.actor)
    ? await useForm(page, certificateForm, {
        submit: async ({ file: [file], password }) => {
          const bytes = new Uint8Array((await file?.arrayBuffer()) ?? []);
          await storeCertificate(session, clientId, { file: bytes, password });
          return done(here, 'stored');
        },
        redirectRefusal: stepUp,
      })
    : undefined;
  if (form instanceof Response) return form;
  const certificate = await loadCertificate(session.actor, clientId);
  return {
    form,
    confirmUrl: isRecentlyAuthenticated(session) ? undefined : confirm.to,
    firm: (await firmOf(session.actor.companyId)).name,
    facts: certificate && factsOf(lang, certificate),
    warning: certificate && warningOf(lang, certificate),
    isConnected: config.taxAuthority !== undefined,
    isRefused: certificate?.refusedCode !== undefined && certificate.refusedCode !== '',
  };
}

const done = (to: string, key: KeysOf<'digital-certificates'>): Destination => ({
  to,
  flash: { type: 'success', namespace: 'digital-certificates', key },
});

function factsOf(lang: Lang, certificate: ClientCertificate): { label: string; value: string }[] {
  const t = translationsFor(lang, 'digital-certificates');
  const day = (at: number): string => formatDate(LANGUAGES[lang], at, ZONE);
  const { cnpj, validFrom, validTo, fingerprint, storedAt, storedBy } = certificate;
  return [
    { label: t('holder'), value: certificate.holder },
    cnpj === ''
      ? { label: t('cpf'), value: t('cpfOfClient') }
      : { label: t('cnpj'), value: withMask('cnpj', cnpj) },
    { label: t('issuer'), value: certificate.issuer },
    { label: t('validity'), value: t('fromTo', { from: day(validFrom), to: day(validTo) }) },
    { label: t('fingerprint'), value: fingerprint.replaceAll(/(.{4})(?=.)/g, '$1 ') },
    { label: t('storedLabel'), value: t('storedBy', { date: day(storedAt), name: storedBy }) },
  ];
}

const SOON = 30;

/** What is wrong with a certificate, or will be soon. */
function warningOf(lang: Lang, { validTo, refusedCode }: ClientCertificate): string | undefined {
  const t = translationsFor(lang, 'digital-certificates');
  const count = daysLeft(validTo, now());
  const date = formatDate(LANGUAGES[lang], validTo, ZONE);
  if (validTo <= now()) return t('hasEnded', { date });
  if (refusedCode !== '') return t('wasRefused', { code: refusedCode });
  if (count > SOON) return undefined;
  return count === 0 ? t('endsToday') : t('endsIn', { count, date });
}

/** What people of a client should know about its certificate where it is used; undefined while all is well. */
export async function certificateWarning(
  lang: Lang,
  session: Session,
  clientId: string,
): Promise<string | undefined> {
  const certificate = await loadCertificate(session.actor, clientId);
  return certificate
    ? warningOf(lang, certificate)
    : translationsFor(lang, 'digital-certificates')('noneWarning');
}
