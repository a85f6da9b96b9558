import { useEffect, useMemo, useRef, useState, type MouseEvent, type SyntheticEvent } from 'react';
import { showAlert, STANDARD_TIMEOUT } from '#ui/alerts.ts';
import { Icon } from '#ui/Icon.tsx';
import { FormFields, ProblemSummary, type FormValues } from '#ui/form/FormFields.tsx';
import { offlineText } from '#ui/offline.ts';
import { $selection } from '#ui/table/state.ts';
import { fieldId, type FieldView, type FormView, type Problem } from '#platform/forms.ts';
import { createTranslator, type Messages } from '#platform/messages.ts';
import type { ShareOutcome } from '../calls.ts';
import {
  EMPTY_SHARE,
  parseRecipients,
  problemVars,
  recipientNames,
  shareProblems,
  type ExpirationPeriod,
  type ShareForm,
} from '../rules.ts';
import type { ShareRequest } from '../sharing.ts';
import { CopyCode } from './CopyCode.tsx';
import styles from './share-dialog.css?url';
import { SharedDocuments } from './SharedDocuments.tsx';
import { ShareSent, type Sent } from './ShareSent.tsx';
import { keepDraft, takeDraft } from './share-draft.ts';
import type { ShareWord } from './share-messages.ts';

interface Props {
  locale: string;
  ownAddress: string;
  firm: string;
  /** The page that lists what was shared. */
  sharedUrl: string;
  /** The form of the page `documents/send`. */
  form: FormView;
  words: Messages<ShareWord>;
}

/** The client of the API, which the button does not need. */
const loadCalls = () => import('../calls.ts');

type Chosen = ShareRequest['sharedItems'][number] & { name: string };

/**
 * 'Share': the button of the documents form and the dialog it opens, whose form is created then to keep the page
 * small. Before scripts the button submits to the page with the same form.
 */
export function ShareDialog({ locale, ownAddress, firm, sharedUrl, form: view, words }: Props) {
  const t = useMemo(() => createTranslator(words), [words]);
  const dialog = useRef<HTMLDialogElement>(null);
  const summary = useRef<HTMLDivElement>(null);
  const firstField = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState<Chosen[]>([]);
  const [form, setForm] = useState<ShareForm>(() => initialForm(view));
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState('');
  const [sent, setSent] = useState<Sent>();

  function change(name: string, value: FormValues[string]): void {
    setForm((current) => ({
      ...current,
      [name]: value,
      ...(name === 'requireCode' && { code: value === true ? newCode() : '' }),
    }));
  }

  function open(event: MouseEvent): void {
    event.preventDefault();
    const documents = selectedDocuments();
    if (documents.length === 0) {
      showAlert({ type: 'info', msg: t('nothingChosen'), timeout: STANDARD_TIMEOUT });
      return;
    }
    void loadCalls().catch(() => undefined); // while the form is filled in
    const draft = takeDraft();
    if (draft) setForm(draft);
    setFailure('');
    setSent(undefined);
    setChosen(documents);
  }

  useEffect(() => {
    if (form.requireCode)
      document.getElementById(fieldId(view.id, 'code'))?.scrollIntoView({ block: 'center' });
  }, [form.requireCode, view.id]);

  useEffect(() => {
    if (chosen.length === 0) return;
    dialog.current?.showModal();
    firstField.current?.focus();
  }, [chosen]);

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

  useEffect(() => summary.current?.focus(), [failure, problems]); // shown only with errors

  async function send(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    event.stopPropagation();
    const found = Object.entries(shareProblems(form)).map(([field, key]) => ({
      field,
      text: t(key, problemVars(form)),
    }));
    setProblems(found);
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
    showAlert({ type: 'success', msg: t('sendDocsSuccessMsg', { names }), timeout: STANDARD_TIMEOUT });
    setSent({ names, expiresAt: outcome.share.expiresAt, code: form.requireCode ? form.code.trim() : '' });
    setForm(initialForm(view));
  }

  return (
    <>
      <button className="button button-primary" form="document-form" data-share="" onClick={open}>
        {t('open')}
      </button>
      <dialog ref={dialog} aria-labelledby="share-title" className="share-dialog">
        {/* The styles are loaded with the dialog, to keep the page small. */}
        {chosen.length > 0 && <link rel="stylesheet" href={styles} />}
        {sent && <ShareSent {...{ sent, sharedUrl, locale, t }} onDone={() => dialog.current?.close()} />}
        {chosen.length > 0 && !sent && (
          <form aria-labelledby="share-title" noValidate onSubmit={(event) => void send(event)}>
            <div className="bar">
              <h2 id="share-title">{t('shareCount', { count: chosen.length })}</h2>
              <button
                type="button"
                className="button button-quiet button-icon"
                aria-label={t('close')}
                onClick={() => dialog.current?.close()}
              >
                <Icon name="x" />
              </button>
            </div>
            <div className="share-body stack">
              {failure !== '' && (
                <div className="error-summary" role="alert" tabIndex={-1} ref={summary}>
                  <h3>{failure}</h3>
                </div>
              )}
              <ProblemSummary form={view} problems={problems} summaryRef={summary} />
              <SharedDocuments names={chosen.map(({ name }) => name)} t={t} />
              <FormFields
                form={{ ...view, fields: fieldsOf(view, form) }}
                values={{ ...form }}
                problems={problems}
                onChange={change}
                firstField={firstField}
                additions={{
                  code: (
                    <div className="row">
                      <button type="button" className="button" onClick={() => change('code', newCode())}>
                        {t('codeMake')}
                      </button>
                      {form.code !== '' && <CopyCode key={form.code} code={form.code} t={t} />}
                    </div>
                  ),
                }}
              />
            </div>
            <div className="actions">
              <button type="button" className="button" onClick={() => dialog.current?.close()}>
                {t('cancel')}
              </button>
              <button className="button button-primary" disabled={isSending}>
                {isSending ? view.busy : view.submit}
              </button>
            </div>
          </form>
        )}
      </dialog>
    </>
  );
}

/** The values that the server gave the form. */
const initialForm = ({ fields }: FormView): ShareForm => ({
  ...EMPTY_SHARE,
  ...Object.fromEntries(fields.map(({ name, value }) => [name, value])),
});

/**
 * The fields for what is entered: the code only while it is required, and recent recipients that complete the list of
 * addresses, since browsers compare suggestions with the whole of a field.
 */
function fieldsOf({ fields }: FormView, { to, requireCode }: ShareForm): FieldView[] {
  const before = /^.*[\s,;]/s.exec(to)?.[0] ?? '';
  const { addresses } = parseRecipients(before);
  const isNew = (address: string): boolean => !addresses.includes(address);
  return fields
    .filter(({ name }) => requireCode || name !== 'code')
    .map((field) =>
      field.kind === 'text' && field.suggestions
        ? { ...field, suggestions: field.suggestions.filter(isNew).map((address) => before + address) }
        : field,
    );
}

/** The reason why the share was refused, as a translation key. */
function reasonFor(code: string): ShareWord {
  if (code === 'TOO_MANY') return 'sendDocsTooMany';
  return code === 'INFECTED' || code === 'UNSCANNED' ? 'sendDocsScan' : 'sendDocsErrorMsg';
}

/** The selected documents, in the format of the API. */
const selectedDocuments = (): Chosen[] =>
  $selection.get().map(({ id, name, data }) => ({
    documentId: id,
    name,
    containerId: data['container'] ?? '',
    containerType:
      data['containerType'] === 'Client' || data['containerType'] === 'Project'
        ? data['containerType']
        : 'Folder',
  }));

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

/** A code of eight unambiguous characters: 40 bits. */
function newCode(): string {
  return [...crypto.getRandomValues(new Uint8Array(8))]
    .map((byte) => LETTERS[byte % LETTERS.length])
    .join('');
}
