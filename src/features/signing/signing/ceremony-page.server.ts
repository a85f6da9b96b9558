import { clientRecord } from '#features/clients/clients/client-records.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { refusal, type PortalError } from '#platform/runtime/errors.server.ts';
import { useForm, type Destination } from '#platform/forms/forms.server.ts';
import type { FormView } from '#platform/forms/forms.ts';
import { formatDate, formatMoment } from '#platform/text/formats.ts';
import type { Lang } from '#platform/text/languages.ts';
import { timeZoneNamed } from '#platform/text/time-zones.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import {
  agree,
  begin,
  decline,
  disown,
  isEntered,
  notePage,
  sign,
  startIdentityCheck,
} from './acting.server.ts';
import { consentText, hasAgreed } from './consent.server.ts';
import type { Origin } from './evidence.server.ts';
import { agreeForm, declineForm, signForm } from './forms.server.ts';
import { IDENTITY_PROVIDERS, isCodeMailed } from './identity.server.ts';
import { fieldsOf, pagesOf, type SignField } from './internal/rows.server.ts';
import { originalView } from './viewing.server.ts';
import { linesOf, pageWithText, placeViews, SHOWN_WIDTH } from './pages.server.ts';
import { reasonOver, type Party, type Seat } from './party.server.ts';
import { currentPlace, initialsOf, isTurnOf } from './rules.ts';
import { FIELD_KINDS, PAGES_AT_ONCE, STEPS, type FieldKind, type Step } from './signing.ts';

export interface CeremonyPage {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; locale: string; timeZone: string; network: string };
}

/** Where the ceremony takes place: in a task, or on the page of a link. */
export interface Venue {
  pathTo: (query?: Record<string, string | undefined>) => string;
  /** The address of the images and the copy, which ends before `/pages/1` and `/document`. */
  filesUrl: string;
  /** The page where people set up an authenticator app; undefined for those without an account. */
  securityUrl: string | undefined;
}

/** A signer in the list of all. */
export interface SignerLine {
  name: string;
  isYou: boolean;
  isSigned: boolean;
  text: string;
}

export const originOf = ({ request, locals }: CeremonyPage): Origin => ({
  address: locals.network,
  browser: (request.headers.get('user-agent') ?? '').slice(0, 300),
  language: locals.lang,
});

/**
 * The steps of signing a document for one of its signers: what this is, with the agreement; reading; signing, which is at
 * the end of reading unless a code is asked for; and done.
 */
export async function ceremonyPage(page: CeremonyPage, seat: Seat, party: Party, venue: Venue) {
  const { lang, locale, timeZone } = page.locals;
  const { signing, signer, signers } = seat;
  const t = translationsFor(lang, 'signing');
  const firm = await firmOf(signing.company_id);
  const sender = await actorOf(signing.sender);
  const consent = await consentText(signing.company_id, lang);
  const agreed = await hasAgreed(signing.company_id, signer, consent.sha256);
  const count = pagesOf(signing).length;
  const { pathTo } = venue;
  const vars = { firm: firm.name, title: signing.title, email: signer.email };
  const refused = (error: PortalError): Destination | undefined => refusedStep(error, pathTo, vars);
  const done = await useActions(
    page,
    {
      'action=begin': async () => {
        await begin(party);
        return { to: pathTo({ step: 'read' }) };
      },
      seen: async (value) => {
        const last = await notePages(party, signing, Number(value) || 1);
        return {
          to: last < count ? pathTo({ step: 'read', page: String(last + 1) }) : pathTo({ step: 'sign' }),
        };
      },
      'action=mail-code': async () => {
        await startIdentityCheck(party);
        return {
          to: pathTo({ step: 'sign' }),
          flash: { type: 'success', namespace: 'signing', key: 'codeSent' },
        };
      },
      'action=disown': async () => {
        await disown(party);
        return { to: pathTo(), flash: { type: 'success', namespace: 'signing', key: 'notMeDone', vars } };
      },
    },
    refused,
  );
  if (done) return done;
  const over = await reasonOver(signing);
  const step = stepOf(page.url, { seat, over, agreed });
  const first = step === 'read' ? firstShown(page.url, signing) : undefined;
  const declining = await useForm(page, declineForm, {
    vars,
    submit: async ({ reason }) => {
      await decline(party, reason);
      return { to: pathTo(), flash: { type: 'success', namespace: 'signing', key: 'declined', vars } };
    },
  });
  if (declining instanceof Response) return declining;
  const agreeing = await useForm(page, agreeForm, {
    values: { version: consent.sha256 },
    vars,
    submit: async ({ version }) => {
      await agree(party, lang, version);
      return { to: pathTo({ step: 'read' }) };
    },
    redirectRefusal: ({ code }) => (code === 'CHANGED' ? { to: pathTo() } : undefined),
  });
  if (agreeing instanceof Response) return agreeing;
  const own = (await fieldsOf(signing.signing_id)).filter(({ signerId }) => signerId === signer.signerId);
  const filling = await fillForm(page, { seat, party, venue, own, vars });
  if (filling instanceof Response) return filling;
  const client = await clientName(signing.client_id, sender);
  return {
    title: signing.title,
    step,
    steps: STEPS.filter((each) => each !== 'sign' || !isSignedWhereRead(signing)).map((each) => ({
      title: each === 'read' && isSignedWhereRead(signing) ? t('readAndSign') : t(`step_${each}`),
      isCurrent: each === step,
    })),
    firm,
    sender: sender.fullName,
    client,
    name: signer.name,
    email: signer.email,
    dueOn: signing.due_on,
    pages: count,
    mayAct: over === undefined && isTurnOf(signer, signers),
    isOver: over !== undefined && signer.state === 'waiting',
    over,
    state: signing.state,
    waitsFor: earlierNames(seat, locale),
    signed:
      signer.state === 'signed' && signer.actedAt !== null
        ? {
            when: formatMoment(locale, signer.actedAt, timeZone),
            receipt: signer.receipt,
            signed: signers.filter(({ state }) => state === 'signed').length,
            count: signers.length,
            next: namesAt(seat, locale),
          }
        : undefined,
    isLink: party.via === 'link',
    signers: signerLines(seat, { lang, locale, timeZone }),
    consent,
    agreed,
    agreeing,
    declining,
    filling,
    reading: first === undefined ? undefined : await shownPages(first, { seat, party, venue, own, lang }),
    places: signPlaces(signing, own, { lang, filesUrl: venue.filesUrl }),
    urls: {
      about: pathTo({ step: 'about' }),
      read: pathTo({ step: 'read' }),
      sign: pathTo({ step: 'sign' }),
      copy: `${venue.filesUrl}/document`,
    },
    sealed: signing.sealed_sha256,
    original: originalView(signing, { lang, locale, timeZone, filesUrl: venue.filesUrl }),
  };
}

export type Ceremony = Exclude<Awaited<ReturnType<typeof ceremonyPage>>, Response>;

/** The name of the client, as the firm knows it. */
async function clientName(clientId: string, sender: Awaited<ReturnType<typeof actorOf>>): Promise<string> {
  try {
    return (await clientRecord({ ...sender, hasAllClients: true }, clientId)).name;
  } catch (error) {
    if (!['NOT_FOUND', 'FORBIDDEN'].includes(refusal(error)?.code ?? '')) throw error;
    return ''; // the client was merged into another one a moment ago
  }
}

function stepOf(
  url: URL,
  { seat, over, agreed }: { seat: Seat; over: string | undefined; agreed: boolean },
): Step {
  const { signing, signer, signers } = seat;
  if (signer.state === 'signed') return 'done';
  if (over !== undefined || !isTurnOf(signer, signers)) return 'about';
  const wanted = STEPS.find((step) => step === url.searchParams.get('step')) ?? 'about';
  if (wanted === 'done' || !agreed) return 'about';
  return wanted === 'sign' && isSignedWhereRead(signing) ? 'read' : wanted;
}

/** Whether the document is signed below its last page: without a code there is nothing to wait for. */
const isSignedWhereRead = ({ identity }: Seat['signing']): boolean => identity === 'none';

/** The first of the pages that are shown together with a page. */
const firstOf = (page: number): number => page - ((page - 1) % PAGES_AT_ONCE);

/** The first of the pages that an address shows; the last ones for those who want to sign. */
function firstShown(url: URL, signing: Seat['signing']): number {
  const { length } = pagesOf(signing);
  const wanted = url.searchParams.get('step') === 'sign' ? length : Number(url.searchParams.get('page')) || 1;
  return firstOf(Math.min(Math.max(1, Math.trunc(wanted)), length));
}

/** Notes that pages were shown, those that are shown together with one of them. Returns the number of the last. */
async function notePages(party: Party, signing: Seat['signing'], page: number): Promise<number> {
  const first = firstOf(Math.max(1, Math.trunc(page)));
  const last = Math.min(first + PAGES_AT_ONCE - 1, pagesOf(signing).length);
  for (let number = first; number <= last; number += 1) await notePage(party, number);
  return last;
}

/** A refused action shows the step where it can be put right, with the reason. */
function refusedStep(
  { code, details }: PortalError,
  pathTo: Venue['pathTo'],
  vars: Record<string, string>,
): Destination | undefined {
  const keys = {
    TURN: 'refusedTurn',
    CLOSED: 'refusedClosed',
    NOT_POSSIBLE: 'refusedClosed',
    EXPIRED: 'refusedExpired',
    GONE: 'refusedClosed',
    TOO_MANY: 'codeTooMany',
  } as const;
  const key = code in keys ? keys[code as keyof typeof keys] : undefined;
  if (key === undefined) return undefined;
  const step = code === 'TOO_MANY' && details['retryAfter'] !== undefined ? 'sign' : 'about';
  return { to: pathTo({ step }), flash: { type: 'danger', namespace: 'signing', key, vars } };
}

interface Filling {
  /** Undefined while a code has to be mailed first. */
  form: FormView | undefined;
  check: 'none' | 'mail-code' | 'totp';
  /** A code was mailed and can be entered. */
  isMailed: boolean;
}

async function fillForm(
  page: CeremonyPage,
  {
    seat: { signing, signer },
    party,
    venue,
    own,
    vars,
  }: { seat: Seat; party: Party; venue: Venue; own: readonly SignField[]; vars: Record<string, string> },
): Promise<Filling | Response> {
  const { lang, locale, timeZone: usualZone } = page.locals;
  const { asksForCode } = IDENTITY_PROVIDERS[signing.identity];
  const isMailed = signing.identity === 'mail-code' && (await isCodeMailed(signer.signerId));
  const entered = own.filter(({ kind }) => isEntered(kind));
  const definition = signForm(entered, {
    kinds: kindNames(lang),
    asksForCode: asksForCode ? (signing.identity === 'totp' ? 'totp' : 'mail') : undefined,
  });
  const form = await useForm(page, definition, {
    values: {
      sha256: signing.prepared_sha256,
      name: signer.name,
      ...Object.fromEntries(
        entered.flatMap(({ kind, fieldId }) =>
          kind === 'initials' ? [[fieldId, initialsOf(signer.name)]] : [],
        ),
      ),
    },
    vars,
    ...(venue.securityUrl !== undefined && { links: { MFA_AUTHENTICATION_REQUIRED: venue.securityUrl } }),
    submit: async (typed) => {
      const text = (name: string): string => {
        const value = typed[name];
        return typeof value === 'boolean' ? (value ? 'on' : '') : (value ?? '');
      };
      const timeZone = timeZoneNamed(text('timeZone')) ?? usualZone;
      if (isSignedWhereRead(signing) && signer.state === 'waiting')
        await notePages(party, signing, pagesOf(signing).length);
      await sign(party, {
        sha256: text('sha256'),
        name: text('name'),
        values: Object.fromEntries(entered.map(({ fieldId }) => [fieldId, text(fieldId)])),
        drawing: text('drawing'),
        code: text('code'),
        date: formatDate(locale, now(), timeZone),
        timeZone,
      });
      return { to: venue.pathTo({ step: 'done' }) };
    },
    redirectRefusal: ({ code, details }) =>
      code === 'INCOMPLETE' && details['consent'] === true
        ? {
            to: venue.pathTo(),
            flash: { type: 'danger', namespace: 'signing', key: 'refusedConsent' },
          }
        : undefined,
  });
  if (form instanceof Response) return form;
  const mustMail = signing.identity === 'mail-code' && !isMailed && form.problems.length === 0;
  return { form: mustMail ? undefined : form, check: signing.identity, isMailed };
}

const kindNames = (lang: Lang): Record<FieldKind, string> => {
  const t = translationsFor(lang, 'signing');
  return Object.fromEntries(FIELD_KINDS.map((kind) => [kind, t(`kind_${kind}`)])) as Record<
    FieldKind,
    string
  >;
};

const placeText = (lang: Lang, { kind, page, label }: SignField): string =>
  translationsFor(lang, 'signing')(label === '' ? 'fieldPlace' : 'fieldPlaceNear', {
    kind: kindNames(lang)[kind],
    page,
    near: label,
  });

/** Pages whose image is loaded to show where a signature goes; of more the places are only named. */
const MOST_PAGES_SHOWN = 3;

/** Where the signature and the date of this signer go, with a view of each place. */
function signPlaces(
  signing: Seat['signing'],
  own: readonly SignField[],
  { lang, filesUrl }: { lang: Lang; filesUrl: string },
) {
  const sizes = pagesOf(signing);
  const sizeOf = (page: number) => {
    const { width = 1, height = 1 } = sizes[page - 1] ?? {};
    return { width: SHOWN_WIDTH, height: Math.round((SHOWN_WIDTH * height) / width) };
  };
  const fields = own
    .filter(({ kind }) => !isEntered(kind))
    .map((field) => ({ ...field, text: placeText(lang, field) }));
  const shown = [...new Set(fields.map(({ page }) => page))].slice(0, MOST_PAGES_SHOWN);
  return placeViews(fields, sizeOf).map((view) => ({
    ...view,
    image: shown.includes(view.page)
      ? { url: `${filesUrl}/pages/${view.page}?width=${SHOWN_WIDTH}`, ...sizeOf(view.page) }
      : undefined,
  }));
}

/** The pages that are being read, with the fields of this signer on them. */
async function shownPages(
  first: number,
  {
    seat: { signing },
    party,
    venue,
    own,
    lang,
  }: { seat: Seat; party: Party; venue: Venue; own: readonly SignField[]; lang: Lang },
) {
  const sizes = pagesOf(signing);
  const shown = sizes.slice(first - 1, first - 1 + PAGES_AT_ONCE);
  const pages = [];
  for (const [place, { width, height }] of shown.entries()) {
    const number = first + place;
    const text = await pageWithText(signing, { contactId: party.signerId }, number);
    pages.push({
      number,
      width: SHOWN_WIDTH,
      height: Math.round((SHOWN_WIDTH * height) / width),
      imageUrl: `${venue.filesUrl}/pages/${number}?width=${SHOWN_WIDTH}`,
      largeUrl: `${venue.filesUrl}/pages/${number}?width=1700`,
      lines: text ? linesOf(text) : [],
      fields: own
        .filter(({ page }) => page === number)
        .map((field) => ({ ...field, text: placeText(lang, field) })),
    });
  }
  const isLast = first + shown.length > sizes.length;
  return {
    pages,
    previous: first > 1 ? venue.pathTo({ step: 'read', page: String(first - 1) }) : undefined,
    isLast,
    isSignedHere: isLast && isSignedWhereRead(signing),
  };
}

/** Those who sign before this signer and have not yet. */
const earlierNames = ({ signer, signers }: Pick<Seat, 'signer' | 'signers'>, locale: string): string =>
  listOf(
    locale,
    signers.filter(({ place, state }) => place < signer.place && state !== 'signed').map(({ name }) => name),
  );

/** Those whose turn it is. */
const namesAt = ({ signers }: Seat, locale: string): string =>
  listOf(
    locale,
    signers
      .filter((each) => each.place === currentPlace(signers) && each.state !== 'signed')
      .map(({ name }) => name),
  );

const listOf = (locale: string, names: readonly string[]): string =>
  new Intl.ListFormat(locale, { type: 'conjunction' }).format(names);

/** The signers in their order, with what each has done. */
export function signerLines(
  { signers, signer: you }: Pick<Seat, 'signers'> & { signer?: Seat['signer'] },
  { lang, locale, timeZone }: { lang: Lang; locale: string; timeZone: string },
): SignerLine[] {
  const t = translationsFor(lang, 'signing');
  const place = currentPlace(signers);
  return signers
    .toSorted((a, b) => a.place - b.place || a.number - b.number)
    .map((signer): SignerLine => {
      const when = signer.actedAt === null ? '' : formatMoment(locale, signer.actedAt, timeZone);
      const text =
        signer.state === 'signed'
          ? t('signedOn', { when })
          : signer.state === 'declined'
            ? t('declinedOn', { when })
            : signer.state === 'disowned'
              ? t('stoppedLink')
              : signer.place === place
                ? t('turnNow')
                : t('turnAfter', { names: earlierNames({ signer, signers }, locale) });
      return {
        name: signer.name,
        isYou: signer.signerId === you?.signerId,
        isSigned: signer.state === 'signed',
        text,
      };
    });
}
