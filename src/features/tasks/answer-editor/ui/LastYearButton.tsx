import type { FieldView } from '#platform/forms/forms.ts';
import { lastYearButton } from '../rules.ts';
import type { EditorWord } from './editor-messages.ts';

/** What the button for last year's answer does. */
export interface LastYearOffer {
  isUsed: boolean;
  onPress: () => void;
}

interface Props {
  /** Undefined if there is no answer of last year, or it is in use and there is nothing to undo. */
  offer: LastYearOffer | undefined;
  formId: string;
  field: FieldView;
  t: (key: EditorWord) => string;
}

/** Fills a question with last year's answer, which its hint shows. Without scripts, the server fills it. */
export const LastYearButton = ({ offer, formId, field, t }: Props) =>
  offer && (
    <p className="last-year-answer">
      <button
        className="button"
        name="form"
        value={lastYearButton(formId, field.name)}
        formNoValidate
        onClick={(event) => {
          event.preventDefault();
          offer.onPress();
        }}
      >
        {t(offer.isUsed ? 'undoLastYear' : 'useLastYear')}{' '}
        <span className="visually-hidden">{field.label}</span>
      </button>
    </p>
  );
