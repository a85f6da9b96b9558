import type { Actor } from '#features/people/people.ts';
import { extension, type SentShare, type SentTo } from '#features/sharing/sharing.ts';
import { extendShare, revokeRecipient, revokeShare, sendAgain, shareOf } from '#features/sharing/sharing.server.ts';
import { notFound, refusal } from '#platform/errors.server.ts';
import { flashCookie, type Flash } from '#platform/flash.server.ts';
import { formatMoment } from '#platform/formats.ts';
import { LANGUAGES, type Lang } from '#platform/languages.ts';
import { wordsFor, type KeysOf } from '#platform/words.server.ts';
import { goTo } from './go-to.ts';

const ACTS = ['end', 'extend', 'again'] as const;
type Act = (typeof ACTS)[number];

/** What is asked before it is done: to which share, and to the link of which recipient. */
export interface Step {
  act: Act;
  share: SentShare;
  recipient: SentTo | undefined;
}

/** The step that the address names; NOT_FOUND when it names what the actor may not change. */
export async function stepOf(actor: Actor, asked: URLSearchParams): Promise<Step | undefined> {
  const act = ACTS.find((one) => one === asked.get('act'));
  if (!act) return undefined;
  const share = await shareOf(actor, asked.get('share') ?? '');
  const named = asked.get('recipient');
  const recipient = share.recipients.find(({ recipientId }) => recipientId === named);
  if ((named !== null && !recipient) || (act === 'again' && !recipient) || (act !== 'end' && !share.isOwn)) throw notFound();
  return { act, share, recipient };
}

/** Does the step and goes back to the list, or answers what is wrong. */
export async function takeStep(actor: Actor, { act, share, recipient }: Step, period: string, lang: Lang, backUrl: string): Promise<Response | string> {
  const said = (key: KeysOf<'shares'>, vars: Flash['vars']): Response => goTo(backUrl, [flashCookie({ type: 'success', room: 'shares', key, vars })]);
  const email = recipient?.emailAddress ?? '';
  const chosen = extension.safeParse({ expirationPeriod: period });
  try {
    if (act === 'end') {
      await (recipient ? revokeRecipient(actor, share.shareId, recipient.recipientId) : revokeShare(actor, share.shareId));
      return recipient ? said('endedOne', { email }) : said('endedAll', { subject: share.subject });
    }
    if (!chosen.success) return wordsFor(lang, 'sharing')('expirationMissing');
    const { expirationPeriod } = chosen.data;
    if (act === 'extend') {
      const extended = await extendShare(actor, share.shareId, expirationPeriod);
      return said('extended', { subject: share.subject, moment: formatMoment(LANGUAGES[lang], extended.expiresAt) });
    }
    await sendAgain(actor, share.shareId, recipient?.recipientId ?? '', expirationPeriod);
    return said('sentAgain', { email });
  } catch (error) {
    const no = refusal(error);
    const code = no?.code;
    if (code === 'GONE') return wordsFor(lang, 'shares')('isOver');
    if (code === 'NOT_FOUND' || code === 'EMPTY' || code === 'TOO_LARGE') return wordsFor(lang, 'shares')('notSendable');
    if (code === 'DOMAIN_NOT_ALLOWED') return wordsFor(lang, 'sharing')('toDomain', { domains: (no?.details['domains'] as string[]).join(', ') });
    if (code === 'TOO_MANY') return wordsFor(lang, 'sharing')('sendDocsTooMany');
    throw error;
  }
}
