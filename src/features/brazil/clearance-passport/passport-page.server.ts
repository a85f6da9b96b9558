import type { Firm } from '#features/base/firms/firms.ts';
import type { Session } from '#features/base/people/people.ts';
import { findCheckSite } from '#features/brazil/clearance-certificates/agencies.ts';
import { agencyName } from '#features/brazil/clearance-certificates/agency-names.server.ts';
import { isValidToday } from '#features/brazil/clearance-certificates/lights.ts';
import { dayText } from '#features/brazil/clearance-certificates/sentences.server.ts';
import { RESULT_TEXTS } from '#features/brazil/clearance-certificates/texts.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { lastDayText } from './last-day.ts';
import { passportAddress } from './passports.server.ts';
import { countOpening, viewPassport, type ShownCertificate } from './viewing.server.ts';

interface Page {
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; optionalSession: Session | undefined };
}

/** The page of a passport. Its firm and clients look at it without being counted; so does whoever asks for headers alone. */
export async function passportPage({ request, response, locals }: Page, token: string) {
  const { lang, optionalSession: session } = locals;
  const view = await viewPassport(token);
  if (view.kind !== 'open') {
    response.status = view.kind === 'unknown' ? 404 : 410;
    const firm: Firm | undefined = view.kind === 'unknown' ? undefined : view.firm;
    return { kind: 'gone' as const, firm };
  }
  const isOfFirm = session?.actor.companyId === view.firm.companyId;
  if (request.method === 'GET' && !isOfFirm) await countOpening(token);
  const t = translationsFor(lang, 'clearance-passport');
  const date = dayText(lang, view.today);
  const others = view.certificates.filter(({ light }) => !isValidToday(light));
  return {
    ...view,
    title: t('pageTitle', { client: view.client }),
    facts: [...(view.number === '' ? [] : [view.number]), t('forRecipient', { recipient: view.recipient })],
    areAllValid: others.length === 0,
    state:
      others.length === 0
        ? t('allValid', { count: view.certificates.length, date })
        : t('notAllValid', {
            date,
            names: others.map(({ agencyId }) => agencyName(lang, agencyId)).join(' · '),
          }),
    until: t('openUntil', { date: lastDayText(lang, view.expiresAt, view.firm.timeZone) }),
    address: passportAddress(lang, token),
    certificates: view.certificates.map((each) => presentCertificate(lang, token, each)),
  };
}

/** What the page shows of a certificate. */
function presentCertificate(lang: Lang, token: string, certificate: ShownCertificate) {
  const t = translationsFor(lang, 'clearance-passport');
  const c = translationsFor(lang, 'clearance-certificates');
  const { agencyId, light, result, validUntil, number, controlCode, documentId } = certificate;
  const facts: readonly (readonly [label: string, value: string])[] = [
    [c('result'), result === '' ? '' : c(RESULT_TEXTS[result])],
    [c('validUntil'), dayText(lang, validUntil)],
    [c('number'), number],
    [t('controlCode'), controlCode],
  ];
  return {
    agency: agencyName(lang, agencyId),
    /** Nobody outside the firm has to know that it should be renewed soon. */
    light: light === 'expiring' ? ('valid' as const) : light,
    facts: facts.filter(([, value]) => value !== ''),
    checkSite: result === '' ? undefined : findCheckSite(agencyId),
    pdf:
      documentId === undefined
        ? undefined
        : `/api/cnd/v1/passport-links/${token}/agencies/${agencyId}/document`,
  };
}

export type PresentedCertificate = ReturnType<typeof presentCertificate>;
