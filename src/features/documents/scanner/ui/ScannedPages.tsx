import { Icon } from '#ui/Icon.tsx';
import type { T } from '#platform/text/messages.ts';
import type { ScanWord } from './scanner-messages.ts';
import type { ScannedPage } from './use-scanned-pages.ts';

interface Props {
  pages: readonly ScannedPage[];
  isGrey: boolean;
  t: T<ScanWord>;
  onMove: (at: number, by: 1 | -1) => void;
  onTurn: (at: number) => void;
  onRemove: (at: number) => void;
}

/** The pages as thumbnails, with buttons that change their order, turn them and remove them. */
export const ScannedPages = ({ pages, isGrey, t, onMove, onTurn, onRemove }: Props) => (
  <section className="stack" aria-labelledby="scan-pages">
    <h2 id="scan-pages">{t('pages')}</h2>
    <ol className="scan-pages" data-grey={isGrey || undefined}>
      {pages.map(({ id, thumbnail, turns }, at) => (
        <li key={id} className="scan-page">
          <span className="scan-thumb">
            <img src={thumbnail} alt="" data-turns={turns} />
          </span>
          <strong>{t('page', { page: at + 1 })}</strong>
          <div className="row">
            <button
              type="button"
              id={`up-${id}`}
              className="button button-icon"
              aria-label={t('moveUp', { page: at + 1 })}
              disabled={at === 0}
              onClick={() => onMove(at, -1)}
            >
              <Icon name="arrow-up" />
            </button>
            <button
              type="button"
              id={`down-${id}`}
              className="button button-icon"
              aria-label={t('moveDown', { page: at + 1 })}
              disabled={at === pages.length - 1}
              onClick={() => onMove(at, 1)}
            >
              <Icon name="arrow-down" />
            </button>
            <button
              type="button"
              className="button"
              aria-label={t('turnPage', { page: at + 1 })}
              onClick={() => onTurn(at)}
            >
              {t('turn')}
            </button>
            <button
              type="button"
              id={`remove-${id}`}
              className="button"
              aria-label={t('removePage', { page: at + 1 })}
              onClick={() => onRemove(at)}
            >
              {t('remove')}
            </button>
          </div>
        </li>
      ))}
    </ol>
  </section>
);
