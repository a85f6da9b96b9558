import { useEffect, useMemo, useRef, useState, type MouseEvent, type RefObject } from 'react';
import { showAlert, STANDARD_TIMEOUT } from '#ui/alerts.ts';
import { Icon } from '#ui/Icon.tsx';
import { FormFields, ProblemSummary } from '#ui/form/FormFields.tsx';
import { $selection } from '#ui/table/state.ts';
import type { FieldView, FormView } from '#platform/forms/forms.ts';
import { readEmailAddresses } from '#platform/inputs/email-addresses.ts';
import { createTranslator, type Messages, type T } from '#platform/text/messages.ts';
import type { ShareForm } from '../rules.ts';
import { CopyCode } from './CopyCode.tsx';
import styles from './share-dialog.css?url';
import { SharedDocuments } from './SharedDocuments.tsx';
import { ShareSent } from './ShareSent.tsx';
import type { ShareWord } from './share-messages.ts';
import { newCode, useShareForm, type Chosen } from './use-share-form.ts';

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

/**
 * 'Share': the button of the documents form and the dialog it opens, whose form is created then to keep the page
 * small. Before scripts the button submits to the page with the same form.
 */
export function ShareDialog({ locale, ownAddress, firm, sharedUrl, form: view, words }: Props) {
  const t = useMemo(() => createTranslator(words), [words]);
  const dialog = useRef<HTMLDialogElement>(null);
  const firstField = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState<Chosen[]>([]);
  const [isStyled, setStyled] = useState(false);
  const share = useShareForm({ view, chosen, dialog, locale, ownAddress, firm, t });
  const { sent } = share;

  function open(event: MouseEvent): void {
    event.preventDefault();
    const documents = selectedDocuments();
    if (documents.length === 0) {
      showAlert({ type: 'info', msg: t('nothingChosen'), timeout: STANDARD_TIMEOUT });
      return;
    }
    share.begin();
    setChosen(documents);
  }

  /** After sharing, the list is as before. The dialog is in the bar of the selection, which goes with it. */
  function endSelection(): void {
    if (sent) document.querySelector<HTMLElement>('[data-select=none]')?.click();
  }

  useEffect(() => {
    if (chosen.length === 0 || !isStyled) return;
    dialog.current?.showModal();
    firstField.current?.focus();
  }, [chosen, isStyled]);

  return (
    <>
      <button className="button button-primary" form="document-form" data-share="" onClick={open}>
        {t('open')}
      </button>
      <dialog ref={dialog} aria-labelledby="share-title" className="share-dialog" onClose={endSelection}>
        {/* The styles are loaded with the dialog, to keep the page small; without them it would change its size. */}
        {chosen.length > 0 && (
          <link
            rel="stylesheet"
            href={styles}
            onLoad={() => setStyled(true)}
            onError={() => setStyled(true)}
          />
        )}
        {sent && <ShareSent {...{ sent, sharedUrl, locale, t }} onDone={() => dialog.current?.close()} />}
        {chosen.length > 0 && !sent && (
          <form aria-labelledby="share-title" noValidate onSubmit={(event) => void share.send(event)}>
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
            <ShareFields {...{ view, chosen, share, firstField, t }} />
            <div className="actions">
              <button type="button" className="button" onClick={() => dialog.current?.close()}>
                {t('cancel')}
              </button>
              <button className="button button-primary" disabled={share.isSending}>
                {share.isSending ? view.busy : view.submit}
              </button>
            </div>
          </form>
        )}
      </dialog>
    </>
  );
}

interface FieldsProps {
  view: FormView;
  chosen: readonly Chosen[];
  share: ReturnType<typeof useShareForm>;
  firstField: RefObject<HTMLInputElement | null>;
  t: T<ShareWord>;
}

/** What is wrong with the form, the documents to share, and the fields. */
function ShareFields({ view, chosen, share, firstField, t }: FieldsProps) {
  const { form, problems, failure, summary, change } = share;
  return (
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
  );
}

/**
 * The fields for what is entered: the code only while it is required, and recent recipients that complete the list of
 * addresses, since browsers compare suggestions with the whole of a field.
 */
function fieldsOf({ fields }: FormView, { to, requireCode }: ShareForm): FieldView[] {
  const before = /^.*[\s,;]/s.exec(to)?.[0] ?? '';
  const { addresses } = readEmailAddresses(before);
  const isNew = (address: string): boolean => !addresses.includes(address);
  return fields
    .filter(({ name }) => requireCode || name !== 'code')
    .map((field) =>
      field.kind === 'text' && field.suggestions
        ? { ...field, suggestions: field.suggestions.filter(isNew).map((address) => before + address) }
        : field,
    );
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
