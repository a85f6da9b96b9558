import { firmOf } from '#features/base/firms/firms.server.ts';
import type { CertificateContent } from '#features/documents/seals/sealing.server.ts';
import type { ForeignSignature } from '#features/documents/document-preparation/preparation.ts';
import { formatMoment } from '#platform/text/formats.ts';
import { DEFAULT_LANG, languageOf, LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { evidenceOf, type Evidence } from './evidence.server.ts';
import { notCarried, signersOf, type Signer, type SigningRow } from './internal/rows.server.ts';

/** What happened, as the certificate and the firm's page show it. */
export interface ShownEvent {
  at: number;
  who: string;
  text: string;
}

/**
 * The certificate of a document that all have signed: who signed when and how, and what else happened. It says only
 * what the evidence contains.
 */
export async function certificateOf(signing: SigningRow): Promise<CertificateContent> {
  const lang = languageOf(signing.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'signing');
  const firm = await firmOf(signing.company_id);
  const signers = await signersOf(signing.signing_id);
  const evidence = await evidenceOf(signing.signing_id);
  const moment = (at: number): string => formatMoment(LANGUAGES[lang], at, firm.timeZone);
  return {
    title: t('certificateTitle', { title: signing.title }),
    lead: t('certificateLead', { firm: firm.name }),
    sections: [
      {
        title: t('certificateDocument'),
        rows: [
          { label: t('certificateName'), value: signing.document_name },
          { label: t('certificateSource'), value: signing.source_sha256 },
          { label: t('certificatePrepared'), value: signing.prepared_sha256 },
          ...notCarriedRows(lang, signing, moment),
          { label: t('certificateEvidence'), value: signing.evidence_hash },
        ],
      },
      ...signers.map((signer) => ({
        title: t('certificateSigner', { number: signer.number, name: signer.typedName || signer.name }),
        rows: rowsOf(lang, signer, evidence, moment),
      })),
      {
        title: t('certificateEvents'),
        rows: shownEvents(lang, evidence, signers).map(({ at, who, text }) => ({
          label: moment(at),
          value: who === '' ? text : `${who}: ${text}`,
        })),
      },
    ],
    footer: t('certificateFooter', { firm: firm.name }),
  };
}

/** What the original bears or shows, and this document does not. */
function notCarriedRows(
  lang: Lang,
  signing: SigningRow,
  moment: (at: number) => string,
): { label: string; value: string }[] {
  const t = translationsFor(lang, 'signing');
  const { signatures, differences } = notCarried(signing);
  return [
    ...(signatures.length === 0
      ? []
      : [
          {
            label: t('certificateForeign'),
            value: [
              ...signatures.map((each) => foreignSignatureText(lang, each, moment)),
              t('certificateForeignText'),
            ].join('\n'),
          },
        ]),
    ...(differences.length === 0
      ? []
      : [
          {
            label: t('certificateDifferent'),
            value: t('certificateDifferentText', {
              pages: differences.map(({ page }) => page).join(', '),
            }),
          },
        ]),
  ];
}

/** Who signed a document elsewhere, and when, as the signature states. */
export function foreignSignatureText(
  lang: Lang,
  { name, signedAt }: ForeignSignature,
  moment: (at: number) => string,
): string {
  const t = translationsFor(lang, 'signing');
  const who = name === '' ? t('foreignUnnamed') : name;
  return signedAt === undefined ? who : t('foreignDated', { name: who, when: moment(signedAt) });
}

function rowsOf(
  lang: Lang,
  signer: Signer,
  evidence: readonly Evidence[],
  moment: (at: number) => string,
): { label: string; value: string }[] {
  const t = translationsFor(lang, 'signing');
  const own = evidence.filter(({ signerId }) => signerId === signer.signerId);
  const signed = own.findLast(({ kind }) => kind === 'signed');
  const pages = own.flatMap(({ kind, data }) => (kind === 'page-shown' ? [Number(data['page'])] : []));
  return [
    { label: t('certificateNameOfRecord'), value: signer.name },
    { label: t('certificateEmail'), value: signer.email },
    { label: t('certificateSignedAt'), value: signer.actedAt === null ? '' : moment(signer.actedAt) },
    {
      label: t('certificateMethod'),
      value: t(signer.drawing === '' ? 'methodTyped' : 'methodDrawn'),
    },
    { label: t('certificateIdentity'), value: identityText(lang, signer, own) },
    { label: t('certificateConsent'), value: consentOf(lang, signer) },
    { label: t('certificatePages'), value: pages.length === 0 ? t('noPages') : pages.join(', ') },
    { label: t('certificateAddress'), value: String(signed?.data['address'] ?? '') },
    { label: t('certificateBrowser'), value: String(signed?.data['browser'] ?? '') },
    ...(signer.receipt === null ? [] : [{ label: t('certificateReceipt'), value: String(signer.receipt) }]),
  ];
}

function consentOf(lang: Lang, { consentSha256: digest, consentVersion, consentLanguage }: Signer): string {
  const t = translationsFor(lang, 'signing');
  if (digest === null) return t('consentEarlier');
  const language = languageOf(consentLanguage ?? '');
  if (!language) return digest;
  const names = new Intl.DisplayNames(LANGUAGES[lang], { type: 'language' });
  return t('consentNamed', {
    digest,
    version: consentVersion ?? 0,
    language: names.of(LANGUAGES[language]) ?? language,
  });
}

/** How a signer was identified: what was done, never what it may prove. */
function identityText(lang: Lang, signer: Signer, own: readonly Evidence[]): string {
  const t = translationsFor(lang, 'signing');
  const entry =
    signer.contactId === null
      ? t(wasCodeMailed(own) ? 'identityLinkCodeMailed' : 'identityLink', { email: signer.email })
      : t('identityAccount');
  const factor = own.findLast(({ kind }) => kind === 'factor-used');
  if (!factor) return entry;
  const added =
    factor.data['method'] === 'totp'
      ? t('identityTotp')
      : t('identityMailCode', { email: String(factor.data['detail']) });
  return `${entry} ${added}`;
}

/** Whether the access code that was entered last had been mailed: a new link has another code. */
function wasCodeMailed(own: readonly Evidence[]): boolean {
  const before = own.slice(0, own.findLastIndex(({ kind }) => kind === 'code-entered') + 1);
  const renewed = before.findLastIndex(({ kind }) => kind === 'link-renewed');
  return before.slice(renewed + 1).some(({ kind }) => kind === 'access-code-mailed');
}

const TEXTS = {
  sent: 'eventSent',
  invited: 'eventInvited',
  'link-renewed': 'eventRenewed',
  opened: 'eventOpened',
  'access-code-mailed': 'eventAccessCodeMailed',
  'code-entered': 'eventCodeEntered',
  agreed: 'eventAgreed',
  'page-shown': 'eventPage',
  'code-mailed': 'eventCodeMailed',
  'factor-used': 'eventFactor',
  signed: 'eventSigned',
  declined: 'eventDeclined',
  disowned: 'eventDisowned',
  'seal-failed': 'eventSealFailed',
} as const satisfies Record<Exclude<Evidence['kind'], 'sealed'>, string>;

/** A seal with what became of its timestamp. */
function sealedText({ timestamp }: Evidence['data']) {
  if (timestamp === 'not-configured') return 'eventSealedUnstamped';
  return timestamp === 'unreachable' ? 'eventSealedUnreachable' : 'eventSealed';
}

/** The evidence in words. */
export function shownEvents(
  lang: Lang,
  evidence: readonly Evidence[],
  signers: readonly Signer[],
): ShownEvent[] {
  const t = translationsFor(lang, 'signing');
  const names = new Map(signers.map(({ signerId, name }) => [signerId, name]));
  return evidence.map(({ kind, at, signerId, data }) => ({
    at,
    who: (signerId === null ? undefined : names.get(signerId)) ?? '',
    text: t(kind === 'sealed' ? sealedText(data) : TEXTS[kind], {
      to: String(data['to'] ?? data['detail'] ?? ''),
      page: String(data['page'] ?? ''),
      by: String(data['by'] ?? ''),
      digest: String(data['after'] ?? data['document'] ?? ''),
    }),
  }));
}
