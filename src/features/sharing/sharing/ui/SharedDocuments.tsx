import type { ShareWord } from './share-messages.ts';

const MAX_SHOWN = 3;

interface Props {
  names: readonly string[];
  t: (key: ShareWord, vars?: Record<string, number>) => string;
}

/** The documents to share by name; those after the first few can be unfolded. */
export function SharedDocuments({ names, t }: Props) {
  const [shown, others] = [names.slice(0, MAX_SHOWN), names.slice(MAX_SHOWN)];
  return (
    <div className="share-documents">
      <ul aria-label={t('documents')}>{shown.map(item)}</ul>
      {others.length > 0 && (
        <details>
          <summary>{t('moreDocuments', { count: others.length })}</summary>
          <ul>{others.map(item)}</ul>
        </details>
      )}
    </div>
  );
}

/** Two documents may have the same name. */
const item = (name: string, index: number) => (
  <li key={`${index} ${name}`} title={name}>
    <bdi>{name}</bdi>
  </li>
);
