import type { RefObject } from 'react';
import type { T } from '#platform/text/messages.ts';
import type { PendingClient } from '../clients.ts';
import { ClientName } from './ClientName.tsx';
import type { PickerWord } from './picker-messages.ts';

interface Props {
  gridRef: RefObject<HTMLFieldSetElement | null>;
  clients: readonly PendingClient[];
  chosen: string;
  isLoading: boolean;
  isStaff: boolean;
  t: T<PickerWord>;
  onChoose: (id: string) => void;
}

/** A page of clients, one of which is chosen. */
export const ClientGrid = ({ gridRef, clients, chosen, isLoading, isStaff, t, onChoose }: Props) => (
  <fieldset ref={gridRef} className="client-grid" aria-busy={isLoading}>
    <legend className="visually-hidden">{t('clients')}</legend>
    {clients.map(({ id, displayAs, nickname, code, pending }) => (
      <label key={id} className="client-choice">
        <input type="radio" name="client" value={id} checked={id === chosen} onChange={() => onChoose(id)} />
        <span>
          <ClientName {...{ displayAs, nickname }} />
          {pending > 0 && <small>{t(isStaff ? 'waiting' : 'pending', { count: pending })}</small>}
        </span>
        <small>
          <bdi>{code}</bdi>
        </small>
      </label>
    ))}
  </fieldset>
);
