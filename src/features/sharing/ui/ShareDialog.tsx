import { useEffect, useMemo, useRef, useState, type MouseEvent, type SyntheticEvent } from 'react';
import { showAlert, STANDARD_TIMEOUT } from '#ui/alerts.ts';
import { ICONS } from '#ui/icons.ts';
import { wordsFrom, type Words } from '#platform/words.ts';
import { postShare } from '../calls.ts';
import { DEFAULT_EXPIRATION, EXPIRATION_PERIODS, parseRecipients, shareProblems, type ExpirationPeriod, type ShareField, type ShareForm } from '../rules.ts';
import type { ShareRequest } from '../sharing.ts';
import type { ShareWord } from './share-words.ts';

interface Props {
  locale: string;
  ownAddress: string;
  words: Words<ShareWord>;
}

type Chosen = ShareRequest['sharedItems'][number] & { name: string };

const EMPTY: ShareForm = { to: '', sendMeACopy: false, subject: '', message: '', expirationPeriod: DEFAULT_EXPIRATION, requireCode: false, code: '' };

/** 'Send by e-mail': the button of the documents form and the dialog it opens, whose form is made then: the page is lighter. Before scripts the button submits to the page with the same form. */
export function ShareDialog({ locale, ownAddress, words }: Props) {
  const t = useMemo(() => wordsFrom(words), [words]);
  const dialog = useRef<HTMLDialogElement>(null);
  const summary = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<Chosen[]>([]);
  const [form, setForm] = useState<ShareForm>(EMPTY);
  const [problems, setProblems] = useState<Partial<Record<ShareField, string>>>({});
  const [isSending, setSending] = useState(false);

  const change = (values: Partial<ShareForm>): void => setForm((current) => ({ ...current, ...values }));

  function open(event: MouseEvent): void {
    event.preventDefault();
    const documents = chosenDocuments();
    if (documents.length === 0) {
      showAlert({ type: 'info', msg: t('nothingChosen'), timeout: STANDARD_TIMEOUT });
      return;
    }
    setChosen(documents);
  }

  useEffect(() => {
    if (chosen.length > 0) dialog.current?.showModal();
  }, [chosen]);

  /** Shows what is wrong with each field; true when nothing is. */
  function say(found: Partial<Record<ShareField, string>>): boolean {
    setProblems(found);
    const isFine = Object.keys(found).length === 0;
    if (!isFine) requestAnimationFrame(() => summary.current?.focus());
    return isFine;
  }

  async function send(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    event.stopPropagation();
    const found = shareProblems(form);
    if (!say(Object.fromEntries(Object.entries(found).map(([field, problem]) => [field, t(problem)])))) return;
    setSending(true);
    const outcome = await postShare(requestOf(form, chosen, ownAddress, locale));
    setSending(false);
    if (outcome.kind === 'refused' && outcome.domains) return void say({ to: t('toDomain', { domains: outcome.domains.join(', ') }) });
    if (outcome.kind === 'refused' && outcome.code === 'STEP_UP') return sendOnPage(form, chosen);
    if (outcome.kind === 'sent') {
      showAlert({ type: 'success', msg: t('sendDocsSuccessMsg', { count: outcome.share.recipients.length }), timeout: STANDARD_TIMEOUT });
      setForm(EMPTY);
    } else {
      showAlert({ type: 'danger', msg: t(outcome.code === 'TOO_MANY' ? 'sendDocsTooMany' : ['INFECTED', 'UNSCANNED'].includes(outcome.code) ? 'sendDocsScan' : 'sendDocsErrorMsg') });
    }
    dialog.current?.close();
  }

  const error = (field: ShareField) =>
    problems[field] && (
      <p className="field-error" id={`share-${field}-error`}>
        {problems[field]}
      </p>
    );
  const invalid = (field: ShareField, hint?: string) => ({
    'aria-invalid': problems[field] !== undefined,
    'aria-describedby': [hint, problems[field] && `share-${field}-error`].filter(Boolean).join(' ') || undefined,
  });

  return (
    <>
      <button className="button button-primary" form="document-form" onClick={open}>
        {t('open')}
      </button>
      <dialog ref={dialog} aria-labelledby="share-title">
        {chosen.length > 0 && (
          <form className="stack" noValidate onSubmit={(event) => void send(event)}>
            <div className="bar">
              <h2 id="share-title">{t('title')}</h2>
              <button type="button" className="button button-quiet button-icon" aria-label={t('close')} onClick={() => dialog.current?.close()}>
                <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
                  <use href={`${ICONS}#x`} />
                </svg>
              </button>
            </div>
            {Object.keys(problems).length > 0 && (
              <div className="error-summary" role="alert" tabIndex={-1} ref={summary}>
                <h3>{t('errorTitle')}</h3>
                <ul>
                  {Object.entries(problems).map(([field, problem]) => (
                    <li key={field}>
                      <a href={`#share-${field}`}>{problem}</a>
                    </li>
                  ))}
                </ul>
              </div>
            )}
            <div className="field">
              <label htmlFor="share-to">{t('to')}</label>
              <p className="hint" id="share-to-hint">
                {t('toHint')}
              </p>
              {error('to')}
              <input id="share-to" className="input" inputMode="email" autoComplete="email" value={form.to} onChange={(event) => change({ to: event.target.value })} {...invalid('to', 'share-to-hint')} />
            </div>
            <label className="check">
              <input type="checkbox" checked={form.sendMeACopy} onChange={(event) => change({ sendMeACopy: event.target.checked })} />
              {t('copy', { email: ownAddress })}
            </label>
            <div className="field">
              <label htmlFor="share-subject">{t('subject')}</label>
              {error('subject')}
              <input id="share-subject" className="input" value={form.subject} onChange={(event) => change({ subject: event.target.value })} {...invalid('subject')} />
            </div>
            <div className="field">
              <label htmlFor="share-message">
                {t('message')} <small>({t('optional')})</small>
              </label>
              {error('message')}
              <textarea id="share-message" className="input" rows={4} value={form.message} onChange={(event) => change({ message: event.target.value })} {...invalid('message')} />
            </div>
            <div className="field">
              <label htmlFor="share-expirationPeriod">{t('expiration')}</label>
              {error('expirationPeriod')}
              <select id="share-expirationPeriod" className="input" value={form.expirationPeriod} onChange={(event) => change({ expirationPeriod: event.target.value })} {...invalid('expirationPeriod')}>
                {EXPIRATION_PERIODS.map((period) => (
                  <option key={period} value={period}>
                    {t(period)}
                  </option>
                ))}
              </select>
            </div>
            <label className="check">
              <input type="checkbox" checked={form.requireCode} onChange={(event) => change({ requireCode: event.target.checked, code: event.target.checked ? form.code : '' })} />
              {t('requireCode')}
            </label>
            <div className="field">
              <label htmlFor="share-code">{t('code')}</label>
              <p className="hint" id="share-code-hint">
                {t('codeHint')}
              </p>
              {error('code')}
              <input id="share-code" className="input" required={form.requireCode} disabled={!form.requireCode} autoComplete="off" value={form.code} onChange={(event) => change({ code: event.target.value })} {...invalid('code', 'share-code-hint')} />
              {form.requireCode && (
                <button type="button" className="button" onClick={() => change({ code: newCode() })}>
                  {t('codeMake')}
                </button>
              )}
            </div>
            <div>
              <h3>{t('documents')}</h3>
              <ul className="share-documents">
                {chosen.map((item) => (
                  <li key={item.documentId}>
                    <bdi>{item.name}</bdi>
                  </li>
                ))}
              </ul>
            </div>
            <div className="actions">
              <button type="button" className="button" onClick={() => dialog.current?.close()}>
                {t('cancel')}
              </button>
              <button className="button button-primary" disabled={isSending}>
                {isSending ? t('sending') : t('send')}
              </button>
            </div>
          </form>
        )}
      </dialog>
    </>
  );
}

/** The rows that are ticked in the list of the page. */
function chosenDocuments(): Chosen[] {
  return [...document.querySelectorAll<HTMLInputElement>('#document-list input[name=id]:checked')].map((box) => ({
    documentId: box.value,
    name: box.dataset['name'] ?? '',
    containerId: box.dataset['container'] ?? '',
    containerType: box.dataset['containerType'] === 'Client' ? 'Client' : box.dataset['containerType'] === 'Project' ? 'Project' : 'Folder',
  }));
}

/** Goes on with what was typed on the page that does the same: it leads to where one shows who one is. */
function sendOnPage(form: ShareForm, chosen: readonly Chosen[]): void {
  const page = document.createElement('form');
  page.method = 'post';
  page.action = document.querySelector<HTMLFormElement>('#document-form')?.action ?? '';
  const typed = Object.entries(form).flatMap(([name, value]): [string, string][] => (value === false ? [] : [[name, String(value)]]));
  for (const [name, value] of [...typed, ...chosen.map(({ documentId = '' }): [string, string] => ['id', documentId])]) page.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
  document.body.append(page);
  page.submit();
}

function requestOf(form: ShareForm, chosen: Chosen[], ownAddress: string, locale: string): ShareRequest {
  const addresses = [...parseRecipients(form.to).addresses, ...(form.sendMeACopy ? [ownAddress] : [])];
  return {
    expirationPeriod: form.expirationPeriod as ExpirationPeriod,
    language: locale,
    locale,
    templateType: 'DOCUMENTS',
    templateId: 'CLIENT_SENDS_DOCUMENT_LINKS',
    overrides: { subject: form.subject.trim(), body: form.message },
    recipients: addresses.map((emailAddress) => ({ emailAddress })),
    sharedItems: chosen,
    variables: { senderEmail: ownAddress },
    ...(form.requireCode && { authorizationCode: form.code.trim() }),
  };
}

const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A code of eight characters that are not mistaken for one another: 40 bits. */
function newCode(): string {
  return [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => LETTERS[byte % LETTERS.length]).join('');
}
