import { useEffect, useRef, useState, type RefObject, type SyntheticEvent } from 'react';
import type { FormValues } from '#ui/form/FormFields.tsx';
import { offlineText } from '#ui/offline.ts';
import { fieldId, type FormView, type Problem } from '#platform/forms/forms.ts';
import { readEmailAddresses } from '#platform/inputs/email-addresses.ts';
import type { T } from '#platform/text/messages.ts';
import type { ShareOutcome } from '../calls.ts';
import {
  EMPTY_SHARE,
  problemVars,
  recipientNames,
  shareProblems,
  type ExpirationPeriod,
  type ShareForm,
} from '../rules.ts';
import type { ShareRequest } from '../sharing.ts';
import { keepDraft, takeDraft } from './share-draft.ts';
import type { ShareWord } from './share-messages.ts';
import type { Sent } from './ShareSent.tsx';

/** The client of the API, which the button does not need. */
const loadCalls = () => import('../calls.ts');

export type Chosen = ShareRequest['sharedItems'][number] & { name: string };

interface Parts {
  view: FormView;
  chosen: Chosen[];
  dialog: RefObject<HTMLDialogElement | null>;
  locale: string;
  ownAddress: string;
  firm: string;
  t: T<ShareWord>;
}

/** What is entered in the dialog, what is wrong with it, and sending it. It is kept when the session ends meanwhile. */
export function useShareForm({ view, chosen, dialog, locale, ownAddress, firm, t }: Parts) {
  const summary = useRef<HTMLDivElement>(null);
  const [form, setForm] = useState<ShareForm>(() => initialForm(view));
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState('');
  const [attempts, setAttempts] = useState(0);
  const [sent, setSent] = useState<Sent>();

  useEffect(() => {
    if (form.requireCode)
      document.getElementById(fieldId(view.id, 'code'))?.scrollIntoView({ block: 'center' });
  }, [form.requireCode, view.id]);

  useEffect(() => {
    const keep = (): void => {
      if (dialog.current?.open && !sent)
        keepDraft(
          form,
          chosen.map(({ documentId = '' }) => documentId),
        );
    };
    document.addEventListener('portal:session-over', keep);
    return () => document.removeEventListener('portal:session-over', keep);
  }, [form, chosen, sent]);

  useEffect(() => summary.current?.focus(), [failure, attempts]); // shown only with errors

  function change(name: string, value: FormValues[string]): void {
    const next = {
      ...form,
      [name]: value,
      ...(name === 'requireCode' && { code: value === true ? newCode() : '' }),
    };
    setForm(next);
    // what has been corrected is no problem any more
    const left = Object.keys(shareProblems(next));
    setProblems((current) => current.filter(({ field }) => field !== name || left.includes(field)));
  }

  async function send(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    event.stopPropagation();
    const found = Object.entries(shareProblems(form)).map(([field, key]) => ({
      field,
      text: t(key, problemVars(form)),
    }));
    setProblems(found);
    setAttempts((count) => count + 1);
    if (found.length > 0) return;
    setFailure('');
    setSending(true);
    const request = requestOf(form, chosen, ownAddress, locale);
    const outcome = await loadCalls()
      .then(({ postShare }) => postShare(request))
      .catch((): ShareOutcome => ({ kind: 'refused', code: 'CONNECTION' }));
    setSending(false);
    if (outcome.kind === 'refused' && outcome.domains)
      return setProblems([
        { field: 'to', text: t('toDomain', { firm, domains: outcome.domains.join(', ') }) },
      ]);
    if (outcome.kind === 'refused' && outcome.code === 'STEP_UP') return sendOnPage(view.id, form, chosen);
    if (outcome.kind === 'refused')
      return setFailure(navigator.onLine ? t(reasonFor(outcome.code)) : offlineText());
    const names = recipientNames(
      outcome.share.recipients.map(({ emailAddress }) => emailAddress),
      t,
    );
    setSent({ names, expiresAt: outcome.share.expiresAt, code: form.requireCode ? form.code.trim() : '' });
    setForm(initialForm(view));
  }

  return {
    form,
    problems,
    failure,
    isSending,
    /** What was sent; undefined while the form is shown. */
    sent,
    summary,
    change,
    send,
    /** Prepares the form when the dialog opens, with the values of a draft. */
    begin: (): void => {
      void loadCalls().catch(() => undefined); // while the form is filled in
      const draft = takeDraft();
      if (draft) setForm(draft);
      setFailure('');
      setSent(undefined);
    },
  };
}

/** The values that the server gave the form. */
const initialForm = ({ fields }: FormView): ShareForm => ({
  ...EMPTY_SHARE,
  ...Object.fromEntries(fields.map(({ name, value }) => [name, value])),
});

/** The reason why the share was refused, as a translation key. */
function reasonFor(code: string): ShareWord {
  if (code === 'TOO_MANY') return 'sendDocsTooMany';
  return code === 'INFECTED' || code === 'UNSCANNED' ? 'sendDocsScan' : 'sendDocsErrorMsg';
}

/** Continues with the typed values on the page with the same form, which leads to the step-up. */
function sendOnPage(formId: string, form: ShareForm, chosen: readonly Chosen[]): void {
  const page = document.createElement('form');
  page.method = 'post';
  page.action = document.querySelector<HTMLFormElement>('#document-form')?.action ?? '';
  const typed = Object.entries(form).flatMap(([name, value]): [string, string][] =>
    value === false ? [] : [[name, String(value)]],
  );
  for (const [name, value] of [
    ['form', formId] as [string, string],
    ...typed,
    ...chosen.map(({ documentId = '' }): [string, string] => ['id', documentId]),
  ])
    page.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
  document.body.append(page);
  page.submit();
}

function requestOf(form: ShareForm, chosen: Chosen[], ownAddress: string, locale: string): ShareRequest {
  return {
    expirationPeriod: form.expirationPeriod as ExpirationPeriod,
    language: locale,
    locale,
    templateType: 'DOCUMENTS',
    templateId: 'CLIENT_SENDS_DOCUMENT_LINKS',
    overrides: { subject: form.subject.trim(), body: form.message },
    recipients: [
      ...readEmailAddresses(form.to).named,
      ...(form.sendMeACopy ? [{ emailAddress: ownAddress }] : []),
    ],
    sharedItems: chosen,
    variables: { senderEmail: ownAddress },
    ...(form.requireCode && { authorizationCode: form.code.trim() }),
  };
}

const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A code of eight unambiguous characters: 40 bits. */
export function newCode(): string {
  return [...crypto.getRandomValues(new Uint8Array(8))]
    .map((byte) => LETTERS[byte % LETTERS.length])
    .join('');
}
