import type { Actor } from '#features/base/people/people.ts';
import type { SentLink, SentShare, SentTo } from '#features/sharing/sharing/my-shares.ts';
import {
  extendShare,
  revokeRecipient,
  revokeShare,
  sendAgain,
  shareOf,
} from '#features/sharing/sharing/my-shares.server.ts';
import { DEFAULT_EXPIRATION } from '#features/sharing/sharing/rules.ts';
import { expirationChoices } from '#features/sharing/sharing/share-form.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import type { Flash } from '#platform/http/flash.server.ts';
import { formatMoment } from '#platform/text/formats.ts';
import { useForm } from '#platform/forms/forms.server.ts';
import type { FormView } from '#platform/forms/forms.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import { againForm, endAllForm, endOneForm, extendForm } from './forms.server.ts';

const ACTS = ['end', 'extend', 'again'] as const;
type Act = (typeof ACTS)[number];

/** What is asked before it is done: to which share, and to the link of which recipient. */
export interface Step {
  act: Act;
  share: SentShare;
  recipient: SentTo | undefined;
}

type StepUrl = (steps: { act?: Act; share: string; recipient?: string }) => string;

/** A line of the list: where the share is, and what can be done about this link. */
export interface LinkRow extends SentLink {
  url: string;
  /** Whether the sender has not seen before that it was opened. */
  isNew: boolean;
  acts: { label: string; href: string }[];
}

/** A line of the list for a link. Read-only staff have nothing to do about it. */
export function linkRow(
  lang: Lang,
  { share, recipient }: SentLink,
  stepUrl: StepUrl,
  { mayChange, isNew }: { mayChange: boolean; isNew: boolean },
): LinkRow {
  const t = translationsFor(lang, 'shares');
  const { shareId, isOwn } = share;
  const named = { share: shareId, recipient: recipient.recipientId };
  const isOpen = share.state === 'open';
  const acts = [
    ...(isOwn ? [{ label: t('again'), href: stepUrl({ act: 'again', ...named }) }] : []),
    ...(isOwn && isOpen ? [{ label: t('extend'), href: stepUrl({ act: 'extend', share: shareId }) }] : []),
    ...(isOpen && recipient.status !== 'revoked'
      ? [
          {
            label: t('endOne'),
            href: stepUrl({ act: 'end', ...(share.recipients.length > 1 ? named : { share: shareId }) }),
          },
        ]
      : []),
  ];
  return { share, recipient, url: stepUrl({ share: shareId }), isNew, acts: mayChange ? acts : [] };
}

/** The documents of a share in a few words: the first one, and how many more there are. */
export function documentsIn(lang: Lang, { folders, documents, missing }: SentShare): string {
  const t = translationsFor(lang, 'shares');
  const [first, ...others] = [...folders, ...documents].map(({ name }) => name);
  const count = others.length + missing;
  if (first === undefined) return t('missing', { count });
  return count === 0 ? first : t('documentsAnd', { name: first, count });
}

/** The step that the address names; NOT_FOUND when it names what the actor may not change. */
export async function stepOf(actor: Actor, parameters: URLSearchParams): Promise<Step | undefined> {
  const act = ACTS.find((one) => one === parameters.get('act'));
  if (!act) return undefined;
  const share = await shareOf(actor, parameters.get('share') ?? '');
  const named = parameters.get('recipient');
  const recipient = share.recipients.find(({ recipientId }) => recipientId === named);
  if ((named !== null && !recipient) || (act === 'again' && !recipient) || (act !== 'end' && !share.isOwn))
    throw notFound();
  return { act, share, recipient };
}

/** The form of the step, which leads back to the list. */
export function stepForm(
  page: Parameters<typeof useForm>[0] & { locals: Pick<App.Locals, 'timeZone' | 'firm'> },
  actor: Actor,
  { act, share, recipient }: Step,
  to: string,
): Promise<FormView | Response> {
  const { lang, timeZone, firm } = page.locals;
  const { shareId, subject } = share;
  const vars = { subject, firm: firm?.name ?? '', email: recipient?.emailAddress ?? '' };
  const done = (key: KeysOf<'shares'>, more: Flash['vars'] = {}) => ({
    to,
    flash: { type: 'success', namespace: 'shares', key, vars: { ...vars, ...more } } as const,
  });
  if (act === 'end')
    return useForm(page, recipient ? endOneForm : endAllForm, {
      vars,
      submit: async () => {
        await (recipient
          ? revokeRecipient(actor, shareId, recipient.recipientId)
          : revokeShare(actor, shareId));
        return done(recipient ? 'endedOne' : 'endedAll');
      },
    });
  const values = { expirationPeriod: DEFAULT_EXPIRATION };
  const choices = { expirationPeriod: expirationChoices(lang, timeZone) };
  if (act === 'again')
    return useForm(page, againForm, {
      values,
      choices,
      vars,
      submit: async ({ expirationPeriod }) => {
        await sendAgain(actor, shareId, recipient?.recipientId ?? '', expirationPeriod);
        return done('sentAgain');
      },
    });
  return useForm(page, extendForm, {
    values,
    choices,
    vars,
    submit: async ({ expirationPeriod }) => {
      const { expiresAt } = await extendShare(actor, shareId, expirationPeriod);
      return done('extended', { moment: formatMoment(LANGUAGES[lang], expiresAt, timeZone) });
    },
  });
}
