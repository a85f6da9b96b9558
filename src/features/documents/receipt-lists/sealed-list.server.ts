import { firmOf } from '#features/base/firms/firms.server.ts';
import { senderText } from '#features/base/people/sender-text.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { listReceipts, type Receipt } from '#features/base/receipts/receipts.server.ts';
import type { ReceiptFilter } from '#features/base/receipts/filter.server.ts';
import { receiptKindText } from '#features/base/receipts/kinds.server.ts';
import { composePdf, paperOf, type DocumentContent } from '#features/documents/seals/composing.server.ts';
import { preparePdf } from '#features/documents/seals/preparing.server.ts';
import {
  recordSealed,
  sealPdf,
  type SealInput,
  type SealedPdf,
} from '#features/documents/seals/sealing.server.ts';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { consume } from '#platform/security/limits.server.ts';
import { formatBytes, formatDate, formatMoment } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/** The most receipts of a list, which has some ten on a page. */
export const MAX_LISTED = 500;
const LISTS = { most: 20, window: 10 * MINUTE };

interface Wanted {
  clientId: string;
  filter: ReceiptFilter;
  lang: Lang;
}

/**
 * Lists the receipts of a client as a PDF with the seal of the firm, which "Verify" knows. EMPTY without a receipt,
 * TOO_LARGE beyond {@link MAX_LISTED}, TOO_MANY beyond 20 lists in ten minutes, NOT_FOUND for a client of others.
 */
export async function sealedList(
  actor: Actor,
  { clientId, filter, lang }: Wanted,
): Promise<{ name: string; bytes: Uint8Array }> {
  const { receipts, total } = await listReceipts(actor, clientId, filter, { limit: MAX_LISTED });
  if (total === 0) throw new PortalError('EMPTY');
  if (total > MAX_LISTED) throw new PortalError('TOO_LARGE', { most: MAX_LISTED });
  await consume(`receipt-lists:${actor.contactId}`, LISTS.most, LISTS.window);
  const { companyId } = actor;
  const firm = await firmOf(companyId);
  const content = contentOf(receipts, { firm, client: await nameOf(clientId), filter, lang });
  const { bytes } = await preparePdf(await composePdf(actor, content, paperOf(lang)));
  const sealed = await sealedInTime({
    companyId,
    prepared: bytes,
    stamps: [],
    certificate: {
      title: content.title,
      lead: translationsFor(lang, 'receipts')('listSealed', { firm: firm.name }),
      sections: [],
      footer: content.footer,
    },
    signedAt: now(),
  });
  await inTransaction(async () => {
    await recordSealed({ ...sealed, companyId, title: content.title, taskId: '' });
    await audit({ companyId, actor: actor.contactId, action: 'receipt.list', target: clientId, clientId });
  });
  return { name: `${content.title}.pdf`, bytes: sealed.bytes };
}

const nameOf = async (clientId: string): Promise<string> =>
  (
    await db()
      .selectFrom('clients')
      .select('name')
      .where('client_id', '=', clientId)
      .executeTakeFirstOrThrow()
  ).name;

/** A list does not wait for a timestamp authority that gives no answer. */
async function sealedInTime(input: SealInput): Promise<SealedPdf> {
  try {
    return await sealPdf(input);
  } catch (error) {
    if (refusal(error)?.code !== 'UNAVAILABLE') throw error;
    return sealPdf({ ...input, withoutTimestamp: true });
  }
}

interface Context {
  firm: { name: string; timeZone: string };
  client: string;
  filter: ReceiptFilter;
  lang: Lang;
}

function contentOf(
  receipts: readonly Receipt[],
  { firm: { name: firm, timeZone }, client, filter, lang }: Context,
): DocumentContent {
  const t = translationsFor(lang, 'receipts');
  const locale = LANGUAGES[lang];
  const dayOf = (day: string): string => (day === '' ? '…' : formatDate(locale, `${day}T12:00:00Z`, 'UTC'));
  const title = t('listTitle', { client });
  return {
    language: locale,
    title,
    lead: t('listLead', { firm, count: receipts.length }),
    sections: [
      {
        kind: 'list',
        title: t('listFacts'),
        items: [
          { label: t('client'), value: client },
          {
            label: t('period'),
            value:
              filter.since === '' && filter.until === ''
                ? t('wholePeriod')
                : `${dayOf(filter.since)} – ${dayOf(filter.until)}`,
          },
          {
            label: t('columnKind'),
            value: filter.kind === '' ? t('allKinds') : receiptKindText(lang, filter.kind as Receipt['kind']),
          },
          { label: t('listedAt'), value: formatMoment(locale, now(), timeZone) },
        ],
      },
      {
        kind: 'table',
        title: t('title'),
        columns: [
          { label: t('columnNumber'), share: 0.12 },
          { label: t('columnWhen'), share: 0.17 },
          { label: t('columnKind'), share: 0.12 },
          { label: t('columnName'), share: 0.22 },
          { label: t('columnWho'), share: 0.15 },
          { label: t('codeAndDigest'), share: 0.22 },
        ],
        rows: receipts.map((receipt) => [
          String(receipt.number),
          formatMoment(locale, receipt.at, timeZone),
          receiptKindText(lang, receipt.kind),
          `${receipt.name} (${formatBytes(locale, receipt.size)})`,
          senderText(lang, receipt.who, receipt.askedBy) || t('linkRecipient'),
          [receipt.code, ...(receipt.sha256.match(/.{1,16}/g) ?? [])].join(' '),
        ]),
      },
    ],
    footer: `${firm} · ${title}`,
  };
}
