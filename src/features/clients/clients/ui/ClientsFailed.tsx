import { Icon } from '#ui/Icon.tsx';
import type { PickerWord } from './picker-messages.ts';

interface Props {
  /** What was searched; empty if all were to be listed. */
  searched: string;
  t: (key: PickerWord) => string;
  onRetry: () => void;
}

/** Says that the clients could not be loaded or searched, and offers to try again. */
export const ClientsFailed = ({ searched, t, onRetry }: Props) => (
  <div className="alert alert-danger" role="alert">
    <Icon name="circle-alert" />
    <div>
      <p>{t(searched === '' ? 'clientListErrorMsg' : 'clientListSearchError')}</p>
      <button type="button" className="button" onClick={onRetry}>
        {t('tryAgain')}
      </button>
    </div>
  </div>
);
